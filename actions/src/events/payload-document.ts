import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionSetNode,
} from 'graphql'

export type PayloadDocument =
  | { readonly kind: 'document'; readonly text: string }
  | { readonly kind: 'invalid'; readonly message: string }

/**
 * Makes the document that reads an endpoint's payloads: the selection, on the records that a variable refers to.
 *
 * @param query a selection set `{ id total }`, or a query of it; with fragments, if there are any
 * @param types the types of the records that the endpoint's topics are about. A selection of fields is made on each of them
 */
export function payloadDocument(query: string, types: readonly string[]): PayloadDocument {
  const parsed = parsedOf(query)
  if (typeof parsed === 'string') return { kind: 'invalid', message: parsed }
  const operations = parsed.definitions.filter(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  )
  const fragments = parsed.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  const [operation] = operations
  if (
    operation === undefined ||
    operations.length > 1 ||
    operations.length + fragments.length < parsed.definitions.length
  )
    return { kind: 'invalid', message: 'One selection is needed, like { id total }' }
  if (operation.operation !== OperationTypeNode.QUERY || (operation.variableDefinitions ?? []).length > 0)
    return { kind: 'invalid', message: 'The selection is a query without variables' }
  const selection = onEach(operation.selectionSet, types)
  return {
    kind: 'document',
    text: [
      `query Webhook($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`,
      ...fragments.map(print),
    ].join('\n'),
  }
}

function parsedOf(query: string): DocumentNode | string {
  try {
    return parse(query, { noLocation: true, maxLexicalTokens: 2_500 })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Fragments say themselves which type they are on. */
function onEach(selectionSet: SelectionSetNode, types: readonly string[]): string {
  const hasField = selectionSet.selections.some(({ kind }) => kind === Kind.FIELD)
  if (!hasField) return selectionSet.selections.map(print).join(' ')
  return types.map((type) => `... on ${type} ${print(selectionSet)}`).join(' ')
}
