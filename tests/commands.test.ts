import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

const root = path.resolve(import.meta.dirname, '..')
const manifest = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))

const help = (...options: readonly string[]): string =>
  execFileSync(process.execPath, [path.join(root, 'scripts/help.mjs'), ...options], { encoding: 'utf8' })

test('npm run help lists every command of package.json once, with a line that fits a terminal', () => {
  const listed = z
    .array(z.object({ group: z.string(), command: z.string(), purpose: z.string().min(3) }))
    .parse(JSON.parse(help('--json')))
  const names = listed.map(({ command }) => command.replace(/^npm (run )?/, ''))
  expect(names.toSorted()).toEqual(Object.keys(manifest.scripts).toSorted())
  const lines = help().split('\n')
  for (const { command, purpose } of listed)
    expect(
      lines.filter((line) => line.startsWith(`  ${command} `) && line.endsWith(`  ${purpose}`)),
    ).toHaveLength(1)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
})

test('npm run help has no colours where its output is no terminal', () => {
  expect(help()).not.toContain('\u001B')
})

/** What follows these commands is for Vitest. */
const passesOptionsOn: ReadonlySet<string> = new Set(['test:hasura'])

/** The programs of the commands with options of their own. */
const programs = Object.entries(manifest.scripts).flatMap(([name, script]) => {
  const [, program] =
    /^node scripts\/run\.mjs ((?:(?:platform|importer|demo\/year|sql|tests)\/bin|bench)\/[\w-]+\.ts)$/.exec(
      script,
    ) ?? []
  return program === undefined || passesOptionsOn.has(name) ? [] : [{ name, program }]
})

/** The commands that list, change or report something: programs want to read that, too. */
const reporting: ReadonlySet<string> = new Set([
  'migrate',
  'reset',
  'import',
  'merchant',
  'backup',
  'restore',
  'verify',
  'operator',
  'demo',
])

/** The text of a program, and of the module that has its options. */
function sourceOf(program: string): string {
  const text = readFileSync(path.join(root, program), 'utf8')
  const [, module] = /from '(\.\.\/src\/[\w-]+-command\.ts)'/.exec(text) ?? []
  return module === undefined
    ? text
    : text + readFileSync(path.resolve(root, path.dirname(program), module), 'utf8')
}

// Starting all of them takes a minute of processor time. What these functions do is tested in terminal/, and by some commands below.
test.each(programs)('npm run $name ends as all commands do', ({ program }) => {
  expect(sourceOf(program)).toMatch(/^await runCommand\(|= read(?:Arguments|Options)\(/m)
})

test.each(programs.filter(({ name }) => reporting.has(name)))('npm run $name has --json', ({ program }) => {
  expect(sourceOf(program)).toMatch(/ withJson\(/)
})

describe('a command that is called wrongly', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'commands-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** A command that takes a wrong option for none does something here, and not to the data of this checkout. */
  const run = (program: string, args: readonly string[]) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], DATA_DIR: folder, DATABASE_URL: '', FORCE_COLOR: '0' }
      execFile(process.execPath, [program, ...args], { cwd: root, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      )
    })

  test.each(['platform/bin/storefront.ts', 'tests/bin/mutate.ts', 'bench/engine-start.ts'])(
    'names the option in a line or two, without a stack, does nothing, and ends with 2: %s',
    async (program) => {
      const { code, stdout, stderr } = await run(program, ['--wrong'])
      expect(stderr).toMatch(/^error: .*--wrong/)
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(readdirSync(folder)).toEqual([])
    },
  )

  test('tells a program with nothing but JSON', async () => {
    const { code, stdout, stderr } = await run('importer/bin/import.ts', ['shop.jsonl', '--json', '--wrong'])
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'WRONG_USE', message: expect.stringContaining('--wrong') as string },
    })
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  })

  test('and npm run help names an argument that it doesn’t know', async () => {
    const { code, stdout, stderr } = await run('scripts/help.mjs', ['verify'])
    expect(stderr).toMatch(/^error: verify is not known here/)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})
