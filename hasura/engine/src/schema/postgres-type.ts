import type { CatalogType } from '../catalog/types.ts'
import type { ScalarEncoding } from '../sql/parameter.ts'

/** Hasura's GraphQL names of Postgres types, where they differ from the catalogue's. */
const scalarNames: Readonly<Record<string, string>> = {
  int4: 'Int',
  int2: 'smallint',
  int8: 'bigint',
  float4: 'Float',
  float8: 'float8',
  bool: 'Boolean',
  char: 'bpchar',
  text: 'String',
  varchar: 'String',
}

/** Columns of a domain are treated as columns of its base type. */
export const baseType = (type: CatalogType): CatalogType =>
  type.category === 'domain' ? baseType(type.base) : type

/**
 * The GraphQL scalar of a type that is no array. A composite type may have a table's name, hence the suffix `_scalar`.
 */
export function scalarName(type: CatalogType): string {
  const base = baseType(type)
  if (base.category === 'composite') return `${base.name}_scalar`
  return namedScalar(base.name)
}

/**
 * The scalar of a function's argument. As in Hasura, an array or a domain has its own name there (`_int4`), and is
 * given as a text (`"{1,2}"`).
 */
export const argumentScalarName = (type: CatalogType): string =>
  type.category === 'array' || type.category === 'domain' ? namedScalar(type.name) : scalarName(type)

const namedScalar = (name: string): string => scalarNames[name] ?? name.replaceAll(/\W/g, '_')

const encodings: Readonly<Record<string, ScalarEncoding>> = {
  Int: 'int',
  Float: 'float',
  Boolean: 'boolean',
  String: 'string',
  ID: 'string',
  json: 'json',
  jsonb: 'json',
  ltree: 'column-ltree',
}

/** How a GraphQL scalar's values are checked and encoded. */
export const scalarEncoding = (graphqlName: string): ScalarEncoding => encodings[graphqlName] ?? 'any'

const columnEncodings: Readonly<Record<string, ScalarEncoding>> = {
  smallint: 'column-int2',
  Int: 'column-int4',
  bigint: 'column-int8',
  Float: 'column-number',
  float8: 'column-number',
  numeric: 'column-number',
  money: 'column-number',
  Boolean: 'column-boolean',
  json: 'json',
  jsonb: 'json',
  ltree: 'column-ltree',
  geometry: 'column-geojson',
  geography: 'column-geojson',
  raster: 'column-raster',
}

/** How a column's values are checked and encoded, by the GraphQL scalar of its type. */
export const columnEncoding = (graphqlName: string): ScalarEncoding =>
  columnEncodings[graphqlName] ?? 'column-text'

/**
 * Whether a list of the scalar's values can be one parameter. Spatial values can't: a function creates each from its
 * text.
 */
export function isBoundAsList(graphqlName: string): boolean {
  const encoding = columnEncoding(graphqlName)
  return encoding !== 'column-geojson' && encoding !== 'column-raster'
}

/** Types whose values JSON numbers may not represent exactly. Hasura has a setting to answer them as strings. */
const bigNumbers: ReadonlySet<string> = new Set(['int8', 'numeric', 'float8'])

export const isBigNumber = (type: CatalogType): boolean => bigNumbers.has(baseType(type).name)

const numbers: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money'])

/** Types for `sum`, `avg` and `_inc`. */
export const isNumeric = (type: CatalogType): boolean => numbers.has(baseType(type).name)

const texts: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'char', 'citext'])

const comparables: ReadonlySet<string> = new Set([
  ...numbers,
  ...texts,
  'date',
  'lquery',
  'ltree',
  'ltxtquery',
  'raster',
  'timestamp',
  'timestamptz',
  'timetz',
  'uuid',
])

/**
 * Types for which `min` and `max` are offered. As in Hasura these are some types by name, and all arrays, enums and
 * composites, whether or not Postgres has the aggregate for them.
 */
export function isComparable(type: CatalogType): boolean {
  const base = baseType(type)
  return comparables.has(base.name) || ['array', 'composite', 'enum'].includes(base.category)
}

export const isText = (type: CatalogType): boolean => texts.has(baseType(type).name)
