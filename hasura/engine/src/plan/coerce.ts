import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  Kind,
  type StringValueNode,
  type ValueNode,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql'
import { jsonTypeOf } from '../exact-json.ts'
import { canonicalName } from '../schema/naming.ts'
import { isBoundAsList } from '../schema/postgres-type.ts'
import type { ParameterSource } from '../sql/parameter.ts'
import { encodingAt, leaf, literalLeaf } from './coerce-leaf.ts'
import type { InputPlace, Origin } from './input-place.ts'
import type { InputValue, JsonValue, ObjectValue } from './input-value.ts'
import { describeJson, describeNode, enumeration, expectation, mismatch } from './mismatch.ts'
import { RequestError } from './request-error.ts'
import { type Variables, variableAt } from './variables.ts'

/** The place of a list's items, which may be null if their type allows it. */
const itemOf = ({ extensions: { holds } }: InputPlace, type: GraphQLInputType): InputPlace => ({
  type,
  extensions: holds === undefined ? {} : { holds: 'column-value' },
})

/**
 * Checks a value of the document against its place. Undefined means a variable that was not given, which counts as an
 * absent argument or field. Throws RequestError.
 */
export function coerceNode(
  node: ValueNode,
  place: InputPlace,
  variables: Variables,
  path: string,
): InputValue | undefined {
  const { type } = place
  if (node.kind === Kind.VARIABLE) {
    const value = variableAt(variables, node.name.value, type, path, place.defaultValue !== undefined)
    if (value === undefined) return undefined
    const origin: Origin = variables.given.has(node.name.value)
      ? { kind: 'variable', path: [node.name.value] }
      : { kind: 'constant' }
    return coerceJson(value, place, origin, path)
  }
  if (node.kind === Kind.NULL) return nullValue(place, path)
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const scalars: GraphQLList<GraphQLInputType> = nullable
    const item = itemOf(place, scalars.ofType)
    // In GraphQL a single value stands for a list of one.
    if (node.kind !== Kind.LIST)
      return isArrayLiteral(node, scalars)
        ? constantLeaf(node.value, scalars, path)
        : listOf([coerceNode(node, item, variables, `${path}[0]`)], path)
    return listOf(
      node.values.map((value, index) => coerceNode(value, item, variables, `${path}[${index}]`)),
      path,
    )
  }
  if (isInputObjectType(nullable)) {
    if (node.kind !== Kind.OBJECT) throw mismatch('an object', nullable.name, describeNode(node), path)
    const given = new Map(
      node.fields.map(
        ({ name, value }): [string, (field: InputPlace, at: string) => InputValue | undefined] => [
          name.value,
          (field, at) => coerceNode(value, field, variables, at),
        ],
      ),
    )
    return coerceObject(given, nullable, path)
  }
  if (isEnumType(nullable)) {
    if (node.kind !== Kind.ENUM) throw mismatch('an enum value', nullable.name, describeNode(node), path)
    return enumValue(node.value, nullable, path)
  }
  if (isScalarType(nullable)) return literalLeaf(node, nullable, place, variables, path)
  throw new Error(`${String(type)} is no input type`)
}

/** Checks a value that is JSON already: a variable's value, or a default of the schema. Throws RequestError. */
function coerceJson(value: JsonValue, place: InputPlace, origin: Origin, path: string): InputValue {
  const { type } = place
  if (value === null) return nullValue(place, path)
  const nullable = getNullableType(type)
  if (isListType(nullable)) return coerceJsonList(value, nullable, place, origin, path)
  if (isInputObjectType(nullable)) {
    if (!isJsonObject(value)) throw mismatch('an object', nullable.name, describeJson(value, origin), path)
    const given = new Map(
      Object.entries(value).map(([key, member]): [string, (field: InputPlace, at: string) => InputValue] => [
        key,
        (field, at) => coerceJson(member, field, within(origin, key), at),
      ]),
    )
    return coerceObject(given, nullable, path)
  }
  if (isEnumType(nullable)) {
    if (typeof value !== 'string')
      throw mismatch('an enum value', nullable.name, describeJson(value, origin), path)
    return enumValue(value, nullable, path)
  }
  if (isScalarType(nullable)) return leaf(value, nullable.name, encodingAt(place, nullable), origin, path)
  throw new Error(`${String(type)} is no input type`)
}

