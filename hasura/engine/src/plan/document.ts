import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  parse,
} from 'graphql'
import { RequestError } from './request-error.ts'

/** A document and the operation that the request names. */
export interface Operation {
  readonly document: DocumentNode
  readonly definition: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

const maxLexicalTokens = 50_000

/** Parses a document and selects its operation. Throws RequestError in Hasura's words. */
export function parseOperation(query: string, operationName: string | undefined): Operation {
  const document = parsed(query)
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  )
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  const definition = chooseOperation(operations, operationName)
  refuseCycles(definition, fragments)
  return { document, definition, fragments }
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { noLocation: true, maxLexicalTokens })
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestError('not a valid graphql query', '$.query')
    throw error
  }
}

/** `{ … }` without the word `query`, which Hasura calls anonymous. */
const isSelectionAlone = ({ name, operation, directives, variableDefinitions }: OperationDefinitionNode) =>
  name === undefined &&
  operation === OperationTypeNode.QUERY &&
  (directives ?? []).length === 0 &&
  (variableDefinitions ?? []).length === 0

function chooseOperation(
  operations: readonly OperationDefinitionNode[],
  operationName: string | undefined,
): OperationDefinitionNode {
  if (operationName === undefined) {
    const [only] = operations
    if (only !== undefined && operations.length === 1) return only
    throw new RequestError(
      'exactly one operation has to be present in the document when operationName is not specified',
      '$',
    )
  }
  if (operations.some(isSelectionAlone))
    throw new RequestError(
      'operationName cannot be used when an anonymous operation exists in the document',
      '$',
    )
  const found = operations.find(({ name }) => name?.value === operationName)
  if (found === undefined)
    throw new RequestError(`no such operation found in the document: "${operationName}"`, '$')
  return found
}

/** A fragment that spreads itself would never end. The error's path leads into the cycle. */
function refuseCycles(
  definition: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): void {
  const acyclic = new Set<string>()
  const visit = ({ selections }: SelectionSetNode, path: string, open: readonly string[]): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet !== undefined)
          visit(selection.selectionSet, `${path}.${selection.name.value}.selectionSet`, open)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, path, open)
      else {
        const name = selection.name.value
        if (open.includes(name)) throw new RequestError(cycleMessage(open.slice(open.indexOf(name))), path)
        const fragment = fragments.get(name)
        if (fragment === undefined || acyclic.has(name)) continue
        visit(fragment.selectionSet, `${path}.${name}.selectionSet`, [...open, name])
        acyclic.add(name)
      }
    }
  }
  visit(definition.selectionSet, '$.selectionSet', [])
}

const cycleMessage = (names: readonly string[]): string =>
  `the fragment definition(s) ${enumerated(names)} form a cycle`

const enumerated = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
