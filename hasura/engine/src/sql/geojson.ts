import { isRawNumber, jsonTypeOf } from '../exact-json.ts'
import type { JsonValue } from '../plan/input-value.ts'

export type GeojsonText =
  | { readonly ok: true; readonly text: string }
  /** Hasura's message for a value that is no GeoJSON. */
  | { readonly ok: false; readonly reason: string }

/**
 * GeoJSON as Hasura passes it on to PostGIS: a geometry's type, its coordinates (at most three numbers of a position)
 * and its coordinate reference system. A collection's own system and all other members are left out.
 */
export function geojsonText(value: JsonValue): GeojsonText {
  try {
    return { ok: true, text: JSON.stringify(geometry(value, 0)) }
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, reason: error.message }
    throw error
  }
}

class Malformed extends Error {}

interface JsonObject {
  readonly [key: string]: JsonValue
}

const isObject = (value: JsonValue): value is JsonObject =>
  jsonTypeOf(value) === 'object' && value !== null && !Array.isArray(value)

/** A value's kind, by its name in Hasura's JSON library. */
function kindOf(value: JsonValue): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  switch (jsonTypeOf(value)) {
    case 'string':
      return 'String'
    case 'number':
      return 'Number'
    case 'boolean':
      return 'Boolean'
    default:
      return 'Object'
  }
}

const mismatch = (parser: string, expected: string, found: JsonValue): Malformed =>
  new Malformed(`parsing ${parser} failed, expected ${expected}, but encountered ${kindOf(found)}`)

function memberOf(object: JsonObject, key: string): JsonValue {
  const value = object[key]
  if (value === undefined) throw new Malformed(`key "${key}" not found`)
  return value
}

function arrayOf<Item>(parser: string, value: JsonValue, item: (value: JsonValue) => Item): readonly Item[] {
  if (!Array.isArray(value)) throw mismatch(parser, 'Array', value)
  return (value as readonly JsonValue[]).map(item)
}

const listOf = <Item>(value: JsonValue, item: (value: JsonValue) => Item): readonly Item[] =>
  arrayOf('[]', value, item)

/** The greatest depth of nested collections, which is PostGIS's, too. */
const deepest = 200

function geometry(value: JsonValue, depth: number): JsonObject {
  if (depth > deepest) throw new Malformed(`geometry collections are nested more than ${deepest} deep`)
  if (!isObject(value)) throw mismatch('Geometry', 'Object', value)
  const type = memberOf(value, 'type')
  if (typeof type !== 'string') throw new Malformed(`expected String, but encountered ${kindOf(type)}`)
  if (type === 'GeometryCollection') {
    const geometries = listOf(memberOf(value, 'geometries'), (item) => geometry(item, depth + 1))
    referenceSystem(value['crs'] ?? null)
    return { type, geometries }
  }
  const read = coordinates.get(type)
  if (read === undefined) throw new Malformed(`unexpected geometry type: ${type}`)
  const given = { type, coordinates: read(memberOf(value, 'coordinates')) }
  const crs = referenceSystem(value['crs'] ?? null)
  return crs === null ? given : { ...given, crs }
}

type Position = readonly JsonValue[]

/** A null in a position stands for NaN. It is passed on, and PostGIS checks it. */
function position(value: JsonValue): Position {
  const numbers = arrayOf('Position', value, (item) => {
    if (typeof item === 'number' || item === null) return item
    if (isRawNumber(item)) return Number(item.rawJSON)
    throw new Malformed(`parsing Double failed, unexpected ${kindOf(item)}`)
  })
  if (numbers.length < 2) throw new Malformed('A Position needs at least 2 elements')
  return numbers.slice(0, 3)
}

function lineString(value: JsonValue): readonly Position[] {
  const positions = arrayOf('LineString', value, position)
  if (positions.length < 2) throw new Malformed('A LineString needs at least 2 Positions')
  return positions
}

function linearRing(value: JsonValue): readonly Position[] {
  const positions = arrayOf('LinearRing', value, position)
  const [first] = positions
  const last = positions.at(-1)
  if (first === undefined || last === undefined || positions.length < 4)
    throw new Malformed('A LinearRing needs at least 4 Positions')
  if (first.length !== last.length || first.some((number, index) => number !== last[index]))
    throw new Malformed('the first and last locations have to be equal for a LinearRing')
  return positions
}

const polygon = (value: JsonValue): JsonValue => listOf(value, linearRing)

/** The geometries with coordinates, and how these are read. */
const coordinates: ReadonlyMap<string, (value: JsonValue) => JsonValue> = new Map([
  ['Point', position],
  ['MultiPoint', (value: JsonValue) => listOf(value, position)],
  ['LineString', lineString],
  ['MultiLineString', (value: JsonValue) => listOf(value, lineString)],
  ['Polygon', polygon],
  ['MultiPolygon', (value: JsonValue) => listOf(value, polygon)],
])

/** A reference system by its name, or by a link to it; null if there is none. */
function referenceSystem(value: JsonValue): JsonValue {
  if (value === null) return null
  if (!isObject(value)) throw mismatch('Hasura.SQL.GeoJSON.CRS', 'Object', value)
  const type = memberOf(value, 'type')
  if (type !== 'name' && type !== 'link')
    throw new Malformed(
      `parsing Hasura.SQL.GeoJSON.CRS failed, expected tag field "type" to be one of ["name","link"], but found tag ${JSON.stringify(type)}`,
    )
  const properties = memberOf(value, 'properties')
  const record = type === 'name' ? 'CRSNameProps' : 'CRSLinkProps'
  const context = `Hasura.SQL.GeoJSON.${record}(${record})`
  if (!isObject(properties)) throw mismatch(context, 'Object', properties)
  const key = type === 'name' ? 'name' : 'href'
  const named = properties[key]
  if (named === undefined) throw new Malformed(`parsing ${context} failed, key "${key}" not found`)
  if (typeof named !== 'string') throw mismatch(context, 'String', named)
  const linkType = properties['type']
  const isTyped = type === 'link' && typeof linkType === 'string'
  return { type, properties: isTyped ? { href: named, type: linkType } : { [key]: named } }
}
