export interface RetryPolicy {
  readonly attempts: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
}

export const defaultRetryPolicy: RetryPolicy = { attempts: 8, firstDelayMs: 500, maxDelayMs: 30_000 }

/**
 * The delay after the given attempt (from 1) has failed: it doubles each time, and is random so that clients don't
 * retry together.
 */
export const backoffMs = ({ firstDelayMs, maxDelayMs }: RetryPolicy, attempt: number): number =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + Math.random() / 2)
