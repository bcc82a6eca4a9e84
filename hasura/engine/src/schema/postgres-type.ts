import type { CatalogType } from '../catalog/types.ts'
import type { ScalarEncoding } from '../sql/parameter.ts'

/** Hasura's GraphQL names of Postgres types where they differ from the catalogue's. */
const scalarNames: Readonly<Record<string, string>> = {
  int4: 'Int',
  int2: 'smallint',
  int8: 'bigint',
  float4: 'Float',
  float8: 'float8',
  bool: 'Boolean',
  text: 'String',
  varchar: 'String',
}

/** Columns of a domain behave as columns of its base type. */
export const baseType = (type: CatalogType): CatalogType =>
  type.category === 'domain' ? baseType(type.base) : type

/** The GraphQL scalar of a type that is no array. A composite type may share a table's name, hence `_scalar`. */
export const scalarName = (type: CatalogType): string => {
  const base = baseType(type)
  if (base.category === 'composite') return `${base.name}_scalar`
  return scalarNames[base.name] ?? base.name.replaceAll(/\W/g, '_')
}

const encodings: Readonly<Record<string, ScalarEncoding>> = {
  Int: 'int',
  Float: 'float',
  Boolean: 'boolean',
  String: 'string',
  ID: 'string',
  json: 'json',
  jsonb: 'json',
}

/** How values of a GraphQL scalar are checked and sent. */
export const scalarEncoding = (graphqlName: string): ScalarEncoding => encodings[graphqlName] ?? 'any'

/** Types whose values JSON numbers may not carry exactly; Hasura can be told to answer them as strings. */
const bigNumbers: ReadonlySet<string> = new Set(['int8', 'numeric', 'float8'])

export const isBigNumber = (type: CatalogType): boolean => bigNumbers.has(baseType(type).name)

const numbers: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money'])

/** Types that `sum`, `avg` and `_inc` apply to. */
export const isNumeric = (type: CatalogType): boolean => numbers.has(baseType(type).name)

const comparables: ReadonlySet<string> = new Set([
  ...numbers,
  'bpchar',
  'char',
  'citext',
  'date',
  'interval',
  'text',
  'time',
  'timestamp',
  'timestamptz',
  'timetz',
  'varchar',
])

/** Types that `min` and `max` apply to. */
export const isComparable = (type: CatalogType): boolean => comparables.has(baseType(type).name)

const texts: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext', 'name'])

export const isText = (type: CatalogType): boolean => texts.has(baseType(type).name)
