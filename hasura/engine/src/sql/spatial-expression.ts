import type { CatalogType } from '../catalog/types.ts'
import { baseType } from '../schema/postgres-type.ts'
import { spatialName, spatialType } from '../schema/spatial-type.ts'
import type { BinaryOperator, Expression, TypeName } from './ast.ts'
import { builtinType, callOf, cast, integer } from './build.ts'

/** The functions of PostGIS that read a value of the type from the text that clients write. */
const readers = {
  geometry: 'st_geomfromgeojson',
  geography: 'st_geomfromgeojson',
  raster: 'st_rastfromhexwkb',
}

/**
 * A value of a type, made of an expression that takes the type of its text: for a spatial one a call of the function
 * that reads it, in the schema of the type.
 */
export function spatialValue(type: TypeName, made: (type: TypeName) => Expression): Expression {
  const name = spatialName(type.name)
  if (name === undefined) return made(type)
  return cast(callOf({ schema: type.schema, name: readers[name] }, [made(builtinType('text'))]), type)
}

/** PostGIS may be in a schema that is not on the search path: where the operators of a type, or of arrays of it, are. */
export const operatorSchema = (type: TypeName | undefined): string | undefined =>
  type !== undefined && spatialName(type.name.replace(/^_/, '')) !== undefined ? type.schema : undefined

/** A comparison with a value of a type. */
export const compared = (
  left: Expression,
  operator: BinaryOperator,
  right: Expression,
  type: TypeName | undefined,
): Expression => ({ kind: 'binary', operator, schema: operatorSchema(type), left, right })

/** Hasura's arguments of ST_AsGeoJSON: at most 15 decimal digits, and the long form of the reference system. */
const decimalDigits = integer(15)
const withLongReference = integer(4)

/** How a value is shown: geometries and geographies as GeoJSON, all else (rasters, arrays) as Postgres writes it. */
export function shownValue(value: Expression, type: CatalogType): Expression {
  const spatial = spatialType(type)
  if (spatial === undefined || spatial.name === 'raster') return value
  const name = { schema: spatial.schema, name: 'st_asgeojson' }
  return cast(callOf(name, [value, decimalDigits, withLongReference]), builtinType('json'))
}

/** Whether a value can't be read back from Postgres' own JSON of it: GeoJSON without a reference system is read as EPSG:4326. */
export function isLossyInJson(type: CatalogType): boolean {
  const base = baseType(type)
  return spatialType(base.category === 'array' ? base.element : base) !== undefined
}

/** A value that Postgres can read back from JSON as it was. */
export const exactValue = (value: Expression, type: CatalogType): Expression =>
  isLossyInJson(type) ? cast(value, builtinType('text')) : value
