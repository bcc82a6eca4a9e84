import { integerOf, isRawNumber } from '../exact-json.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { SpatialName } from '../schema/spatial-type.ts'
import type { ParameterEncoding, ScalarEncoding } from './parameter.ts'
import { spatialText } from './spatial-text.ts'

export type Encoded =
  | { readonly ok: true; readonly text: string | null }
  /** `type`: another kind of value was expected. `range`: the number doesn't fit. */
  | { readonly ok: false; readonly reason: 'type' | 'range' }

const refused: Encoded = { ok: false, reason: 'type' }

/** Writes a JSON value in Postgres's text format, if it is of the kind that its GraphQL type expects. */
export function encodeLiteral(value: JsonValue | undefined, { scalar, list }: ParameterEncoding): Encoded {
  if (value === undefined || (value === null && scalar !== 'json')) return { ok: true, text: null }
  if (!list) return encodeScalar(value, scalar)
  if (!Array.isArray(value)) return refused
  const items: string[] = []
  for (const item of value as readonly JsonValue[]) {
    const encoded = item === null ? { ok: true as const, text: null } : encodeScalar(item, scalar)
    if (!encoded.ok) return encoded
    items.push(arrayItem(encoded.text))
  }
  return { ok: true, text: `{${items.join(',')}}` }
}

const arrayItem = (text: string | null): string =>
  text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

function encodeScalar(value: JsonValue, scalar: ScalarEncoding): Encoded {
  switch (scalar) {
    case 'int':
      return encodeInt(value)
    case 'float':
      return isNumeral(value) ? { ok: true, text: value } : encodeNumber(value)
    case 'boolean':
      return typeof value === 'boolean' || value === 'true' || value === 'false'
        ? { ok: true, text: String(value) }
        : refused
    case 'string':
      return typeof value === 'string' ? { ok: true, text: value } : refused
    case 'json':
      return { ok: true, text: JSON.stringify(value) }
    case 'any':
      return encodeAny(value)
    case 'bigint':
      return typeof value === 'string' && /^\d+$/.test(value)
        ? { ok: true, text: value }
        : encodeInteger(value, 63)
    case 'column-int2':
      return encodeColumn(value, (other) => encodeInteger(other, 15))
    case 'column-int4':
      return encodeColumn(value, (other) => encodeInteger(other, 31))
    case 'column-int8':
      return encodeColumn(value, (other) => encodeInteger(other, 63))
    case 'column-number':
      return encodeColumn(value, encodeNumber)
    case 'column-boolean':
      return encodeColumn(value, (other) =>
        typeof other === 'boolean' ? { ok: true, text: String(other) } : refused,
      )
    case 'column-text':
      return encodeColumn(value, () => refused)
    case 'column-ltree':
      return typeof value === 'string' && isLabelPath(value) ? { ok: true, text: value } : refused
    case 'column-geojson':
      return encodeSpatial(value, 'geometry')
    case 'column-raster':
      return encodeSpatial(value, 'raster')
    default:
      return scalar satisfies never
  }
}

/** Like Hasura, checks label paths before Postgres reads them. */
const isLabelPath = (value: string): boolean =>
  value === '' || value.split('.').every((label) => /^[\p{L}\p{N}_-]{1,255}$/u.test(label))

function encodeSpatial(value: JsonValue, name: SpatialName): Encoded {
  const read = spatialText(value, name)
  return read.ok ? read : refused
}

/** For a column, a text may stand for any value: Postgres parses it. */
const encodeColumn = (value: JsonValue, encodeOther: (value: JsonValue) => Encoded): Encoded =>
  typeof value === 'string' ? { ok: true, text: value } : encodeOther(value)

/** A signed integer of this many bits, besides the sign. */
function encodeInteger(value: JsonValue, bits: number): Encoded {
  if (typeof value !== 'number' && !isRawNumber(value)) return refused
  const integer = integerOf(value)
  return integer !== undefined && BigInt.asIntN(bits + 1, integer) === integer
    ? { ok: true, text: String(integer) }
    : { ok: false, reason: 'range' }
}

function encodeNumber(value: JsonValue): Encoded {
  if (isRawNumber(value)) return { ok: true, text: value.rawJSON }
  return typeof value === 'number' ? { ok: true, text: String(value) } : refused
}

/** Actions accept numbers as strings, too. */
const isNumeral = (value: JsonValue): value is string =>
  typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)

const encodeInt = (given: JsonValue): Encoded => encodeInteger(isNumeral(given) ? Number(given) : given, 31)

/** Types that GraphQL doesn't know: Postgres parses the text. An object is GeoJSON or a composite's JSON. */
const encodeAny = (value: JsonValue): Encoded => ({
  ok: true,
  text: typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value),
})
