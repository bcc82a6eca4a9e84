import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { defaultPageSize } from '../cursor/page.ts'
import { isIntrospection } from './introspection.ts'
import type { Limits } from './limits.ts'

/**
 * An estimate of how many values an answer holds: every field is 1, and what stands in a list counts as often as the
 * list is long. A list's length is what `first`, `last` or `limit` ask for, or how many records are named; for a
 * connection that is the length of its `edges`. Sizes given by variables are known only with the request, so the estimate is
 * a function of them. An object of which only an interface is known (`node`) is looked for in a list of each type. Introspection has a bound of its own and counts nothing here: see introspection.ts.
 */
export type Complexity = (variables: Readonly<Record<string, unknown>>) => number

/** They say how long a list is by their value, or by how many values they hold. */
const sizeArguments = ['first', 'last', 'limit', 'representations', 'ids', 'skus'] as const

type Sizes = Pick<Limits, 'assumedListSize'>

/** The estimate of a valid operation, compiled once per document. */
export function complexityOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  sizes: Sizes,
): Complexity {
  const root = schema.getRootType(operation.operation)
  if (!root) return () => 0
  const estimate = new Estimate(schema, fragments, sizes)
  const part = estimate.ofSelections(root, operation.selectionSet, null)
  if (estimate.dependsOnVariables) return (variables) => part(evaluationOf(variables))
  const always = part(evaluationOf({}))
  return () => always
}

/** One estimation. What a fragment comes to is remembered, or fragments that spread fragments were exponential. */
interface Evaluation {
  readonly variables: Readonly<Record<string, unknown>>
  readonly fragments: Map<Part, number>
}

const evaluationOf = (variables: Evaluation['variables']): Evaluation => ({ variables, fragments: new Map() })

type Part = (evaluation: Evaluation) => number

/** How long a list is; undefined where nothing says it. */
type Size = (evaluation: Evaluation) => number | undefined

