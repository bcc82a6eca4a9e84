import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longTest, longTests } from './support/long-tests.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..')
const timeoutMs = 15 * 60_000

/** The command in the Dockerfile that installs packages, without the parts that need the image's own folders. */
function installLine(): string {
  const line = /^RUN (npm ci [^&\n]*)/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))?.[1]
  if (line === undefined) throw new Error('the Dockerfile has no RUN npm ci')
  return line.trim()
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
    await run('sh', ['-c', installLine()], { cwd: image, maxBuffer: 16_000_000 })
  }, timeoutMs)

  test('is enough to import every package', async () => {
    const names = entryPoints(image)
    expect(names).toContain('@commerce-graph/platform')
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
})
