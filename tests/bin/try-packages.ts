import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { generate, loadContext } from '@graphql-codegen/cli'
import { type Platform, readConfiguration, startPlatform } from '@commerce-graph/platform'

/**
 * Tries what users install from npm (`npm run package:try -w client`), in empty folders, against a platform of its own. A failure ends
 * this with 1.
 *
 * - client/dist, packed and installed from the tarball: the samples of its README, type-checked strictly
 * - gql.tada with that package: the recipe of docs/recipes.md
 * - ra-data-hasura: the recipe of docs/admin-kits.md
 */

const root = join(import.meta.dirname, '../..')
const base = mkdtempSync(join(tmpdir(), 'commerce-graph-packages-'))
const execute = promisify(execFile)

/** A folder of a user. */
class Folder {
  readonly path: string

  constructor(name: string) {
    this.path = join(base, name)
    mkdirSync(this.path)
    this.write('package.json', JSON.stringify({ type: 'module', private: true }))
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true })
    writeFileSync(join(this.path, file), text)
  }

  /** Writes the code of a page into files, which its first lines name. */
  writeCode(page: string): void {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, code = '', file = ''] of text.matchAll(/^```\w+\n((?:#|\/\/) (\S+\.\w+)\n.*?)^```/gms))
      this.write(file, code)
  }

  /** What the program prints. Throws an Error with all of it if the program fails. */
  async run(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const options = { cwd: this.path, env: { ...process.env, ...env }, timeout: 120_000 }
    const { stdout } = await execute(program, args, options).catch((error: unknown) => {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
      throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout}${stderr}`)
    })
    return stdout.trim()
  }

  node(file: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.run(process.execPath, [file], env)
  }

  async install(...packages: readonly string[]): Promise<void> {
    await this.run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages])
  }

  async compile(): Promise<void> {
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    await this.run(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc'), ...types])
  }
}

const strictest = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  rootDir: 'src',
  outDir: 'out',
}

async function tryClient(tarball: string, platform: Platform): Promise<void> {
  const folder = new Folder('client')
  await folder.install(tarball, 'graphql@16')
  if (globSync('**/graphql/package.json', { cwd: folder.path }).length !== 1)
    throw new Error('graphql is installed more than once')
  checkModules(join(folder.path, 'node_modules/@commerce-graph/client'))
  folder.writeCode('client/README.md')
  folder.write('tsconfig.json', JSON.stringify({ compilerOptions: strictest, include: ['src'] }))
  await generateDocuments(folder.path)
  await folder.compile()
  folder.write('out/try-webhook.js', `import { POST } from './webhook.js'; ${tryWebhook}`)
  const env = { GRAPHQL_URL: platform.urls.graphql, API_KEY: keyOf(platform), WEBHOOK_SECRETS: 'whsec_YWJj' }
  for (const sample of ['first-request', 'create-product', 'list-products', 'follow-orders', 'try-webhook'])
    show(sample, await folder.node(`out/${sample}.js`, env))
}

const tryWebhook = `
const request = new Request('http://a', { method: 'POST', body: '{}', headers: { 'webhook-id': 'm' } })
console.log((await POST(request)).status)`

/** The code that browsers and workers get has no module of Node. */
function checkModules(installed: string): void {
  for (const file of globSync('**/*.js', { cwd: installed })) {
    const ofNode = /from '(node:[^']+)'/.exec(readFileSync(join(installed, file), 'utf8'))?.[1]
    if (ofNode !== undefined && file !== 'web-crypto-of-node.js') throw new Error(`${file} imports ${ofNode}`)
  }
}

/** Runs the README's configuration of codegen, whose programs are the repository's. */
async function generateDocuments(folder: string): Promise<void> {
  const file = join(folder, 'codegen.yml')
  const own = readFileSync(file, 'utf8')
    .replace('node_modules/', `${folder}/node_modules/`)
    .replaceAll('src/', `${folder}/src/`)
  writeFileSync(file, `${own}silent: true\n`)
  await generate(await loadContext(file), true)
}

async function tryGqlTada(tarball: string, platform: Platform): Promise<void> {
  const folder = new Folder('gql-tada')
  await folder.install(tarball, 'graphql@16', 'gql.tada@1')
  folder.writeCode('docs/recipes.md')
  await folder.run(join(folder.path, 'node_modules/.bin/gql.tada'), ['generate-output'])
  folder.write(
    'src/try.ts',
    `import { cheapest } from './cheapest.js'
const found: [string, number][] = await cheapest('${platform.urls.graphql}', '${keyOf(platform)}')
// @ts-expect-error The type of a field is the contract's.
const wrong: [string, string][] = found
console.log(found, wrong.length)`,
  )
  await folder.compile()
  show('gql.tada', await folder.node('out/try.js'))
}

async function tryReactAdmin(platform: Platform): Promise<void> {
  const folder = new Folder('react-admin')
  await folder.install('ra-data-hasura@0.6', 'graphql@16')
  folder.writeCode('docs/admin-kits.md')
  // It is a CommonJS module, whose default export bundlers know as such, and Node doesn't.
  const recipe = readFileSync(join(folder.path, 'react-admin.js'), 'utf8')
  folder.write('react-admin.js', recipe.replace('buildHasuraProvider(', 'buildHasuraProvider.default('))
  folder.write(
    'try.js',
    `import assert from 'node:assert/strict'
import { openShop } from './react-admin.js'
const shop = await openShop('${platform.urls.hasura}/v1/graphql', '${keyOf(platform)}')
const { data, total } = await shop.getList('catalog_product', {
  filter: { 'name@_ilike': 'tent', 'status@_eq': 'ACTIVE' },
  sort: { field: 'price', order: 'DESC' },
  pagination: { page: 1, perPage: 1 },
})
assert.equal(data.length, 1)
assert(total > 1)
assert.equal((await shop.getOne('catalog_product', { id: data[0].id })).data.name, data[0].name)
const { data: made } = await shop.create('catalog_category', { data: { name: 'By react-admin' } })
const changes = { id: made.id, data: { ...made, name: 'Changed' }, previousData: made }
assert.equal((await shop.update('catalog_category', changes)).data.name, 'Changed')
await shop.delete('catalog_category', { id: made.id, previousData: made })
assert.deepEqual((await shop.getMany('catalog_category', { ids: [made.id] })).data, [])
console.log(data[0].name, 'and', total - 1, 'more; a category made, changed and deleted')
process.exit()`,
  )
  show('react-admin', await folder.node('try.js'))
}

const keyOf = ({ demoShop }: Platform): string => demoShop?.liveKey ?? ''

function show(name: string, said: string): void {
  if (said === '') throw new Error(`${name} printed nothing`)
  console.log(`--- ${name}\n${said}`)
}

async function pack(): Promise<string> {
  const { stdout } = await execute('npm', ['pack', join(root, 'client/dist'), '--silent'], { cwd: base })
  return join(base, stdout.trim())
}

try {
  const config = readConfiguration({ DATA_DIR: join(base, 'data'), LOG_LEVEL: 'error' })
  const [platform, tarball] = await Promise.all([
    startPlatform({ ...config, ports: { kind: 'free' } }),
    pack(),
  ])
  try {
    // One after the other: they share the cores with other steps of CI.
    await tryClient(tarball, platform)
    await tryGqlTada(tarball, platform)
    await tryReactAdmin(platform)
  } finally {
    await platform.stop()
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