class Estimate {
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #sizes: Sizes
  // By the page that a fragment is spread in (one for all spread outside of a connection), then by name.
  readonly #compiledFragments = new Map<Size | null, Map<string, Part>>()
  // One for a field, however often the fragment is compiled that has it: fragments that spread others in two fields were exponential.
  readonly #pageSizes = new Map<FieldNode, Size | null>()
  dependsOnVariables = false

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, sizes: Sizes) {
    this.#schema = schema
    this.#fragments = fragments
    this.#sizes = sizes
  }

  /** @param pageSize how long the `edges` of the connection are whose selections these are */
  ofSelections(type: GraphQLCompositeType, { selections }: SelectionSetNode, pageSize: Size | null): Part {
    const parts = selections.map((selection): Part => {
      switch (selection.kind) {
        case Kind.FIELD:
          return this.#ofField(type, selection, pageSize)
        case Kind.INLINE_FRAGMENT:
          return this.ofSelections(
            this.#typeNamed(selection.typeCondition?.name.value) ?? type,
            selection.selectionSet,
            pageSize,
          )
        case Kind.FRAGMENT_SPREAD:
          return this.#ofFragment(selection.name.value, pageSize)
      }
    })
    return sum(parts)
  }

  #ofField(parent: GraphQLCompositeType, node: FieldNode, pageSize: Size | null): Part {
    if (isIntrospection(node)) return constant(0)
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    const type = field && getNamedType(field.type)
    if (!field || !node.selectionSet || !isCompositeType(type)) return one
    const lists = this.#listsOf(type, node.selectionSet)
    if (!isListType(getNullableType(field.type))) {
      const inside = this.ofSelections(type, node.selectionSet, this.#pageSizeOf(type, field, node))
      return (evaluation) => 1 + lists + inside(evaluation)
    }
    const { assumedListSize } = this.#sizes
    const asked = this.#sizeAskedFor(field, node)
    const size: Part = (evaluation) => asked?.(evaluation) ?? pageSize?.(evaluation) ?? assumedListSize
    const inside = this.ofSelections(type, node.selectionSet, null)
    return (evaluation) => 1 + lists + size(evaluation) * (1 + inside(evaluation))
  }

  /** What it takes to look for an object of which only an interface is known: in each of its types, unless fragments name some. */
  #listsOf(type: GraphQLCompositeType, selectionSet: SelectionSetNode): number {
    if (!isInterfaceType(type) || this.#namesType(selectionSet)) return 0
    return this.#schema.getPossibleTypes(type).length * defaultPageSize
  }

  #namesType({ selections }: SelectionSetNode, spread = new Set<string>()): boolean {
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return false
      const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined
      if (name !== undefined && spread.has(name)) return false
      if (name !== undefined) spread.add(name)
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection
      if (fragment === undefined) return false
      return (
        isObjectType(this.#typeNamed(fragment.typeCondition?.name.value)) ||
        this.#namesType(fragment.selectionSet, spread)
      )
    })
  }

  /** How long the lists in an object are: the page of a connection, or what a field says of them; null: nothing says it. */
  #pageSizeOf(
    type: GraphQLCompositeType,
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
  ): Size | null {
    const known = this.#pageSizes.get(node)
    if (known !== undefined) return known
    const asked = this.#sizeAskedFor(field, node)
    const size: Size | null = isConnection(type)
      ? (evaluation) => asked?.(evaluation) ?? defaultPageSize
      : asked
    this.#pageSizes.set(node, size)
    return size
  }

  #ofFragment(name: string, pageSize: Size | null): Part {
    const fragment = this.#fragments.get(name)
    const type = fragment && this.#typeNamed(fragment.typeCondition.name.value)
    if (!fragment || !type) return constant(0)
    let compiled = this.#compiledFragments.get(pageSize)
    if (!compiled) this.#compiledFragments.set(pageSize, (compiled = new Map<string, Part>()))
    const known = compiled.get(name)
    if (known) return known
    const inside = this.ofSelections(type, fragment.selectionSet, pageSize)
    const part: Part = (evaluation) => {
      const value = evaluation.fragments.get(part) ?? inside(evaluation)
      evaluation.fragments.set(part, value)
      return value
    }
    compiled.set(name, part)
    return part
  }

  /** What the field's arguments ask for: the first that says a size, as an argument that is null says none. Null: none can. */
  #sizeAskedFor(field: GraphQLField<unknown, unknown>, node: FieldNode): Size | null {
    const asking = sizeArguments.flatMap((name) => {
      if (!field.args.some((argument) => argument.name === name)) return []
      const value = node.arguments?.find((argument) => argument.name.value === name)?.value
      return value ? [this.#sizeSaidBy(value)] : []
    })
    if (asking.length === 0) return null
    return (evaluation) => {
      for (const size of asking) {
        const said = size(evaluation)
        if (said !== undefined) return said
      }
      return undefined
    }
  }

  #sizeSaidBy(value: ValueNode): Size {
    if (value.kind !== Kind.VARIABLE) {
      const size = sizeFrom(valueFromASTUntyped(value))
      return () => size
    }
    const variable = value.name.value
    this.dependsOnVariables = true
    return ({ variables }) => sizeFrom(variables[variable])
  }

  #typeNamed(name: string | undefined): GraphQLCompositeType | undefined {
    const type = name === undefined ? undefined : this.#schema.getType(name)
    return isCompositeType(type) ? type : undefined
  }
}

// A size that can't be one (negative) is refused by the planner; here it just must not make the sum smaller.
function sizeFrom(value: unknown): number | undefined {
  if (value == null) return undefined
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' && value >= 0 ? value : defaultPageSize
}

const isConnection = (type: GraphQLCompositeType): boolean =>
  isObjectType(type) && 'edges' in type.getFields()

const one: Part = () => 1

const constant =
  (value: number): Part =>
  () =>
    value

const sum =
  (parts: readonly Part[]): Part =>
  (evaluation) => {
    let total = 0
    for (const part of parts) total += part(evaluation)
    return total
  }
