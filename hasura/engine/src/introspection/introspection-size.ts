import {
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

/** A selection of introspection at a root field, in a request. */
export interface Introspection {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Readonly<Record<string, unknown>>
}

/** The most selections visited for each counted value: repeated fragments add no values but take time. */
const stepsPerValue = 10

/**
 * How many values an `__schema` or `__type` answers. They are counted in the schema, not estimated. Counting takes time
 * in proportion to the answer, and ends at the bound.
 *
 * @param max above it, the result is only known to be larger
 */
export function introspectionSize(introspection: Introspection, node: FieldNode, max: number): number {
  const isSchema = node.name.value === SchemaMetaFieldDef.name
  const field = isSchema ? SchemaMetaFieldDef : TypeMetaFieldDef
  const type = getNamedType(field.type)
  if (!isObjectType(type)) return 1
  const counter = new Counter(introspection, max)
  const { schema, variables } = introspection
  const source = isSchema ? schema : schema.getType(String(getArgumentValues(field, node, variables)['name']))
  counter.count(source, { type, group: [node] })
  return counter.values
}

/** The selection at a place of the document, collected once for all values of that place. */
interface Place {
  readonly type: GraphQLObjectType
  readonly group: readonly FieldNode[]
  fields?: readonly PlacedField[]
}

interface PlacedField {
  readonly name: string
  readonly node: FieldNode
  /** Undefined for a scalar. */
  readonly inside: Place | undefined
}

class Counter {
  readonly #introspection: Introspection
  readonly #max: number
  #steps = 0
  values = 0

  constructor(introspection: Introspection, max: number) {
    this.#introspection = introspection
    this.#max = max
  }

  /** Counts a field's value and its selection. */
  count(value: unknown, place: Place | undefined): void {
    this.values += 1
    if (!place || value == null) return
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (Array.isArray(value)) this.values += 1
      for (const field of (place.fields ??= this.#fieldsOf(place))) {
        if (this.#isOver) return
        this.count(this.#resolve(place.type, item, field), field.inside)
      }
    }
  }

  get #isOver(): boolean {
    return this.values > this.#max || this.#steps > this.#max * stepsPerValue
  }

  #fieldsOf({ type, group }: Place): readonly PlacedField[] {
    const groups = new Map<string, FieldNode[]>()
    const visited = new Set<string>()
    for (const { selectionSet } of group) if (selectionSet) this.#collect(type, selectionSet, groups, visited)
    if (this.#isOver) {
      this.values = Math.max(this.values, this.#max + 1)
      return []
    }
    return [...groups.values()].flatMap((fields) => {
      const [node] = fields
      if (!node) return []
      const name = node.name.value
      const definition = type.getFields()[name]
      const inner = definition && getNamedType(definition.type)
      return [{ name, node, inside: isObjectType(inner) ? { type: inner, group: fields } : undefined }]
    })
  }

  /**
   * The fields by response key. Introspection has no abstract types, so a type condition matches the type's own name.
   */
  #collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    groups: Map<string, FieldNode[]>,
    visited: Set<string>,
  ): void {
    for (const selection of selections) {
      this.#steps += 1
      if (!this.#isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const group = groups.get(key)
        if (group) group.push(selection)
        else groups.set(key, [selection])
        continue
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD
      if (isSpread && visited.has(selection.name.value)) continue
      if (isSpread) visited.add(selection.name.value)
      const fragment = isSpread ? this.#introspection.fragments.get(selection.name.value) : selection
      const condition = fragment?.typeCondition?.name.value ?? type.name
      if (fragment && condition === type.name) this.#collect(type, fragment.selectionSet, groups, visited)
    }
  }

  #isIncluded(node: SelectionNode): boolean {
    if (!node.directives?.length) return true
    const { variables } = this.#introspection
    if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false
    return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
  }

  /** A value by graphql-js's own resolvers. A value without a selection counts as one. */
  #resolve(type: GraphQLObjectType, source: unknown, { name, node, inside }: PlacedField): unknown {
    const definition = type.getFields()[name]
    if (!inside || !definition?.resolve) return null
    const { schema, variables } = this.#introspection
    const args = getArgumentValues(definition, node, variables)
    // Introspection's resolvers use nothing but the schema of this parameter.
    return definition.resolve(source, args, undefined, { schema } as unknown as GraphQLResolveInfo)
  }
}
