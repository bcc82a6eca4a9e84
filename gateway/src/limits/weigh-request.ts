import type { RateHolder } from '@commerce-graph/auth-webhook'
import type { Admission, RateLimits } from '@commerce-graph/rate-limits'
import type { CatalogueError } from '@commerce-graph/contract/errors'
import { rateExceeded, tooHeavy } from './rate-exceeded.ts'

export type Weighed =
  | { readonly kind: 'admitted'; readonly fields: Extract<Admission, { kind: 'admitted' }>['fields'] }
  | {
      readonly kind: 'refused'
      readonly error: CatalogueError
      readonly fields: Extract<Admission, { kind: 'admitted' }>['fields']
    }

/**
 * Counts a request, which was admitted as one before it was read, for as many as its complexity makes of it. One that is refused
 * counts for nothing.
 */
export async function weighRequest(
  rateLimits: RateLimits,
  holder: RateHolder,
  admitted: Extract<Admission, { kind: 'admitted' }>,
  complexity: number,
): Promise<Weighed> {
  const weight = rateLimits.weightOf(complexity)
  if (weight === 1) return admitted
  const heaviest = rateLimits.heaviest(holder)
  if (complexity > heaviest)
    return { kind: 'refused', error: tooHeavy(complexity, heaviest), fields: admitted.fields }
  const rest = await rateLimits.admit(holder, { weight, counted: 1 })
  if (rest.kind === 'admitted') return rest
  admitted.takeBack()
  return { kind: 'refused', error: rateExceeded(rest), fields: rest.fields }
}
