import type { DataLayerResult, Operation } from '@commerce-graph/data-layer'
import { type CatalogueError, unexpectedError, withStatus } from '@commerce-graph/contract/errors'
import type { UserError } from '@commerce-graph/contract/input'
import type { QueryContext } from '../query/execute-query.ts'
import type { Row } from '../shape/shape.ts'
import type { Values, Write } from './definition.ts'
import { partVariable } from './idempotency-key.ts'
import { auditVariables } from './mutation-audit.ts'
import type { PlannedCall } from './plan-mutation.ts'

/** The outcome of one mutation. */
export type Outcome =
  /** `refusal` stands beside the data: a declined payment is a record and a failure. */
  | {
      readonly kind: 'done'
      /** Null where the caller may do it but not see it. */
      readonly row: Row | null
      readonly result: Values
      readonly refusal: CatalogueError | null
      /** By an earlier request with the same Idempotency-Key, and not again now. */
      readonly replayed: boolean
    }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }
  | { readonly kind: 'refused'; readonly error: CatalogueError }

/** Runs an operation for the caller, with the facts of the request that the database, the actions and the audit log get. */
export function ask(
  operation: Operation,
  { dataLayer, principal, signal, headers, audit, endClient, idempotencyKey }: QueryContext,
  call: PlannedCall,
  more: Write['session'] = {},
): Promise<DataLayerResult> {
  const session = {
    ...principal.sessionVariables,
    ...auditVariables(audit, call),
    ...partVariable(idempotencyKey),
    ...(endClient?.network !== undefined && { 'x-hasura-client-network': endClient.network }),
    ...(endClient?.device !== undefined && { 'x-hasura-client-device': endClient.device }),
    ...more,
  }
  return dataLayer.execute(operation, session, { ...(signal && { signal }), ...(headers && { headers }) })
}

/** A fault of the platform, which goes into the log. */
export function defect(
  { query }: Operation,
  answer: Exclude<DataLayerResult, { kind: 'data' }>,
  { report }: QueryContext,
): Outcome {
  report({ kind: 'engine', document: query, answer })
  const error = answer.kind === 'unavailable' ? withStatus(unexpectedError(), 503) : unexpectedError()
  return { kind: 'refused', error }
}
