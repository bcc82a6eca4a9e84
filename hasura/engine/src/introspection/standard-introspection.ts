import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionOptions,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { gunzipSync, gzipSync } from 'node:zlib'

/** How many answers are cached as they are sent. The others are cached compressed, a twelfth of the size. */
const keptUncompressed = 4

/**
 * The introspection query of graphql-js (`getIntrospectionQuery`), with any of its options, which GraphiQL, code
 * generators and clients send. Each combination of options is executed once in the process; its bytes are cached.
 */
export class StandardIntrospection {
  readonly #schema: GraphQLSchema
  readonly #compressed = new Map<string, Buffer>()
  readonly #recent = new LRUCache<string, Buffer>({ max: keptUncompressed })

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  /** @returns a function to the JSON text under `__schema`; undefined when the document is not the standard query */
  find(document: DocumentNode, operation: OperationDefinitionNode): (() => Buffer) | undefined {
    const query = standardQueryLike(document, operation)
    return query === undefined ? undefined : () => this.#read(query)
  }

  #read(query: string): Buffer {
    const recent = this.#recent.get(query)
    if (recent) return recent
    const compressed = this.#compressed.get(query)
    const json = compressed ? gunzipSync(compressed) : this.#execute(query)
    this.#recent.set(query, json)
    if (!compressed) this.#compressed.set(query, gzipSync(json))
    return json
  }

  #execute(query: string): Buffer {
    const { data, errors } = executeSync({ schema: this.#schema, document: parse(query) })
    if (errors?.[0]) throw errors[0]
    return Buffer.from(JSON.stringify(data?.['__schema']))
  }
}

/**
 * The text of the standard query that selects the same as the document, in any order and layout; undefined when none
 * does.
 */
function standardQueryLike(document: DocumentNode, operation: OperationDefinitionNode): string | undefined {
  if (operation.operation !== OperationTypeNode.QUERY || !selectsSchemaAlone(operation)) return undefined
  const query = queryWith(optionsOf(document, operation), hasRootKinds(document))
  const shape = shapeOf(document)
  return shape !== undefined && shape === shapeOf(parse(query)) ? query : undefined
}

const selectsSchemaAlone = ({
  selectionSet: { selections },
  variableDefinitions,
  directives,
}: OperationDefinitionNode) =>
  selections.length === 1 &&
  selections[0]?.kind === Kind.FIELD &&
  selections[0].name.value === '__schema' &&
  !variableDefinitions?.length &&
  !directives?.length

/** The options with which graphql-js could have written the document. */
function optionsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): IntrospectionOptions {
  const names = new Set<string>()
  let inputValueDeprecation = false
  let directiveDeprecation = false
  visit(document, {
    Field: ({ name: { value }, arguments: given }) => {
      names.add(value)
      if (value === 'inputFields' && given?.length) inputValueDeprecation = true
      if (value === 'directives' && given?.length) directiveDeprecation = true
    },
  })
  const [schema] = selectionSet.selections as readonly [FieldNode]
  const ofSchema = schema.selectionSet?.selections ?? []
  return {
    descriptions: names.has('description'),
    specifiedByUrl: names.has('specifiedByURL'),
    directiveIsRepeatable: names.has('isRepeatable'),
    schemaDescription: ofSchema.some((node) => node.kind === Kind.FIELD && node.name.value === 'description'),
    inputValueDeprecation,
    experimentalDirectiveDeprecation: directiveDeprecation,
    oneOf: names.has('isOneOf'),
  }
}

/** Earlier releases of graphql-js select only the name of the root types. */
function hasRootKinds(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Field: ({ name, selectionSet }) => {
      if (name.value === 'queryType' && (selectionSet?.selections.length ?? 0) > 1) found = true
    },
  })
  return found
}

function queryWith(options: IntrospectionOptions, rootKinds: boolean): string {
  const query = getIntrospectionQuery(options)
  return rootKinds
    ? query
    : query.replace(/((?:query|mutation|subscription)Type) \{ name kind \}/g, '$1 { name }')
}

/**
 * A text that is equal for documents with the same selections, regardless of layout, fragments and order. Undefined for
 * documents with features that the standard query never has: aliases, directives, inline fragments, a repeated field.
 */
function shapeOf(document: DocumentNode): string | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>()
  let operation: OperationDefinitionNode | undefined
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    else if (definition.kind === Kind.OPERATION_DEFINITION && !operation) operation = definition
    else return undefined
  }
  return operation && new Shapes(fragments).of(operation.selectionSet)?.join(' ')
}

/** The standard query's selections are smaller. The limit stops documents that multiply fragments. */
const maxParts = 20
const maxShapeLength = 20_000

class Shapes {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #known = new Map<string, readonly string[] | undefined>()

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments
  }

  of({ selections }: SelectionSetNode): readonly string[] | undefined {
    const parts: string[] = []
    for (const node of selections) {
      if (node.directives?.length || node.kind === Kind.INLINE_FRAGMENT) return undefined
      const part = node.kind === Kind.FIELD ? this.#ofField(node) : this.#ofFragment(node.name.value)
      if (part === undefined) return undefined
      parts.push(...part)
      if (parts.length > maxParts) return undefined
    }
    return new Set(parts).size === parts.length ? parts.toSorted() : undefined
  }

  #ofFragment(name: string): readonly string[] | undefined {
    if (this.#known.has(name)) return this.#known.get(name)
    const fragment = this.#fragments.get(name)
    const parts = fragment && !fragment.directives?.length ? this.of(fragment.selectionSet) : undefined
    this.#known.set(name, parts)
    return parts
  }

  #ofField(node: FieldNode): readonly string[] | undefined {
    const { alias, name, arguments: given, selectionSet } = node
    if (alias) return undefined
    if (reachesNamedType(node)) return ['ofType']
    const head = `${name.value}(${(given ?? []).map((argument) => print(argument)).join()})`
    if (!selectionSet) return [head]
    const inside = this.of(selectionSet)?.join(' ')
    return inside === undefined || inside.length > maxShapeLength ? undefined : [`${head}{${inside}}`]
  }
}

/**
 * Releases of graphql-js select types to different depths. No type is wrapped as deeply, so all depths have the same
 * answer.
 */
const typeDepths = { min: 7, max: 20 } as const

/** Whether it is `ofType { name kind ofType { name kind … } }`, deep enough. */
function reachesNamedType(node: FieldNode): boolean {
  let depth = 0
  for (let current: FieldNode | undefined = node; current; depth += 1) {
    if (current.name.value !== 'ofType' || current.alias || depth > typeDepths.max) return false
    const inside: readonly FieldNode[] = (current.selectionSet?.selections ?? []).filter(
      (selection) => selection.kind === Kind.FIELD,
    )
    const { length } = current.selectionSet?.selections ?? []
    const names = new Set(
      inside.map(({ name, alias, directives }) => (alias || directives?.length ? '' : name.value)),
    )
    if (!names.has('name') || !names.has('kind') || names.size !== length || length > 3) return false
    current = inside.find(({ name }) => name.value === 'ofType')
    if (current === undefined && length > 2) return false
  }
  return depth >= typeDepths.min
}
