import { actorOf, type Principal } from '@commerce-graph/auth-webhook'
import {
  type Attempt,
  type AuditTrail,
  type Origin,
  type Outcome as AuditedOutcome,
  targetIdsOf,
} from '@commerce-graph/audit'
import type { PlannedCall } from './plan-mutation.ts'

/** Where a request came from, and the log of mutations that came to nothing. */
export interface AuditedRequest extends Origin {
  readonly trail: Pick<AuditTrail, 'record'>
  /** The client's name for its operation. */
  readonly operationName: string | null
}

/** The session variables from which the database and the actions take the caller for the audit log. */
export function auditVariables(
  audit: AuditedRequest | undefined,
  { field }: PlannedCall,
): Readonly<Record<string, string>> {
  if (audit === undefined) return {}
  const { clientAddress, requestId, operationName } = audit
  return {
    'x-hasura-root-field': field.name,
    ...(clientAddress !== null && { 'x-hasura-client-address': clientAddress }),
    ...(requestId !== null && { 'x-hasura-request-id': requestId }),
    ...(operationName !== null && { 'x-hasura-operation-name': operationName.slice(0, maxName) }),
  }
}

/** Writes down a mutation of rows that changed nothing. The others are written down where they are done. */
export function recordFailure(
  { audit, principal }: { readonly audit?: AuditedRequest; readonly principal: Principal },
  { field, args }: PlannedCall,
  { outcome, codes }: Pick<AuditedOutcome, 'outcome' | 'codes'>,
): void {
  if (audit === undefined) return
  const { trail, clientAddress, requestId, source, operationName } = audit
  const origin = { clientAddress, requestId, source }
  const attempt: Attempt = { ...actorOf(principal), ...origin, operationName, operation: field.name }
  trail.record(attempt, { outcome, codes, targetIds: targetIdsOf(args) })
}

/** Headers have a bound, and so has the log. */
const maxName = 200