function coerceJsonList(
  value: JsonValue,
  type: GraphQLList<GraphQLInputType>,
  place: InputPlace,
  origin: Origin,
  path: string,
): InputValue {
  const item = getNullableType(type.ofType)
  if (!Array.isArray(value)) {
    // Postgres's own notation of an array, as in `"{a,b}"`.
    if (isScalarType(item) && typeof value === 'string' && value.startsWith('{'))
      return leaf(value, `[${item.name}]`, 'any', origin, path)
    return listOf([coerceJson(value, itemOf(place, type.ofType), origin, `${path}[0]`)], path)
  }
  const items = (value as readonly JsonValue[]).map((member, index) =>
    coerceJson(member, itemOf(place, type.ofType), within(origin, index), `${path}[${index}]`),
  )
  const encoding = isScalarType(item) ? encodingAt(place, item) : 'string'
  const source: ParameterSource | undefined =
    origin.kind === 'variable' && (isPlainEnum(item) || (isScalarType(item) && isBoundAsList(item.name)))
      ? { kind: 'variable', path: origin.path, encoding: { scalar: encoding, list: true } }
      : undefined
  return { kind: 'list', items, source, path }
}

/** Whether clients write the enum's values as the database has them. */
const isPlainEnum = (type: GraphQLInputType): boolean =>
  isEnumType(type) && type.getValues().every((value) => canonicalName(value) === value.name)

const within = (origin: Origin, key: string | number): Origin =>
  origin.kind === 'constant' ? origin : { kind: 'variable', path: [...origin.path, key] }

function coerceObject(
  given: ReadonlyMap<string, (field: InputPlace, path: string) => InputValue | undefined>,
  type: GraphQLInputObjectType,
  path: string,
): ObjectValue {
  const known = type.getFields()
  const fields = new Map<string, InputValue>()
  for (const [name, coerce] of given) {
    const field = known[name]
    if (field === undefined)
      throw new RequestError(`field "${name}" not found in type: '${type.name}'`, `${path}.${name}`)
    const value = coerce(field, `${path}.${name}`)
    if (value !== undefined) fields.set(canonicalName(field), value)
  }
  for (const field of Object.values(known)) {
    const { name, defaultValue } = field
    if (fields.has(canonicalName(field))) continue
    if (defaultValue !== undefined)
      fields.set(
        canonicalName(field),
        coerceJson(defaultValue as JsonValue, field, { kind: 'constant' }, `${path}.${name}`),
      )
    else if (isNonNullType(field.type)) throw new RequestError(`missing required field "${name}"`, path)
  }
  return { kind: 'object', fields, path }
}

function nullValue(place: InputPlace, path: string): InputValue {
  if (isNonNullType(place.type) || place.extensions.refusesNull === true) throw refusedNull(place, path)
  return { kind: 'null', path }
}

function refusedNull({ type, extensions }: InputPlace, path: string): RequestError {
  const nullable = getNullableType(type)
  if (isInputObjectType(nullable)) return mismatch('an object', nullable.name, 'null', path)
  if (isEnumType(nullable)) return mismatch('an enum value', nullable.name, 'null', path)
  // A column's array is one value of the database, although it is a list in GraphQL.
  if (extensions.holds === 'column-value')
    return new RequestError(`unexpected null value for type '${getNamedType(type).name}'`, path)
  return isScalarType(nullable)
    ? mismatch(expectation(nullable.name), nullable.name, 'null', path)
    : new RequestError('expected a list, but found null', path)
}

const listOf = (items: readonly (InputValue | undefined)[], path: string): InputValue => ({
  kind: 'list',
  items: items.filter((item) => item !== undefined),
  source: undefined,
  path,
})

function enumValue(value: string, type: GraphQLEnumType, path: string): InputValue {
  const known = type.getValue(value)
  if (known != null) return { kind: 'enum', value: canonicalName(known), path }
  const values = type.getValues().map(({ name }) => name)
  throw new RequestError(
    `expected ${enumeration(values)} for type "${type.name}", but found "${value}"`,
    path,
  )
}

const isArrayLiteral = (node: ValueNode, type: GraphQLList<GraphQLInputType>): node is StringValueNode =>
  node.kind === Kind.STRING && node.value.startsWith('{') && isScalarType(getNullableType(type.ofType))

const constantLeaf = (value: JsonValue, type: GraphQLList<GraphQLInputType>, path: string): InputValue =>
  leaf(value, String(type), 'any', { kind: 'constant' }, path)

const isJsonObject = (value: JsonValue): value is { readonly [key: string]: JsonValue } =>
  jsonTypeOf(value) === 'object' && value !== null && !Array.isArray(value)
