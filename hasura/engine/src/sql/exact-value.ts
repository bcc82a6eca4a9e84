import type { CatalogType } from '../catalog/types.ts'
import { baseType } from '../schema/postgres-type.ts'
import type { Expression } from './ast.ts'
import { builtinType, cast } from './build.ts'

/**
 * Whether Postgres's own JSON of a value may not be read back. A type of an extension may have a cast to JSON: that of hstore is an
 * object, which it doesn't read, and GeoJSON without a reference system is read as EPSG:4326. A composite may have members of
 * such types.
 */
export function isLossyInJson(type: CatalogType): boolean {
  const { category, schema } = elementOf(baseType(type))
  return category === 'composite' || (category === 'base' && schema !== 'pg_catalog')
}

const elementOf = (type: CatalogType): CatalogType =>
  type.category === 'array' ? baseType(type.element) : type

/** A value in a form that Postgres reads back from JSON unchanged. */
export const exactValue = (value: Expression, type: CatalogType): Expression =>
  isLossyInJson(type) ? cast(value, builtinType('text')) : value
