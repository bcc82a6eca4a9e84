import type { RequestError } from './request-error.ts'

/** How often a request is sent again, and how long the client waits before. */
export interface RetryPolicy {
  /** The most repetitions of a request; 0 sends it once. */
  readonly retries: number
  /** The wait before the first repetition, in milliseconds. It doubles each time, and is random by a half. */
  readonly firstDelayMs: number
  /** The longest wait, in milliseconds. If the server asks for a longer one, the request fails instead. */
  readonly maxDelayMs: number
}

export const defaultRetryPolicy: RetryPolicy = { retries: 3, firstDelayMs: 250, maxDelayMs: 10_000 }

/**
 * The delay after the given attempt (from 1) has failed. It is random so that clients don't retry together.
 *
 * @param random from 0 to 1
 */
export const backoffMs = (
  { firstDelayMs, maxDelayMs }: RetryPolicy,
  attempt: number,
  random: number,
): number => Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + random / 2)

/** Whether the same request may succeed later (docs/errors.md: 429, 500, 502, 503, 504, and no answer). */
export function isTemporary({ kind }: RequestError): boolean {
  switch (kind) {
    case 'rate-limited':
    case 'unavailable':
    case 'internal':
      return true
    case 'refused':
    case 'unauthenticated':
    case 'forbidden':
    case 'invalid':
    case 'conflict':
    case 'not-graphql':
    case 'aborted':
    case 'insufficient-inventory':
    case 'payment-failed':
      return false
    default:
      return kind satisfies never
  }
}

/**
 * How long to wait after an attempt (from 1) that failed, in milliseconds; null if there shall be no other.
 *
 * @param random from 0 to 1
 */
export function delayAfter(
  attempt: number,
  errors: readonly RequestError[],
  policy: RetryPolicy,
  random: number,
): number | null {
  if (attempt > policy.retries || !errors.some(isTemporary)) return null
  const asked = Math.max(
    ...errors.map((error) => (error.kind === 'rate-limited' ? (error.retryAfterMs ?? 0) : 0)),
  )
  return asked > policy.maxDelayMs ? null : Math.max(asked, backoffMs(policy, attempt, random))
}

/**
 * Reads a Retry-After header: a number of seconds, or an HTTP date.
 *
 * @returns milliseconds from `now`, or null without a readable header
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
