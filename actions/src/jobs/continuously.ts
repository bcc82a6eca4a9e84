import { setTimeout as sleep } from 'node:timers/promises'

export interface Continuous {
  /** Lets the run that is under way end. */
  stop(): Promise<void>
}

/**
 * Does a work again and again, with a pause between the runs: for what is to happen within a moment, and without `NOTIFY`, whose lock
 * makes commits wait for each other (docs/decisions/0170-events-are-sequenced-after-the-commit.md).
 *
 * @param pause milliseconds; ten times as long after a failure
 */
export function continuously(
  work: () => Promise<unknown>,
  { pause, failed }: { readonly pause: number; readonly failed: (error: unknown) => void },
): Continuous {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let rest = pause
      try {
        await work()
      } catch (error) {
        failed(error)
        rest = 10 * pause
      }
      await sleep(rest, undefined, { signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
