import { jsonTypeOf } from '../exact-json.ts'
import { spatialName } from '../schema/spatial-type.ts'
import { spatialText } from '../sql/spatial-text.ts'
import type { JsonValue } from './input-value.ts'

/** The names of these scalars in Hasura's JSON parser, and the kind of value that each expects. */
const parsers: Readonly<Record<string, { readonly name: string; readonly expects: string }>> = {
  smallint: { name: 'Integer expected for input type: PGSmallInt', expects: 'Number' },
  Int: { name: 'Integer expected for input type: PGInteger', expects: 'Number' },
  bigint: { name: 'Integer expected for input type: PGBigInt', expects: 'Number' },
  Float: { name: 'Float expected for input type: PGFloat', expects: 'Number' },
  float8: { name: 'Float expected for input type: PGDouble', expects: 'Number' },
  numeric: { name: 'Scientific', expects: 'Number' },
  money: { name: 'Scientific', expects: 'Number' },
  Boolean: { name: 'Bool', expects: 'Boolean' },
  String: { name: 'Text', expects: 'String' },
  citext: { name: 'Text', expects: 'String' },
  bpchar: { name: 'Char', expects: 'String' },
  lquery: { name: 'Text', expects: 'String' },
  ltxtquery: { name: 'Text', expects: 'String' },
  date: { name: 'Day', expects: 'String' },
  timestamp: { name: 'LocalTime', expects: 'String' },
  timestamptz: { name: 'UTCTime', expects: 'String' },
  uuid: { name: 'UUID', expects: 'String' },
}

/** Hasura's message for a value that a column's type doesn't accept. */
export function columnExpectation(value: JsonValue, scalar: string): string {
  const parser = parsers[scalar]
  if (scalar === 'ltree')
    return 'Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3'
  const spatial = spatialName(scalar)
  if (spatial !== undefined) {
    const read = spatialText(value, spatial)
    if (!read.ok) return read.reason
  }
  return parser === undefined
    ? `A string is expected for type: ${scalar.replace(/_scalar$/, '')}`
    : `parsing ${parser.name} failed, expected ${parser.expects}, but encountered ${jsonKind(value)}`
}

/** A kind of JSON value, by the name in Hasura's parser. */
export function jsonKind(value: JsonValue): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  const name = jsonTypeOf(value)
  return `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`
}
