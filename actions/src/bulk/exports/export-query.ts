import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionSetNode,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type ColumnType, columnsOf, mostColumns } from './columns.ts'

/** A query of one connection, as an export reads it page by page. */
export interface ExportQuery {
  /** The name of the field of Query, such as `orders`. */
  readonly field: string
  /** A document with the variables `first`, `after` and `counted`; its field `rows` is the connection. */
  readonly page: string
  readonly columns: readonly ColumnType[]
}

export type ReadQuery =
  | { readonly kind: 'query'; readonly query: ExportQuery }
  | { readonly kind: 'refused'; readonly reason: string }

const refused = (reason: string): ReadQuery => ({ kind: 'refused', reason })

/** The export walks the pages itself. */
const pageArguments = ['first', 'after', 'last', 'before', 'limit']

/**
 * Reads the document of an export: one query without variables, of one connection, with `edges { node { … } }` or
 * `nodes { … }`. Inside of the records are objects and lists, and no further connection.
 */
export function readExportQuery(schema: GraphQLSchema, text: string): ReadQuery {
  const document = parsed(text)
  if (typeof document === 'string') return refused(document)
  const [fault] = validate(schema, document, specifiedRules, { maxErrors: 1 })
  if (fault !== undefined) return refused(fault.message)
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (operation === undefined || operations.length > 1) return refused('The document must have one operation')
  if (operation.operation !== OperationTypeNode.QUERY) return refused('The operation must be a query')
  if ((operation.variableDefinitions?.length ?? 0) > 0)
    return refused('The query can not have variables: write their values into it')
  return readOperation(schema, document, operation)
}

function parsed(text: string): DocumentNode | string {
  try {
    return parse(text, { noLocation: true, maxLexicalTokens: 2_000 })
  } catch (error) {
    return error instanceof Error ? error.message : 'The document can not be read'
  }
}

function readOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet, directives = [] }: OperationDefinitionNode,
): ReadQuery {
  const [root] = selectionSet.selections
  if (root?.kind !== Kind.FIELD || selectionSet.selections.length > 1 || directives.length > 0)
    return refused('The query must have one field, which is a connection')
  const definition = schema.getQueryType()?.getFields()[root.name.value]
  const type = definition && getNamedType(definition.type)
  if (!definition || !isObjectType(type) || !isConnection(type))
    return refused(`${root.name.value} is not a connection`)
  const paging = root.arguments?.find(({ name }) => pageArguments.includes(name.value))
  if (paging !== undefined) return refused(`The export sets ${paging.name.value} itself`)
  if ((root.directives?.length ?? 0) > 0) return refused(`${root.name.value} can not have directives`)
  const records = recordsOf(type, root)
  if (records === null)
    return refused(`Select of ${root.name.value} only edges { node { … } }, or only nodes { … }`)
  const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  const nested = nestedConnection(schema, records, fragments)
  if (nested !== null) return refused(`${nested} is a connection inside of the records: export it by itself`)
  const columns = columnsOf(schema, records.typeName, records.selectionSet, fragments)
  if (columns === null) return refused(`The records have more than ${mostColumns} values: select fewer`)
  const page = pageDocument(root, definition, records.selectionSet, fragments)
  return { kind: 'query', query: { field: root.name.value, page, columns } }
}

function isConnection(type: GraphQLObjectType): boolean {
  const fields = type.getFields()
  return 'edges' in fields && 'nodes' in fields && 'pageInfo' in fields
}

interface Records {
  /** The type of a record. */
  readonly typeName: string
  readonly selectionSet: SelectionSetNode
}

/** The selection on the records, if it is the only one. */
function recordsOf(connection: GraphQLObjectType, root: FieldNode): Records | null {
  const only = onlyField(root)
  const nodes = connection.getFields()['nodes']
  const type = nodes && getNamedType(nodes.type)
  if (only === null || !isObjectType(type)) return null
  const node = only.name.value === 'edges' ? onlyField(only) : only
  const expected = only.name.value === 'edges' ? 'node' : 'nodes'
  if (node?.name.value !== expected || node.selectionSet === undefined) return null
  return { typeName: type.name, selectionSet: node.selectionSet }
}

function onlyField({ selectionSet }: FieldNode): FieldNode | null {
  const [only, ...others] = selectionSet?.selections ?? []
  const plain = only?.kind === Kind.FIELD && (only.directives?.length ?? 0) === 0
  return plain && others.length === 0 ? only : null
}

function nestedConnection(
  schema: GraphQLSchema,
  { typeName, selectionSet }: Records,
  fragments: readonly FragmentDefinitionNode[],
): string | null {
  let found: string | null = null
  const look = (node: SelectionSetNode | FragmentDefinitionNode, info: TypeInfo): void => {
    visit(
      node,
      visitWithTypeInfo(info, {
        Field() {
          const field = info.getFieldDef()
          const named = field && getNamedType(field.type)
          if (isObjectType(named) && isConnection(named)) found ??= field?.name ?? null
        },
      }),
    )
  }
  look(selectionSet, new TypeInfo(schema, schema.getType(typeName)))
  for (const fragment of fragments) look(fragment, new TypeInfo(schema))
  return found
}

/**
 * Rows are read from the latest to the oldest, by when they were created, unless the query sorts them: a row that
 * comes during the export is in front of the first page, so no page moves.
 */
function sorting(
  { arguments: given = [] }: FieldNode,
  { args }: GraphQLField<unknown, unknown>,
): ArgumentNode[] {
  const sortBy = args.find(({ name }) => name === 'sortBy')
  const type = sortBy && getNullableType(sortBy.type)
  const sorted = given.some(({ name }) => name.value === 'sortBy' || name.value === 'sortOrder')
  if (sorted || !isEnumType(type) || type.getValue('CREATED_AT') === undefined) return []
  return [enumArgument('sortBy', 'CREATED_AT'), enumArgument('sortOrder', 'DESC')]
}

const enumArgument = (name: string, value: string): ArgumentNode => ({
  kind: Kind.ARGUMENT,
  name: { kind: Kind.NAME, value: name },
  value: { kind: Kind.ENUM, value },
})

function pageDocument(
  root: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  selectionSet: SelectionSetNode,
  fragments: readonly FragmentDefinitionNode[],
): string {
  const given = [...(root.arguments ?? []), ...sorting(root, definition)].map((argument) => print(argument))
  const all = [...given, 'first: $first', 'after: $after'].join(', ')
  const wrapped = `query Export($first: Int!, $after: String, $counted: Boolean!) {
  rows: ${root.name.value}(${all}) {
    totalCount @include(if: $counted)
    pageInfo { hasNextPage endCursor }
    nodes ${print(selectionSet)}
  }
}`
  return [wrapped, ...fragments.map((fragment) => print(fragment))].join('\n')
}
