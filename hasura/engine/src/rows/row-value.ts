import type { CatalogType } from '../catalog/types.ts'
import { jsonTypeOf } from '../exact-json.ts'
import { HasuraError } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import { arrayTypeOf, typeNameOf } from '../schema/permission-expression.ts'
import { baseType, scalarEncoding, scalarName } from '../schema/postgres-type.ts'
import type { Value } from '../schema/predicate.ts'
import { requireSpatialText } from '../schema/require-spatial-text.ts'
import type { ColumnModel, SourceModel } from '../schema/source-model.ts'
import { spatialType } from '../schema/spatial-type.ts'
import { type Encoded, encodeLiteral } from '../sql/encode.ts'

/**
 * JSON as a value of a type. A text is passed to Postgres unchanged for any type; a value for a number or boolean type
 * must be one. Throws HasuraError `parse-failed`.
 */
export function scalarValue(value: Json, type: CatalogType): Value {
  const base = baseType(type)
  if (base.category === 'array') return listValue(value, base)
  const spatial = spatialType(base)
  if (spatial !== undefined && value !== null) return literal(requireSpatialText(value, spatial.name), base)
  const scalar = scalarEncoding(scalarName(base))
  const encoded: Encoded =
    typeof value === 'string' && scalar !== 'json'
      ? { ok: true, text: value }
      : // A null is one of SQL, for json, too.
        encodeLiteral(value, { scalar: value === null ? 'any' : scalar, list: false })
  if (!encoded.ok) throw mismatch(value, base.name, encoded.reason)
  return literal(encoded.text, base)
}

const literal = (text: string | null, type: CatalogType): Value => ({
  kind: 'parameter',
  source: { kind: 'literal', text },
  type: typeNameOf(type),
})

/** A JSON list as one array: of items of the type, or of the type itself if that is an array type. */
export function listValue(value: Json, type: CatalogType): Value {
  const base = baseType(type)
  const element = base.category === 'array' ? base.element : base
  const array = arrayTypeOf(base)
  // A text is Postgres's own notation of an array; null is no array.
  if (typeof value === 'string' || (value === null && base.category === 'array'))
    return { kind: 'parameter', source: { kind: 'literal', text: value }, type: array }
  if (!Array.isArray(value))
    throw new HasuraError(
      'parse-failed',
      `parsing [] failed, expected Array, but encountered ${nameOf(value)}`,
    )
  const items = value.map((item: Json) => scalarValue(item, element))
  // Spatial values are converted one by one.
  if (spatialType(element) !== undefined) return { kind: 'array', items, type: array }
  const texts = items.flatMap((item) =>
    item.kind === 'parameter' && item.source.kind === 'literal' ? [item.source.text] : [],
  )
  const encoded = encodeLiteral(texts, { scalar: 'string', list: true })
  if (!encoded.ok) throw mismatch(value, array.name, encoded.reason)
  return { kind: 'parameter', source: { kind: 'literal', text: encoded.text }, type: array }
}

/** A value for a column. If the column refers to an enum table, it must be one of its values. Throws HasuraError. */
export function columnValue(value: Json, column: ColumnModel, { tables }: SourceModel): Value {
  const enumTable = column.enumTable === undefined ? undefined : tables.get(column.enumTable)
  const allowed = enumTable?.enumValues?.map((entry) => entry.value)
  if (allowed !== undefined && typeof value === 'string' && !allowed.includes(value)) {
    const list = allowed.toSorted().map((name) => `"${name}"`)
    throw new HasuraError(
      'unexpected-payload',
      `expected one of the values ${list.join(', ')} for type "${enumTable?.name.name ?? ''}", given "${value}"`,
    )
  }
  return scalarValue(value, column.type)
}

const mismatch = (value: Json, type: string, reason: 'type' | 'range'): HasuraError =>
  new HasuraError(
    'parse-failed',
    reason === 'range'
      ? `The value ${JSON.stringify(value)} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`
      : `a value of type ${type} was expected, but encountered ${nameOf(value)}`,
  )

/** The name of a value's kind in Hasura's JSON library. */
function nameOf(value: Json): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  const name = jsonTypeOf(value)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
