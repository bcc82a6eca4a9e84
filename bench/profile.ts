import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '@commerce-graph/terminal'
import { z } from 'zod'
import { busyMs, type Frame, merged, readCpuProfile, slowestFunctions } from './src/cpu-profile.ts'
import { flameGraph } from './src/flame-graph.ts'
import { type StatementTime, statementTimes } from './src/statement-times.ts'

const root = path.resolve(import.meta.dirname, '..')
/** Processes whose flame graph is drawn, busiest first. */
const maxGraphs = 6
const maxLines = 15
const readySchema = z.object({ databaseUrl: z.string() })

/** The benchmarks of package.json, with the program of each. */
function readBenchmarks(): ReadonlyMap<string, string> {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))
  return new Map(
    Object.entries(scripts).flatMap(([script, command]) =>
      /^bench(:|$)/.test(script) ? [[script, path.join(root, command.split(' ').at(-1) ?? '')] as const] : [],
    ),
  )
}

async function profile(benchmark: string, program: string, options: readonly string[]): Promise<void> {
  const folder = path.join(root, '.data/profile', new Date().toISOString().replaceAll(':', '-'))
  const profiles = path.join(folder, 'cpu')
  const temporary = path.join(folder, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const child = spawn(process.execPath, [program, ...options], {
    stdio: 'inherit',
    env: {
      ...process.env,
      // Benchmarks make their platforms' folders there, where the platform's database can be found.
      TMPDIR: temporary,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --cpu-prof --cpu-prof-dir=${profiles}`.trim(),
    },
  })
  // The terminal sends Ctrl-C to both; what was measured until then is told.
  process.on('SIGINT', () => undefined)
  const ended = once(child, 'exit')
  const statements = await watchStatements(temporary, ended)
  const [code] = (await ended) as [number | null]
  report(benchmark, { profiles, folder, statements })
  rmSync(temporary, { recursive: true, force: true })
  process.exitCode = code ?? 1
}

/** The last statistics before the platform's Postgres went away; empty if there was none. */
async function watchStatements(
  temporary: string,
  ended: Promise<unknown>,
): Promise<readonly StatementTime[]> {
  let last: readonly StatementTime[] = []
  const over = new AbortController()
  void ended.then(() => over.abort())
  while (!over.signal.aborted) {
    await Promise.race([sleep(2_000), ended])
    const databaseUrl = databaseOf(temporary)
    if (databaseUrl !== undefined) last = (await statementTimes(databaseUrl)) ?? last
  }
  return last
}

/** Where the platform's database is, while there is one. */
function databaseOf(temporary: string): string | undefined {
  const [ready] = globSync('*/ready.json', { cwd: temporary })
  try {
    return ready === undefined
      ? undefined
      : readySchema.parse(JSON.parse(readFileSync(path.join(temporary, ready), 'utf8'))).databaseUrl
  } catch {
    // It is being written, or removed.
    return undefined
  }
}

interface Measured {
  readonly profiles: string
  readonly folder: string
  readonly statements: readonly StatementTime[]
}

function report(benchmark: string, { profiles, folder, statements }: Measured): void {
  const processes = globSync('*.cpuprofile', { cwd: profiles })
    .map((file) => merged(readCpuProfile(readFileSync(path.join(profiles, file), 'utf8'))))
    .toSorted((one, other) => busyMs(other) - busyMs(one))
  for (const [index, frame] of processes.slice(0, maxGraphs).entries()) {
    const file = path.join(folder, `flame-${index + 1}.svg`)
    writeFileSync(
      file,
      flameGraph(frame, `${benchmark}, process ${index + 1}: ${Math.round(busyMs(frame))} ms of work`),
    )
    console.log(
      `\nProcess ${index + 1}: ${Math.round(busyMs(frame))} ms of work, ${path.relative(root, file)}`,
    )
    for (const line of functionLines(frame)) console.log(line)
  }
  if (processes.length === 0) console.log('\nNo process left a profile.')
  for (const line of statementLines(statements)) console.log(line)
}

const functionLines = (frame: Frame): readonly string[] =>
  slowestFunctions(frame, maxLines).map(
    ({ name: called, place, selfMs }) => `${share(selfMs, busyMs(frame))}  ${called}  ${place}`,
  )

function statementLines(statements: readonly StatementTime[]): readonly string[] {
  if (statements.length === 0) return ['\nNo Postgres of a platform was seen: its statements are not known.']
  const total = statements.reduce((sum, { totalMs }) => sum + totalMs, 0)
  return [
    `\nPostgres: ${Math.round(total)} ms in statements, the filling of the database included`,
    ...statements
      .slice(0, maxLines)
      .map(
        ({ statement, calls, totalMs }) => `${share(totalMs, total)}  ${calls} ×  ${statement.slice(0, 160)}`,
      ),
  ]
}

const share = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1).padStart(5)} %`

const benchmarks = readBenchmarks()
const usage = `npm run profile -- <benchmark> [the benchmark's options]

Runs a benchmark with a profile of each of its processes, and tells where the time goes: a flame graph of each Node process, the functions
that take the most of it, and the statements of Postgres.

  ${[...benchmarks.keys()].join('\n  ')}`

// What follows the benchmark's name is the benchmark's, its --help too.
const options = process.argv.splice(3)
const {
  words: [name],
} = readArguments({
  usage,
  options: {},
  takesWords: true,
  values: z.object({ words: z.tuple([z.enum([...benchmarks.keys()])], 'Say which benchmark') }),
})
await profile(name, benchmarks.get(name) ?? '', options)
