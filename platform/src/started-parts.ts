import type { Logger } from 'pino'

interface Part {
  readonly name: string
  readonly stop: () => unknown
  readonly atMost: number
}

/** Milliseconds for what takes longer to stop than closing its connections does. */
export const stopWithin = {
  /** A drain, and the longest request. */
  server: 52_000,
  /** Events under way; another engine delivers those that are cut. */
  deliveries: 25_000,
  /** Jobs under way; those that are cut begin again in another process. */
  jobs: 40_000,
  postgres: 30_000,
} as const
/** Milliseconds for what only closes connections. */
const defaultAtMost = 10_000
/**
 * Milliseconds after which a process gives up stopping: longer than the longest request, and everything that stops after it. What
 * supervises it (Compose, systemd) waits longer.
 */
export const stopTimeoutMs = 75_000
/** Milliseconds for all parts together. */
const allAtMost = stopTimeoutMs - 5_000
/** Milliseconds that a part has even when the others have used up the time of all. */
const leastEach = 500
/** Milliseconds from when on the log says how long a part took. */
const longEnoughToTell = 1_000

/** What a start has begun, in order: it is stopped in the reverse order, each part within a time of its own. */
export class StartedParts {
  readonly #parts: Part[] = []
  readonly #logger: Logger
  readonly #allAtMost: number

  /** @param atMost milliseconds that all parts may take together */
  constructor(logger: Logger, atMost = allAtMost) {
    this.#logger = logger
    this.#allAtMost = atMost
  }

  /**
   * @param name for the log
   * @param stop resolves when the part has stopped
   * @param atMost milliseconds after which the next part is stopped; each part is made to be killed at any time
   */
  add(name: string, stop: () => unknown, atMost = defaultAtMost): void {
    this.#parts.push({ name, stop, atMost })
  }

  /** Stops all parts, and rejects in the end if one has failed or has not ended in its time, which the log says at once. */
  async stop(): Promise<void> {
    const until = performance.now() + this.#allAtMost
    const problems: string[] = []
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      const atMost = Math.max(leastEach, Math.min(part.atMost, until - performance.now()))
      const problem = await this.#stopOne(part, atMost)
      if (problem !== undefined) problems.push(problem)
    }
    if (problems.length > 0) throw new Error(`Not everything has stopped: ${problems.join('; ')}`)
  }

  async #stopOne({ name, stop }: Part, atMost: number): Promise<string | undefined> {
    const began = performance.now()
    const outcome = await within(atMost, () => Promise.resolve().then(stop))
    const milliseconds = Math.round(performance.now() - began)
    switch (outcome.kind) {
      case 'stopped':
        if (milliseconds >= longEnoughToTell)
          this.#logger.info({ part: name, milliseconds }, 'a part has stopped')
        return undefined
      case 'late':
        this.#logger.error({ part: name, milliseconds }, 'a part has not stopped in its time, and is left')
        return `${name} after ${milliseconds} ms`
      case 'failed':
        this.#logger.error({ part: name, error: outcome.error }, 'a part could not be stopped')
        return `${name}: ${String(outcome.error)}`
      default:
        return outcome satisfies never
    }
  }
}

type Outcome =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly error: unknown }

const within = (milliseconds: number, work: () => Promise<unknown>): Promise<Outcome> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'late' }), milliseconds)
    work()
      .then(
        () => resolve({ kind: 'stopped' }),
        (error: unknown) => resolve({ kind: 'failed', error }),
      )
      .finally(() => clearTimeout(timer))
  })
