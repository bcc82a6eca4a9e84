import type { CheckedOperation, Documents } from './document/documents.ts'
import type { PersistedDocuments } from './document/persisted-documents.ts'
import { readVariables, type Variables } from './document/variables.ts'
import { type CatalogueError, catalogueError } from '@commerce-graph/contract/errors'
import type { GraphQLRequest } from './http/graphql-request.ts'
import { introspectedValuesPerValue } from './limits/introspection.ts'
import type { Limits } from './limits/limits.ts'
import { type FormatFaults, formatFaults } from './mutation/format-faults.ts'
import { checkVariablesSize } from './limits/variables-size.ts'

export type CheckedRequest =
  | {
      readonly kind: 'request'
      readonly operation: CheckedOperation
      readonly variables: Variables
      /** Of the data and the introspection: what the request's rate counts. */
      readonly complexity: number
      /** The faults in a mutation's arguments, for its payload. */
      readonly faults: FormatFaults | undefined
    }
  | { readonly kind: 'refused'; readonly errors: readonly CatalogueError[] }

/** The stages that a request goes through before it is planned, whichever way it came: document -> variables -> limits. */
export function checkRequest(
  {
    documents,
    persistedDocuments,
    limits,
  }: {
    readonly documents: Documents
    readonly persistedDocuments: PersistedDocuments
    readonly limits: Limits
  },
  request: GraphQLRequest,
): CheckedRequest {
  const { operationName, variables: given } = request
  const document = persistedDocuments.textOf(request)
  if (document.kind === 'refused') return { kind: 'refused', errors: [document.error] }
  const checked = documents.check(document.text, operationName)
  if (checked.kind === 'refused') return checked
  persistedDocuments.keep(request)
  const { operation } = checked
  const tooLarge = checkVariablesSize(given, limits)
  if (tooLarge) return { kind: 'refused', errors: [tooLarge] }
  const read = readVariables(operation.variables, given)
  const misshapen = 'errors' in read ? read.misshapen : undefined
  const faults = misshapen && formatFaults(operation.prepared, misshapen.faults)
  if ('errors' in read && !faults) return { kind: 'refused', errors: read.errors }
  const { variables } = 'errors' in read ? (misshapen ?? { variables: {} }) : read
  const values = operation.complexity(variables)
  if (values > limits.complexity) return tooComplex(values, limits.complexity)
  const introspected = operation.introspectedValues(variables)
  if (introspected > limits.introspection) return tooComplex(introspected, limits.introspection)
  const complexity = values + Math.ceil(introspected / introspectedValuesPerValue)
  return { kind: 'request', operation, variables, complexity, faults }
}

const tooComplex = (complexity: number, max: number): CheckedRequest => ({
  kind: 'refused',
  errors: [catalogueError('SVC_GQL_002', { complexity, max }, { field: 'query' })],
})
