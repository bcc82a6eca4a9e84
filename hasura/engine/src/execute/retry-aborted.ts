import { setTimeout as pause } from 'node:timers/promises'
import { RequestFailure } from './request-failure.ts'

/** What Postgres aborts for the sake of other transactions: a deadlock, and a serialization failure. */
const abortedForOthers: ReadonlySet<string | undefined> = new Set(['40P01', '40001'])

const maxAttempts = 4

/**
 * Runs a transaction, and runs it again where Postgres aborted it for the sake of another one, as its documentation asks of
 * clients: nothing of it was done. The last attempt's failure is thrown. The pauses, in milliseconds, differ, so that two
 * which were in each other's way don't meet again.
 */
export async function retryAborted<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === maxAttempts || !wasAbortedForOthers(error)) throw error
      await pause(Math.random() * 20 * 2 ** attempt)
    }
  }
}

const wasAbortedForOthers = (error: unknown): boolean =>
  error instanceof RequestFailure && abortedForOthers.has(error.error.database?.sqlState)
