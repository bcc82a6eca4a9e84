import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql'

/** Chooses the value of a leaf by the name of the argument or input field and the name of its type. */
export type LeafValues = (name: string, type: string) => unknown

export interface GeneratedOperation {
  readonly field: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Generates an operation for one root field from the schema alone, so that new fields are tested without a change
 * here. It selects everything `depth` levels down and fills in required arguments, and optional ones as
 * `withOptional` says. A depth of -1 selects only `__typename`.
 */
export function generateOperation(
  kind: 'query' | 'mutation' | 'subscription',
  field: GraphQLField<unknown, unknown>,
  options: {
    readonly depth: number
    readonly leaf: LeafValues
    readonly withOptional: (argument: GraphQLArgument) => boolean
    /** The selection, which replaces the one that `depth` gives. */
    readonly select?: string | undefined
    /**
     * The one field to fill in of optional arguments that are input objects; by default all fields, two levels deep.
     */
    readonly onlyMember?: string
  },
): GeneratedOperation {
  const passed = field.args.filter(
    (argument) => isNonNullType(argument.type) || options.withOptional(argument),
  )
  const variables = Object.fromEntries(
    passed.map((argument) => [
      argument.name,
      options.onlyMember !== undefined && options.withOptional(argument)
        ? memberValue(argument.type, options.onlyMember, options.leaf)
        : inputValue(argument.name, argument.type, options.leaf, 0),
    ]),
  )
  const selected = options.select ?? selection(field.type, options.depth)
  const query = operationText(kind, field.name, passed, selected)
  return { field: field.name, query, variables }
}

/** An operation of one root field with its arguments as variables of the same names. */
export function operationText(
  kind: 'query' | 'mutation' | 'subscription',
  field: string,
  passed: readonly GraphQLArgument[],
  selected: string,
): string {
  const definitions = passed.map(({ name, type }) => `$${name}: ${String(type)}`)
  const passing = passed.map(({ name }) => `${name}: $${name}`)
  return `${kind}${inBrackets(definitions)} { ${field}${inBrackets(passing)}${selected} }`
}

const inBrackets = (items: readonly string[]): string => (items.length === 0 ? '' : `(${items.join(', ')})`)

/** Whether a field can be selected by its name alone. */
export const needsNoArguments = ({ args }: GraphQLField<unknown, unknown>): boolean =>
  args.every(({ type, defaultValue }) => !isNonNullType(type) || defaultValue !== undefined)

/** Hasura also has the largest and smallest UUID, an aggregate that Postgres supports from 18 on. */
const isExtreme = /_(max|min)_fields$/

function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (isUnionType(named) && depth >= 0) {
    const ids = named.getTypes().filter((member) => 'id' in member.getFields())
    return ` { __typename ${ids.map(({ name }) => `... on ${name} { id }`).join(' ')} }`
  }
  if (isInterfaceType(named) || isUnionType(named) || depth < 0) return ' { __typename }'
  if (!isObjectType(named)) throw new Error(`${String(type)} can not be selected`)
  const parts = Object.values(named.getFields())
    .filter(needsNoArguments)
    .filter((child) => depth > 0 || isLeafType(getNamedType(child.type)))
    // The rows of `edges` once more.
    .filter((child) => !(child.name === 'nodes' && 'edges' in named.getFields()))
    .filter((child) => !(isExtreme.test(named.name) && getNamedType(child.type).name === 'uuid'))
    .map((child) => child.name + selection(child.type, depth - 1))
  return ` { __typename ${parts.join(' ')} }`
}

function memberValue(type: GraphQLInputType, member: string, leaf: LeafValues): unknown {
  const nullable = getNullableType(type)
  const field = isInputObjectType(nullable) ? nullable.getFields()[member] : undefined
  if (field === undefined) throw new Error(`${String(type)} has no ${member}`)
  return { [member]: inputValue(member, field.type, leaf, 0) }
}

/** Optional input fields are filled too, two levels deep, because they can hold foreign ids as well. */
function inputValue(name: string, type: GraphQLInputType, leaf: LeafValues, depth: number): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [inputValue(name, nullable.ofType, leaf, depth)]
  if (isEnumType(nullable)) {
    const chosen = leaf(name, nullable.name)
    return (nullable.getValues().find((value) => value.name === chosen) ?? nullable.getValues()[0])?.name
  }
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields()).filter(
      (field) => isNonNullType(field.type) || (depth < 2 && isLeafType(getNamedType(field.type))),
    )
    return Object.fromEntries(
      fields
        .map((field) => [field.name, inputValue(field.name, field.type, leaf, depth + 1)] as const)
        .filter(([, value]) => value !== undefined),
    )
  }
  return leaf(name, getNamedType(nullable).name)
}
