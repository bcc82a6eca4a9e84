import type { Exceeded } from '@commerce-graph/rate-limits'
import { type CatalogueError, catalogueError } from '../errors/catalogue-error.ts'

/** SVC_RATE_001 for a merchant or shopper that has sent more than its rate allows. */
export function rateExceeded({ limit, allowed, retryAfter }: Exceeded): CatalogueError {
  return tooMany(retryAfter, reasonOf(limit, allowed), { limit, allowed })
}

/** SVC_RATE_001 for an address that has tried too many wrong keys, tokens, passwords or codes. */
export const tooManyGuesses = (retryAfter: number): CatalogueError =>
  tooMany(retryAfter, 'Too many wrong credentials have come from this address', { limit: 'guesses' })

function reasonOf(limit: Exceeded['limit'], allowed: number): string {
  switch (limit) {
    case 'shopper':
      return `A shopper may send ${allowed} requests in a minute`
    case 'minute':
      return `The plan allows ${allowed} requests in a minute, and the burst beyond it is used up`
    case 'hour':
      return `The plan allows ${allowed} requests in an hour`
    default:
      return limit satisfies never
  }
}

function tooMany(
  retryAfter: number,
  reason: string,
  details: Readonly<Record<string, unknown>>,
): CatalogueError {
  const time = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`
  return catalogueError('SVC_RATE_001', { time }, { reason, retryAfter, ...details })
}
