import {
  type GraphQLEnumType,
  type GraphQLInputFieldExtensions,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLScalarType,
  Kind,
  type ValueNode,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  valueFromASTUntyped,
} from 'graphql'
import { canonicalName } from '../schema/naming.ts'
import { columnEncoding, isBoundAsList, scalarEncoding } from '../schema/postgres-type.ts'
import type { JsonTemplatePart, ParameterSource, ScalarEncoding } from '../sql/parameter.ts'
import { encodeLiteral } from '../sql/encode.ts'
import { columnExpectation } from './column-expectation.ts'
import type { InputValue, JsonValue, LeafValue, ObjectValue } from './input-value.ts'
import { RequestError } from './request-error.ts'
import { type Variables, variableAt } from './variables.ts'

/** Where a JSON value comes from: a variable, at a path inside of it, or the document and schema themselves. */
type Origin =
  { readonly kind: 'variable'; readonly path: readonly (string | number)[] } | { readonly kind: 'constant' }

/** An argument or a field of an input object, and what it takes. */
export interface InputPlace {
  readonly type: GraphQLInputType
  readonly extensions: Pick<GraphQLInputFieldExtensions, 'holds' | 'refusesNull'>
  readonly defaultValue?: unknown
}

/** What is in a list may be null if its type says so. */
const itemOf = ({ extensions: { holds } }: InputPlace, type: GraphQLInputType): InputPlace => ({
  type,
  extensions: holds === undefined ? {} : { holds: 'column-value' },
})

/**
 * Checks a value of the document against the place that it is given. Undefined means that it is a variable that was not
 * given, which is as if the argument or field had been left out.
 */
