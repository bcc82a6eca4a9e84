import { setTimeout as pause } from 'node:timers/promises'
import { RequestFailure } from './request-failure.ts'

/**
 * Postgres aborts a transaction with these codes because of other transactions: a deadlock, a serialization failure, a lock that
 * it didn't get in the time that it may wait (lock_timeout).
 */
const abortedForOthers: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03'])

const maxAttempts = 4

/**
 * Runs a transaction, and runs it again when Postgres aborted it because of another one, as Postgres's documentation
 * asks of clients: an aborted transaction has changed nothing. Throws the last attempt's error. The pauses
 * (milliseconds) are random, so that two conflicting transactions don't collide again.
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
