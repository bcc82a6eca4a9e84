import {
  type ExecutableDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  type TypeNode,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
  visit,
} from 'graphql'
import type { Operation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { inputTypeOf } from '../plan/variables.ts'
import { isBoundAsList } from '../schema/postgres-type.ts'

/**
 * The part of a request's variables that a plan depends on: which are present and which are null, keys, lengths, enum
 * values and booleans. Other leaves are parameters, so requests with the same signature share a plan.
 */
export type Signature = (variables: Readonly<Record<string, JsonValue>>) => string

/** Arguments whose value, and not only its presence, changes the plan, or is checked by planning. */
const structuralArguments: ReadonlySet<string> = new Set([
  'limit',
  'path',
  'first',
  'last',
  'after',
  'before',
  'batch_size',
])

export function createSignature({ definition, fragments }: Operation, schema: GraphQLSchema): Signature {
  const structural = structuralVariables([definition, ...fragments.values()])
  const declared = (definition.variableDefinitions ?? []).map(({ variable, type }) => ({
    name: variable.name.value,
    type: inputTypeOf(type, schema),
    // The plan depends on the table that a node id names.
    structural: structural.has(variable.name.value) || isId(type),
  }))
  if (declared.length === 0) return (variables) => Object.keys(variables).join()
  return (variables) => {
    let signature = String(Object.keys(variables).length)
    for (const { name, type, structural: byValue } of declared) {
      const value = variables[name]
      signature += byValue || type === undefined ? exactly(value) : describe(type, value)
    }
    return signature
  }
}

const isId = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE
    ? isId(type.type)
    : type.kind === Kind.NAMED_TYPE && type.name.value === 'ID'

/** The variables of structural arguments, including those in fragments. */
function structuralVariables(definitions: readonly ExecutableDefinitionNode[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const definition of definitions)
    visit(definition, {
      Argument: ({ name, value }) => {
        if (value.kind === Kind.VARIABLE && structuralArguments.has(name.value)) names.add(value.name.value)
      },
    })
  return names
}

const exactly = (value: JsonValue | undefined): string => (value === undefined ? 'u' : JSON.stringify(value))

function describe(type: GraphQLInputType, value: JsonValue | undefined): string {
  if (value === undefined) return 'u'
  if (value === null) return 'n'
  const nullable = getNullableType(type)
  if (isScalarType(nullable)) return typeof value === 'boolean' ? (value ? 't' : 'f') : 's'
  if (isEnumType(nullable)) return `<${JSON.stringify(value)}>`
  if (isListType(nullable)) return describeList(nullable.ofType, value)
  if (!isInputObjectType(nullable) || typeof value !== 'object' || Array.isArray(value)) return exactly(value)
  const fields = nullable.getFields()
  let text = '{'
  for (const [key, member] of Object.entries(value)) {
    const field = fields[key]
    if (field === undefined) return exactly(value)
    text += `${key}:${describe(field.type, member)}`
  }
  return `${text}}`
}

function describeList(itemType: GraphQLInputType, value: JsonValue): string {
  const item = getNullableType(itemType)
  if (!Array.isArray(value))
    return `(${typeof value === 'string' && value.startsWith('{') ? 'l' : describe(itemType, value)})`
  // A list of scalars is one parameter of any length. Planning refuses null among them, where the type does.
  if (isScalarType(item) && isBoundAsList(item.name)) return value.includes(null) ? 'N' : 'L'
  let text = '['
  for (const member of value as readonly JsonValue[]) text += describe(itemType, member)
  return `${text}]`
}