export const coerceNode = (
  node: ValueNode,
  place: InputPlace,
  variables: Variables,
  path: string,
): InputValue | undefined => {
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
    // A single value stands for a list of one, as GraphQL has it.
    if (node.kind !== Kind.LIST)
      return isArrayLiteral(node, scalars)
        ? constantLeaf(valueFromASTUntyped(node) as JsonValue, scalars, path)
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

/** The same for a value that is already JSON: a variable's, or a default of the schema. */
const coerceJson = (value: JsonValue, place: InputPlace, origin: Origin, path: string): InputValue => {
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

const coerceJsonList = (
  value: JsonValue,
  type: GraphQLList<GraphQLInputType>,
  place: InputPlace,
  origin: Origin,
  path: string,
): InputValue => {
  const item = getNullableType(type.ofType)
  if (!Array.isArray(value)) {
    // Postgres' own notation of an array, as in `"{a,b}"`.
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

/** Whether a client says its values as the database has them. */
const isPlainEnum = (type: GraphQLInputType): boolean =>
  isEnumType(type) && type.getValues().every((value) => canonicalName(value) === value.name)

const within = (origin: Origin, key: string | number): Origin =>
  origin.kind === 'constant' ? origin : { kind: 'variable', path: [...origin.path, key] }

const coerceObject = (
  given: ReadonlyMap<string, (field: InputPlace, path: string) => InputValue | undefined>,
  type: GraphQLInputObjectType,
  path: string,
): ObjectValue => {
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

const nullValue = (place: InputPlace, path: string): InputValue => {
  if (isNonNullType(place.type) || place.extensions.refusesNull === true) throw refusedNull(place, path)
  return { kind: 'null', path }
}

const refusedNull = ({ type, extensions }: InputPlace, path: string): RequestError => {
  const nullable = getNullableType(type)
  if (isInputObjectType(nullable)) return mismatch('an object', nullable.name, 'null', path)
  if (isEnumType(nullable)) return mismatch('an enum value', nullable.name, 'null', path)
  // An array column's value is one, whatever it is in GraphQL.
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

const enumValue = (value: string, type: GraphQLEnumType, path: string): InputValue => {
  const known = type.getValue(value)
  if (known != null) return { kind: 'enum', value: canonicalName(known), path }
  const values = type.getValues().map(({ name }) => name)
  throw new RequestError(
    `expected ${enumeration(values)} for type "${type.name}", but found "${value}"`,
    path,
  )
}

const enumeration = (values: readonly string[]): string => {
  const last = values.at(-1) ?? ''
  if (values.length === 1) return `the value ${last}`
  if (values.length === 2) return `one of the values ${values.join(' or ')}`
  return `one of the values ${values.slice(0, -1).join(', ')}, or ${last}`
}

const isArrayLiteral = (node: ValueNode, type: GraphQLList<GraphQLInputType>): boolean =>
  node.kind === Kind.STRING && node.value.startsWith('{') && isScalarType(getNullableType(type.ofType))

const literalLeaf = (
  node: ValueNode,
  type: GraphQLScalarType,
  place: InputPlace,
  variables: Variables,
  path: string,
): InputValue => {
  const encoding = encodingAt(place, type)
  // A column takes a GraphQL enum's value as a text.
  if (encoding !== 'json' && place.extensions.holds === undefined && node.kind === Kind.ENUM)
    throw mismatch(expectation(type.name), type.name, 'an enum value', path)
  // A number keeps its digits: JavaScript would round a large one.
  if ((node.kind === Kind.INT || node.kind === Kind.FLOAT) && keepsDigits(encoding, node.value))
    return {
      kind: 'leaf',
      scalar: type.name,
      source: { kind: 'literal', text: node.value },
      value: numeral(node.value),
      path,
    }
  const value = valueFromASTUntyped(node, variables.values) as JsonValue
  const constant = leaf(value, type.name, encoding, { kind: 'constant' }, path)
  const isJson = encoding === 'json' || encoding === 'column-geojson'
  const parts = isJson ? jsonTemplate(node, variables) : []
  return parts.some(({ kind }) => kind === 'variable')
    ? { ...constant, source: { kind: 'json-template', parts, scalar: encoding } }
    : constant
}

const encodingAt = ({ extensions: { holds } }: InputPlace, { name }: GraphQLScalarType): ScalarEncoding => {
  if (holds === 'bigint') return holds
  return holds === undefined ? scalarEncoding(name) : columnEncoding(name)
}

const largestBigInt = 2n ** 63n - 1n

const keepsDigits = (encoding: ScalarEncoding, digits: string): boolean => {
  if (encoding === 'any' || encoding === 'column-number') return true
  if ((encoding !== 'column-int8' && encoding !== 'bigint') || !/^-?\d+$/.test(digits)) return false
  const value = BigInt(digits)
  return value <= largestBigInt && value >= -largestBigInt - 1n
}

/** A number for those who read JSON, as long as it says exactly what was written; its digits otherwise. */
const numeral = (digits: string): JsonValue => (/^-?[\d.]{1,15}$/.test(digits) ? Number(digits) : digits)

/** The JSON text of a literal, cut where variables of the request stand in it. */
const jsonTemplate = (node: ValueNode, variables: Variables): readonly JsonTemplatePart[] => {
  const text = (part: string): JsonTemplatePart => ({ kind: 'text', text: part })
  switch (node.kind) {
    case Kind.VARIABLE: {
      const name = node.name.value
      // The document says what a variable is that the request does not give.
      return variables.given.has(name)
        ? [{ kind: 'variable', name }]
        : [text(JSON.stringify(variables.values[name] ?? null))]
    }
    case Kind.LIST:
      return [
        text('['),
        ...node.values.flatMap((item, index) => [
          ...(index === 0 ? [] : [text(',')]),
          ...jsonTemplate(item, variables),
        ]),
        text(']'),
      ]
    case Kind.OBJECT:
      return [
        text('{'),
        ...node.fields.flatMap(({ name, value }, index) => [
          text(`${index === 0 ? '' : ','}${JSON.stringify(name.value)}:`),
          ...jsonTemplate(value, variables),
        ]),
        text('}'),
      ]
    default:
      return [text(JSON.stringify(valueFromASTUntyped(node)))]
  }
}

const constantLeaf = (value: JsonValue, type: GraphQLList<GraphQLInputType>, path: string): InputValue =>
  leaf(value, String(type), 'any', { kind: 'constant' }, path)

const leaf = (
  value: JsonValue,
  scalar: string,
  kind: ScalarEncoding,
  origin: Origin,
  path: string,
): LeafValue => {
  const encoding = { scalar: kind, list: false }
  const encoded = encodeLiteral(value, encoding)
  if (!encoded.ok) {
    if (encoded.reason === 'range') throw outOfRange(Number(value), path)
    throw kind.startsWith('column-')
      ? new RequestError(columnExpectation(value, scalar), path, 'parse-failed')
      : mismatch(expectation(scalar, kind), scalar, describeJson(value, origin), path)
  }
  const source: ParameterSource =
    origin.kind === 'variable'
      ? { kind: 'variable', path: origin.path, encoding }
      : { kind: 'literal', text: encoded.text }
  return { kind: 'leaf', scalar, source, value, path }
}

const outOfRange = (value: number, path: string): RequestError =>
  new RequestError(
    `The value ${scientific(value)} lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?`,
    path,
    'parse-failed',
  )

/** Haskell writes numbers of eight digits and more as `2.147483648e9`. */
const scientific = (value: number): string => {
  if (Math.abs(value) < 1e7 && Math.abs(value) >= 0.1)
    return Number.isInteger(value) ? `${value}.0` : String(value)
  const [mantissa, exponent] = value.toExponential().split('e')
  return `${mantissa?.includes('.') === true ? mantissa : `${mantissa ?? ''}.0`}e${exponent?.replace('+', '') ?? ''}`
}

const expectation = (scalar: string, encoding = scalarEncoding(scalar)): string => {
  if (encoding === 'bigint') return 'a 32-bit integer, or a 64-bit integer represented as a string'
  switch (scalar) {
    case 'Int':
      return 'a 32-bit integer'
    case 'Float':
      return 'a float'
    case 'Boolean':
      return 'a boolean'
    case 'String':
    case 'ID':
      return 'a string'
    default:
      return 'a scalar'
  }
}

const mismatch = (expected: string, type: string, found: string, path: string): RequestError =>
  new RequestError(`expected ${expected} for type "${type}", but found ${found}`, path)

const isJsonObject = (value: JsonValue): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What JSON calls a number, GraphQL calls an integer or a float. */
const describeJson = (value: JsonValue, origin: Origin): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'a string'
    case 'boolean':
      return 'a boolean'
    case 'number':
      return origin.kind === 'variable' ? 'a number' : Number.isInteger(value) ? 'an integer' : 'a float'
    default:
      return 'an object'
  }
}

const describeNode = (node: ValueNode): string => {
  switch (node.kind) {
    case Kind.STRING:
      return 'a string'
    case Kind.INT:
      return 'an integer'
    case Kind.FLOAT:
      return 'a float'
    case Kind.BOOLEAN:
      return 'a boolean'
    case Kind.ENUM:
      return 'an enum value'
    case Kind.LIST:
      return 'a list'
    case Kind.OBJECT:
      return 'an object'
    case Kind.NULL:
      return 'null'
    case Kind.VARIABLE:
      return 'a variable'
    default:
      return node satisfies never
  }
}
