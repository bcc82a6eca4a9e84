import { Kind, type ValueNode } from 'graphql'
import { isRawNumber, jsonTypeOf } from '../exact-json.ts'
import { scalarEncoding } from '../schema/postgres-type.ts'
import type { Origin } from './input-place.ts'
import type { JsonValue } from './input-value.ts'
import { RequestError } from './request-error.ts'

/** The values of an enum, as part of a sentence. */
export function enumeration(values: readonly string[]): string {
  const last = values.at(-1) ?? ''
  if (values.length === 1) return `the value ${last}`
  if (values.length === 2) return `one of the values ${values.join(' or ')}`
  return `one of the values ${values.slice(0, -1).join(', ')}, or ${last}`
}

export const outOfRange = (value: number, path: string): RequestError =>
  new RequestError(
    `The value ${scientific(value)} lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?`,
    path,
    'parse-failed',
  )

/** Haskell writes numbers of eight digits and more as `2.147483648e9`. */
function scientific(value: number): string {
  if (Math.abs(value) < 1e7 && Math.abs(value) >= 0.1)
    return Number.isInteger(value) ? `${value}.0` : String(value)
  const [mantissa, exponent] = value.toExponential().split('e')
  return `${mantissa?.includes('.') === true ? mantissa : `${mantissa ?? ''}.0`}e${exponent?.replace('+', '') ?? ''}`
}

/** The kind of value that a scalar expects, in Hasura's words. */
export function expectation(scalar: string, encoding = scalarEncoding(scalar)): string {
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

/** The error for a value of another kind than its type expects. */
export const mismatch = (expected: string, type: string, found: string, path: string): RequestError =>
  new RequestError(`expected ${expected} for type "${type}", but found ${found}`, path)

const isWhole = (value: JsonValue): boolean =>
  isRawNumber(value) ? !/[.e]/i.test(value.rawJSON) : Number.isInteger(value)

/** The kind of a value. A number of JSON is an integer or a float in GraphQL. */
export function describeJson(value: JsonValue, origin: Origin): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (jsonTypeOf(value)) {
    case 'string':
      return 'a string'
    case 'boolean':
      return 'a boolean'
    case 'number':
      return origin.kind === 'variable' ? 'a number' : isWhole(value) ? 'an integer' : 'a float'
    default:
      return 'an object'
  }
}

export function describeNode(node: ValueNode): string {
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
