/**
 * Puts faults into a copy of the code, one at a time, and prints those that the nearest tests don't notice. See
 * docs/testing.md.
 *
 *   npm run mutate -- --area payment
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readArguments } from '@commerce-graph/terminal'
import { z } from 'zod'
import { drawFaults } from '../faults/draw-faults.ts'
import { applyEdit, type Fault, readFaults } from '../faults/fault.ts'
import { runTests, type Verdict } from '../faults/run-tests.ts'
import { makeScratchCopy, type ScratchCopy } from '../faults/scratch-copy.ts'

const usage = `npm run mutate -- [options]

Applies the faults of tests/faults/*.yaml one at a time to a copy of the working tree, and runs the tests that are to notice. Ends with 1
when fewer than 97 % of them do.

  --area NAME     only the faults of one file, e.g. payment
  --name TEXT     only the faults whose name has the text; more than once for more of them
  --since COMMIT  only the faults of files, or with tests, that have changed since
  --drawn         only the faults that were drawn
  --jobs N        so many copies side by side; 1 unless said
  --timeout S     seconds for the tests of one fault; what takes longer counts as noticed; 180 unless said
  --no-control    doesn't look first whether the tests pass without a fault
  --draw N        runs nothing, and prints N places where a fault could be put; --seed S draws others
  -h, --help      this text`

const repository = path.resolve(import.meta.dirname, '../..')
const enough = 0.97

const values = readArguments({
  usage,
  options: {
    area: { type: 'string' },
    name: { type: 'string', multiple: true },
    since: { type: 'string' },
    drawn: { type: 'boolean' },
    jobs: { type: 'string' },
    timeout: { type: 'string' },
    control: { type: 'boolean', default: true },
    draw: { type: 'string' },
    seed: { type: 'string' },
  },
  values: z.object({
    area: z.string().optional(),
    name: z.array(z.string()).optional(),
    since: z.string().refine(isCommit, 'must be a commit').optional(),
    drawn: z.boolean().optional(),
    jobs: z.coerce.number().int().min(1).default(1),
    timeout: z.coerce.number().int().min(1).default(180),
    control: z.boolean(),
    draw: z.coerce.number().int().min(1).optional(),
    seed: z.coerce.number().int().default(1),
  }),
})
const { jobs, timeout, draw, seed } = values

function isCommit(text: string): boolean {
  const git = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${text}^{commit}`], { cwd: repository })
  return git.status === 0
}

interface Result {
  readonly fault: Fault
  readonly verdict: Verdict
}

const stopping = new AbortController()
process.once('SIGINT', () => {
  stopping.abort()
})
process.once('SIGTERM', () => {
  stopping.abort()
})

if (draw !== undefined) console.log(drawFaults(repository, { count: draw, seed }))
else await mutate()

async function mutate(): Promise<void> {
  const chosen = chooseFaults()
  const faults = chosen.filter(({ equivalent }) => equivalent === undefined)
  console.log(`${faults.length} faults, and ${chosen.length - faults.length} that change nothing`)
  const copies = Array.from({ length: Math.min(jobs, faults.length) }, () => makeScratchCopy(repository))
  try {
    if (values.control && !(await passWithoutFaults(faults, copies))) return
    const results = await putIn(faults, copies)
    tell(chosen, results)
  } catch (error) {
    if (!stopping.signal.aborted) throw error
    process.exitCode = 130
  } finally {
    for (const copy of copies) copy.remove()
  }
}

function chooseFaults(): readonly Fault[] {
  const changed =
    values.since === undefined
      ? undefined
      : new Set(
          execFileSync('git', ['diff', '--name-only', values.since], {
            cwd: repository,
            encoding: 'utf8',
          }).split('\n'),
        )
  return readFaults().filter(
    ({ area, name, edits, tests, drawn }) =>
      (values.area === undefined || values.area === area) &&
      (values.name === undefined || values.name.some((text) => name.includes(text))) &&
      (values.drawn !== true || drawn !== undefined) &&
      (changed === undefined ||
        [...edits.map(({ file }) => file), ...tests].some((file) => changed.has(file))),
  )
}

/**
 * A test that fails without the fault proves nothing. Too many runs at once are slow, and some tests then exceed
 * their time-outs.
 */
async function passWithoutFaults(faults: readonly Fault[], [copy]: readonly ScratchCopy[]): Promise<boolean> {
  if (copy === undefined) return true
  const tests = [...new Set(faults.flatMap((fault) => fault.tests))]
  const timeoutMs = timeout * 1000 * Math.max(1, tests.length / 4)
  const verdict = await runTests({ root: copy.root, tests, retries: 2, timeoutMs, signal: stopping.signal })
  if (verdict.kind === 'passed') {
    console.log(`without a fault: ${tests.length} files of tests pass`)
    return true
  }
  console.error(`Without any fault a test fails: ${verdict.by}`)
  process.exitCode = 1
  return false
}

async function putIn(faults: readonly Fault[], copies: readonly ScratchCopy[]): Promise<readonly Result[]> {
  const waiting = [...faults]
  const results: Result[] = []
  const work = async ({ root }: ScratchCopy): Promise<void> => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const began = Date.now()
      const verdict = await judge(fault, root)
      results.push({ fault, verdict })
      const seconds = ((Date.now() - began) / 1000).toFixed(1)
      const outcome = verdict.kind === 'failed' ? `killed by ${verdict.by}` : 'SURVIVED'
      console.log(`${results.length}/${faults.length} ${seconds} s ${fault.area}: ${fault.name}: ${outcome}`)
    }
  }
  await Promise.all(copies.map(work))
  return results
}

/** Applies the fault, runs its tests, and reverts it. */
async function judge({ edits, tests, only }: Fault, root: string): Promise<Verdict> {
  const migrates = edits.some(({ file }) => file.startsWith('sql/'))
  const right = new Map(edits.map(({ file }) => [file, readFileSync(path.join(root, file), 'utf8')]))
  try {
    for (const edit of edits) {
      const file = path.join(root, edit.file)
      writeFileSync(file, applyEdit(readFileSync(file, 'utf8'), edit))
    }
    if (migrates) writeMigration(root)
    return await runTests({ root, tests, only, timeoutMs: timeout * 1000, signal: stopping.signal })
  } finally {
    for (const [file, text] of right) writeFileSync(path.join(root, file), text)
    if (migrates) writeMigration(root)
  }
}

function writeMigration(root: string): void {
  execFileSync(process.execPath, ['sql/bin/migration.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function tell(chosen: readonly Fault[], results: readonly Result[]): void {
  const survivors = results.filter(({ verdict }) => verdict.kind === 'passed').map(({ fault }) => fault)
  console.log('\n| area | faults | killed | survived | change nothing |\n| --- | --- | --- | --- | --- |')
  const rows = [...Map.groupBy(chosen, ({ area }) => area), ['all', chosen] as const]
  for (const [area, faults] of rows) {
    const tried = results.filter(({ fault }) => faults.includes(fault)).length
    const survived = survivors.filter((fault) => faults.includes(fault)).length
    console.log(
      `| ${area} | ${faults.length} | ${tried - survived} | ${survived} | ${faults.length - tried} |`,
    )
  }
  const rate = results.length === 0 ? 1 : 1 - survivors.length / results.length
  console.log(`\n${(rate * 100).toFixed(1)} % killed`)
  for (const { area, name } of survivors) console.log(`SURVIVED ${area}: ${name}`)
  if (rate < enough) process.exitCode = 1
}
