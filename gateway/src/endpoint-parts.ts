import { loadContract } from '@commerce-graph/contract'
import { Documents } from './document/documents.ts'
import type { EndpointParts } from './graphql-endpoint.ts'
import { QueryPlans } from './plan/query-plans.ts'
import { projections } from './projection/projections.ts'

/** The parts of an endpoint that the caller doesn't give: the contract, and empty caches. */
export function endpointParts(
  given: Pick<
    EndpointParts,
    'dataLayer' | 'authenticator' | 'rateLimits' | 'limits' | 'logger' | 'observe' | 'slowMilliseconds'
  >,
): EndpointParts {
  const contract = loadContract()
  return {
    ...given,
    contract,
    projections,
    documents: new Documents(contract.schema, given.limits),
    plans: new QueryPlans(contract, projections),
  }
}
