import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

/** The result of a test run. */
export type Verdict =
  | { readonly kind: 'passed' }
  /** `by` names the first test, or says how the run failed otherwise. */
  | { readonly kind: 'failed'; readonly by: string }

export interface TestRun {
  /** The folder of the repository, or of a copy of it. */
  readonly root: string
  readonly tests: readonly string[]
  readonly only?: string | undefined
  /** How often a failed test is repeated; by default it isn't. */
  readonly retries?: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const reportFile = '.data/mutate.json'
const endingMs = 10_000

const reportSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

/**
 * Runs test files until the first failure. A run that takes too long counts as failed. Throws when the signal
 * aborts.
 */
export async function runTests({
  root,
  tests,
  only,
  retries = 0,
  timeoutMs,
  signal,
}: TestRun): Promise<Verdict> {
  const report = path.join(root, reportFile)
  rmSync(report, { force: true })
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...tests,
      ...(only === undefined ? [] : ['--testNamePattern', only]),
      '--bail=1',
      `--retry=${retries}`,
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    // Its own process group: whatever the tests start ends with them.
    { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-2_000)))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  const limit = AbortSignal.timeout(timeoutMs)
  const stop = () => {
    endGroup(child.pid, 'SIGTERM')
    setTimeout(() => {
      endGroup(child.pid, 'SIGKILL')
    }, endingMs).unref()
  }
  const ending = AbortSignal.any([signal, limit])
  ending.addEventListener('abort', stop)
  const status = await ended
  ending.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (limit.aborted) return { kind: 'failed', by: `the time-out of ${timeoutMs / 1000} s` }
  return verdictOf(status, report, said)
}

function endGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch {
    // It has ended by itself.
  }
}

function verdictOf(status: number | null, report: string, said: string): Verdict {
  if (!existsSync(report)) return { kind: 'failed', by: `no report: ${said.trim().slice(-300)}` }
  const { testResults, numPassedTests } = reportSchema.parse(JSON.parse(readFileSync(report, 'utf8')))
  for (const { assertionResults } of testResults) {
    const first = assertionResults.find((test) => test.status === 'failed')
    if (first !== undefined) return { kind: 'failed', by: first.fullName }
  }
  const broken = testResults.find((file) => file.status === 'failed')
  if (broken !== undefined)
    return { kind: 'failed', by: `${path.basename(broken.name)}: ${broken.message.split('\n')[0] ?? ''}` }
  if (status !== 0) return { kind: 'failed', by: `exit code ${status}: ${said.trim().slice(-300)}` }
  if (numPassedTests === 0) throw new Error('No test ran: is the pattern of their names right?')
  return { kind: 'passed' }
}
