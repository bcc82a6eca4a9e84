import type { Exceeded } from '@commerce-graph/rate-limits'
import { type CatalogueError, catalogueError, rateLimited } from '@commerce-graph/contract/errors'

/** SVC_RATE_001 for a merchant or shopper that has sent more than its rate allows. */
export const rateExceeded = ({ of, window, allowed, retryAfter }: Exceeded): CatalogueError =>
  rateLimited(retryAfter, reasonOf(of, window, allowed), { limit: of === 'plan' ? window : of, allowed })

/** SVC_GQL_002 for a request that weighs more than its caller's rate can ever admit, so that waiting is of no use. */
export function tooHeavy(complexity: number, max: number): CatalogueError {
  const reason = 'A request of such complexity counts for more requests than the rate has in a minute'
  return catalogueError('SVC_GQL_002', { complexity, max }, { field: 'query', reason })
}

/** SVC_RATE_001 for a client that has tried too many wrong passwords or codes at the merchant. */
export const tooManyGuesses = (retryAfter: number): CatalogueError =>
  rateLimited(retryAfter, 'Too many wrong passwords and codes have come from this client', {
    limit: 'guesses',
  })

/** SVC_RATE_001 for a shopper, or for the cart or customer that a key acts for, with too many coupons that could not be used. */
export const tooManyCoupons = (retryAfter: number): CatalogueError =>
  rateLimited(retryAfter, 'Too many coupons were tried that can not be used', { limit: 'coupons' })

function reasonOf(of: Exceeded['of'], window: Exceeded['window'], allowed: number): string {
  switch (of) {
    case 'shopper':
      return `A shopper may send ${allowed} requests in ${period[window]}`
    case 'shoppers':
      return `All shoppers together may send ${allowed} requests in ${period[window]}`
    case 'plan':
      return window === 'minute'
        ? `The plan allows ${allowed} requests in a minute, and the burst beyond it is used up`
        : `The plan allows ${allowed} requests in an hour`
    default:
      return of satisfies never
  }
}

const period = { minute: 'a minute', hour: 'an hour' } as const
