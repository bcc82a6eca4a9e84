import type { Authenticator } from '@commerce-graph/auth-webhook'
import { type Contract, loadContract } from '@commerce-graph/contract'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { Observer } from '@commerce-graph/telemetry'
import type { KeptAnswers } from './answers/kept-answers.ts'
import { Documents } from './document/documents.ts'
import { PersistedDocuments } from './document/persisted-documents.ts'
import { QueryPlans } from './plan/query-plans.ts'
import type { Limits } from './limits/limits.ts'
import { type Projections, projections } from './projection/projections.ts'
import type { ReplicaReads } from './replica/replica-reads.ts'
import type { RequestLog } from './request-log.ts'

export interface EndpointParts extends RequestLog {
  readonly contract: Contract
  readonly projections: Projections
  readonly documents: Documents
  readonly persistedDocuments: PersistedDocuments
  readonly plans: QueryPlans
  readonly authenticator: Pick<Authenticator, 'audit' | 'authenticate' | 'usedKeys'>
  readonly rateLimits: RateLimits
  readonly dataLayer: DataLayer
  readonly limits: Limits
  /** Answers that are kept as long as they are right; absent where none are. */
  readonly keptAnswers?: KeptAnswers | undefined
  /** Which requests a standby of the database may answer; absent where there is none. */
  readonly replicaReads?: ReplicaReads | undefined
  /** Called after each answer; absent where nothing is measured. */
  readonly observe?: Observer['request'] | undefined
}

/** The parts of an endpoint that the caller doesn't give: the contract, and empty caches. */
export function endpointParts(
  given: Pick<
    EndpointParts,
    | 'dataLayer'
    | 'authenticator'
    | 'rateLimits'
    | 'limits'
    | 'logger'
    | 'observe'
    | 'replicaReads'
    | 'keptAnswers'
    | 'slowMilliseconds'
  >,
): EndpointParts {
  const contract = loadContract()
  return {
    ...given,
    contract,
    projections,
    documents: new Documents(contract.schema, given.limits),
    persistedDocuments: new PersistedDocuments(given.limits),
    plans: new QueryPlans(contract, projections),
  }
}
