/** The result of a check. */
export interface Finding {
  /** The problem in a few words, for an operator; absent if there is none. */
  readonly problem?: string | undefined
  /** Figures behind it, as JSON; `/readyz` shows them under `details`. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** A fact about the platform that `/readyz` tells. */
export interface ReadinessCheck {
  /** The key under `checks`. */
  readonly name: string
  /** Whether requests can't be answered without it. What isn't needed makes `/readyz` say `degraded`, with status 200. */
  readonly needed: boolean
  /** Finds out how it stands. A rejection, or no answer when the signal fires, counts as a problem. */
  readonly find: (signal: AbortSignal) => Finding | Promise<Finding>
}

export interface ReadinessReport {
  /** `ok`; `degraded`: requests are answered, and something needs an operator; `unavailable` and `stopping`: send none. */
  readonly status: 'ok' | 'degraded' | 'unavailable' | 'stopping'
  /** By check: `ok`, or what is wrong. */
  readonly checks: Readonly<Record<string, string>>
  readonly details: Readonly<Record<string, unknown>>
}

const timeoutMilliseconds = 2_000
/**
 * Any client may ask, so all who ask within this time get the same answer. That something is missing ages sooner: it keeps a
 * process that starts, or that has its database back, from being sent requests.
 */
const keptMilliseconds = { ready: 1_000, unavailable: 50 }

/** Whether this process should be sent requests, from what its parts have to say. */
export class Readiness {
  readonly #checks: ReadinessCheck[] = []
  #stopping = false
  #kept: { readonly report: Promise<ReadinessReport>; readonly until: number } | undefined

  /** Adds a check, which is asked from now on. Names are unique. */
  add(check: ReadinessCheck): void {
    if (this.#checks.some(({ name }) => name === check.name))
      throw new Error(`${check.name} is checked twice`)
    this.#checks.push(check)
    this.#kept = undefined
  }

  /** From now on no new requests are wanted, whatever the checks say. */
  stop(): void {
    this.#stopping = true
  }

  /** The state of all checks, at most a second old. Never rejects, and takes two seconds at most. */
  async report(): Promise<ReadinessReport> {
    const report = await this.#latest()
    return this.#stopping ? { ...report, status: 'stopping' } : report
  }

  #latest(): Promise<ReadinessReport> {
    if (this.#kept !== undefined && performance.now() < this.#kept.until) return this.#kept.report
    const kept = { report: ask(this.#checks), until: Infinity }
    this.#kept = kept
    void kept.report.then(({ status }) => {
      const isReady = status === 'ok' || status === 'degraded'
      kept.until = performance.now() + keptMilliseconds[isReady ? 'ready' : 'unavailable']
    })
    return kept.report
  }
}

async function ask(checks: readonly ReadinessCheck[]): Promise<ReadinessReport> {
  const answers = await Promise.all(checks.map(async (check) => ({ ...check, ...(await inTime(check)) })))
  const failing = answers.filter(({ problem }) => problem !== undefined)
  return {
    status: failing.some(({ needed }) => needed) ? 'unavailable' : failing.length > 0 ? 'degraded' : 'ok',
    checks: Object.fromEntries(answers.map(({ name, problem }) => [name, problem ?? 'ok'])),
    details: Object.fromEntries(
      answers.flatMap(({ name, details }) => (details === undefined ? [] : [[name, details]])),
    ),
  }
}

async function inTime({ find }: ReadinessCheck): Promise<Finding> {
  const late = Promise.withResolvers<Finding>()
  const abort = new AbortController()
  const timer = setTimeout(() => {
    abort.abort()
    late.resolve({ problem: `no answer within ${timeoutMilliseconds} ms` })
  }, timeoutMilliseconds)
  try {
    return await Promise.race([find(abort.signal), late.promise])
  } catch (error) {
    return { problem: error instanceof Error && error.message !== '' ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}
