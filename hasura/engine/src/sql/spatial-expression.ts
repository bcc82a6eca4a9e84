import type { CatalogType } from '../catalog/types.ts'
import { spatialName, spatialType } from '../schema/spatial-type.ts'
import type { BinaryOperator, Expression, TypeName } from './ast.ts'
import { builtinType, callOf, cast, integer } from './build.ts'

/** The PostGIS functions that read a value of the type from a client's text. */
const readers = {
  geometry: 'st_geomfromgeojson',
  geography: 'st_geomfromgeojson',
  raster: 'st_rastfromhexwkb',
}

/**
 * A value of a type, from an expression for the type of its text. For a spatial type it is a call of the reading
 * function, in the schema of the type.
 */
export function spatialValue(type: TypeName, made: (type: TypeName) => Expression): Expression {
  const name = spatialName(type.name)
  if (name === undefined) return made(type)
  return cast(callOf({ schema: type.schema, name: readers[name] }, [made(builtinType('text'))]), type)
}

/** The schema of a type's operators. PostGIS may be in a schema that is not on the search path. */
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

/** The value in an answer: geometries and geographies as GeoJSON, others (rasters, arrays) in Postgres's notation. */
export function shownValue(value: Expression, type: CatalogType): Expression {
  const spatial = spatialType(type)
  if (spatial === undefined || spatial.name === 'raster') return value
  const name = { schema: spatial.schema, name: 'st_asgeojson' }
  return cast(callOf(name, [value, decimalDigits, withLongReference]), builtinType('json'))
}
