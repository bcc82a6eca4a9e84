import { actorOf, type Principal } from '@commerce-graph/auth-webhook'
import type { CatalogueError } from '@commerce-graph/contract/errors'
import { Kind } from 'graphql'
import type { CheckedOperation } from './document/documents.ts'
import type { EndpointParts } from './endpoint-parts.ts'

/**
 * Records a refused operation in the merchant's audit log.
 *
 * @param operation undefined: the document was not read yet
 */
export function recordRefusal(
  { authenticator: { audit } }: Pick<EndpointParts, 'authenticator'>,
  { principal, clientAddress, requestId }: Caller,
  operation: CheckedOperation | undefined,
  errors: readonly CatalogueError[],
): void {
  const error = errors.find(({ status }) => status === 401 || status === 403 || status === 429)
  if (error === undefined) return
  audit.refused({
    actor: actorOf(principal),
    code: error.id,
    clientAddress,
    requestId,
    source: 'CONTRACT',
    operation: operation === undefined ? null : rootFieldsOf(operation),
  })
}

export interface Caller {
  readonly principal: Principal
  readonly clientAddress: string | null
  readonly requestId: string
}

const rootFieldsOf = ({ prepared: { operation } }: CheckedOperation): string =>
  operation.selectionSet.selections
    .map((selection) => (selection.kind === Kind.FIELD ? selection.name.value : '…'))
    .join(', ')
