import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { generate, loadContext } from '@graphql-codegen/cli'
import { readConfiguration, startPlatform } from '@commerce-graph/platform'

/**
 * Tries client/dist as its users have it (`npm run package:try -w client`): packed, installed from the tarball in an empty folder, with
 * the samples of its README, which are type-checked strictly and run against a platform of their own. A sample that fails ends this
 * with 1.
 */

const root = join(import.meta.dirname, '../..')
const place = mkdtempSync(join(tmpdir(), 'commerce-graph-client-'))
const samples = ['first-request', 'create-product', 'list-products', 'follow-orders'] as const

const execute = promisify(execFile)

/** What the program prints. Throws an Error with all of it if the program fails. */
async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { cwd: place, env: { ...process.env, ...env }, timeout: 120_000 }
  const { stdout } = await execute(program, args, options).catch((error: unknown) => {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout}${stderr}`)
  })
  return stdout
}

/** Writes the code of the README into files, which its first lines name. */
function writeSamples(): void {
  const readme = readFileSync(join(root, 'client/README.md'), 'utf8')
  for (const [, code = '', file = ''] of readme.matchAll(/^```\w+\n((?:#|\/\/) (\S+\.\w+)\n.*?)^```/gms)) {
    mkdirSync(dirname(join(place, file)), { recursive: true })
    writeFileSync(join(place, file), code)
  }
}

async function install(): Promise<void> {
  const packed = (await run('npm', ['pack', join(root, 'client/dist'), '--silent'])).trim()
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await run('npm', [
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    `./${packed}`,
    'graphql@16',
  ])
  const [, ...more] = globSync('node_modules/graphql/package.json', { cwd: place })
  if (more.length > 0) throw new Error('graphql is installed more than once')
}

/** Runs the README's configuration of codegen, whose programs are the repository's. */
async function generateDocuments(): Promise<void> {
  const file = join(place, 'codegen.yml')
  const own = readFileSync(file, 'utf8')
    .replace('node_modules/', `${place}/node_modules/`)
    .replaceAll('src/', `${place}/src/`)
  writeFileSync(file, `${own}silent: true\n`)
  await generate(await loadContext(file), true)
}

async function compile(): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    rootDir: 'src',
    outDir: 'out',
  }
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  await run(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc')])
}

/** The code that browsers and workers get has no module of Node. */
function checkModules(): void {
  for (const file of globSync('node_modules/@commerce-graph/client/**/*.js', { cwd: place })) {
    const ofNode = /from '(node:[^']+)'/.exec(readFileSync(join(place, file), 'utf8'))?.[1]
    if (ofNode !== undefined && !file.endsWith('web-crypto-of-node.js'))
      throw new Error(`${file} imports ${ofNode}`)
  }
}

async function runSamples(): Promise<void> {
  const config = readConfiguration({ DATA_DIR: join(place, 'data'), LOG_LEVEL: 'error' })
  const platform = await startPlatform({ ...config, ports: { kind: 'free' } })
  try {
    const { liveKey } = platform.demoShop ?? { liveKey: '' }
    for (const sample of samples) {
      const env = { GRAPHQL_URL: platform.urls.graphql, API_KEY: liveKey }
      const said = await run(process.execPath, [`out/${sample}.js`], env)
      console.log(`--- ${sample}\n${said.trim()}`)
      if (said.trim() === '') throw new Error(`${sample} printed nothing`)
    }
  } finally {
    await platform.stop()
  }
}

try {
  await install()
  writeSamples()
  await generateDocuments()
  await compile()
  for (const sample of [...samples, 'storefront', 'webhook'])
    if (!existsSync(join(place, `out/${sample}.js`))) throw new Error(`the README has no src/${sample}.ts`)
  checkModules()
  await runSamples()
} finally {
  rmSync(place, { recursive: true, force: true })
}
