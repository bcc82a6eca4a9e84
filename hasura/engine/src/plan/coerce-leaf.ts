import { type GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { isRawNumber } from '../exact-json.ts'
import { columnEncoding, scalarEncoding } from '../schema/postgres-type.ts'
import { encodeLiteral } from '../sql/encode.ts'
import type { JsonTemplatePart, ParameterSource, ScalarEncoding } from '../sql/parameter.ts'
import { columnExpectation } from './column-expectation.ts'
import type { InputPlace, Origin } from './input-place.ts'
import type { InputValue, JsonValue, LeafValue } from './input-value.ts'
import { literalJson } from './literal-json.ts'
import { describeJson, expectation, mismatch, outOfRange } from './mismatch.ts'
import { RequestError } from './request-error.ts'
import type { Variables } from './variables.ts'

/** The value of a scalar literal in the document. Throws RequestError. */
export function literalLeaf(
  node: ValueNode,
  type: GraphQLScalarType,
  place: InputPlace,
  variables: Variables,
  path: string,
): InputValue {
  const encoding = encodingAt(place, type)
  // Only a column accepts an enum literal, as text.
  if (encoding !== 'json' && place.extensions.holds === undefined && node.kind === Kind.ENUM)
    throw mismatch(expectation(type.name), type.name, 'an enum value', path)
  // A number keeps its digits, because JavaScript would round a large one.
  if ((node.kind === Kind.INT || node.kind === Kind.FLOAT) && keepsDigits(encoding, node.value))
    return {
      kind: 'leaf',
      scalar: type.name,
      source: { kind: 'literal', text: node.value },
      value: numeral(node.value),
      path,
    }
  const value = literalJson(node, variables.values) ?? null
  const constant = leaf(value, type.name, encoding, { kind: 'constant' }, path)
  const isJson = encoding === 'json' || encoding === 'column-geojson'
  const parts = isJson ? jsonTemplate(node, variables) : []
  return parts.some(({ kind }) => kind === 'variable')
    ? { ...constant, source: { kind: 'json-template', parts, scalar: encoding } }
    : constant
}

export function encodingAt(
  { extensions: { holds } }: InputPlace,
  { name }: GraphQLScalarType,
): ScalarEncoding {
  if (holds === 'bigint') return holds
  return holds === undefined ? scalarEncoding(name) : columnEncoding(name)
}

const largestBigInt = 2n ** 63n - 1n

function keepsDigits(encoding: ScalarEncoding, digits: string): boolean {
  if (encoding === 'any' || encoding === 'column-number') return true
  if ((encoding !== 'column-int8' && encoding !== 'bigint') || !/^-?\d+$/.test(digits)) return false
  const value = BigInt(digits)
  return value <= largestBigInt && value >= -largestBigInt - 1n
}

/** A JavaScript number when it represents the digits exactly; otherwise the digits. */
const numeral = (digits: string): JsonValue => (/^-?[\d.]{1,15}$/.test(digits) ? Number(digits) : digits)

/** The JSON text of a literal, split at the request's variables. */
function jsonTemplate(node: ValueNode, variables: Variables): readonly JsonTemplatePart[] {
  const text = (part: string): JsonTemplatePart => ({ kind: 'text', text: part })
  switch (node.kind) {
    case Kind.VARIABLE: {
      const name = node.name.value
      // An absent variable has the default that the document declares.
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
      return [text(JSON.stringify(literalJson(node)))]
  }
}

/** The value of a scalar that is JSON already. Throws RequestError. */
export function leaf(
  value: JsonValue,
  scalar: string,
  kind: ScalarEncoding,
  origin: Origin,
  path: string,
): LeafValue {
  const encoding = { scalar: kind, list: false }
  const encoded = encodeLiteral(value, encoding)
  if (!encoded.ok) {
    if (encoded.reason === 'range') throw outOfRange(Number(isRawNumber(value) ? value.rawJSON : value), path)
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
