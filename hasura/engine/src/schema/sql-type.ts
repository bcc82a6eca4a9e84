import type { CatalogType } from '../catalog/types.ts'

/** Catalogue names of types, by their SQL names, where these differ. */
const catalogNames: Readonly<Record<string, string>> = {
  bigint: 'int8',
  bigserial: 'int8',
  'bit varying': 'varbit',
  boolean: 'bool',
  character: 'bpchar',
  char: 'bpchar',
  'character varying': 'varchar',
  decimal: 'numeric',
  'double precision': 'float8',
  float: 'float8',
  int: 'int4',
  integer: 'int4',
  real: 'float4',
  serial: 'int4',
  smallint: 'int2',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
}

/**
 * The type for a name in SQL's notation (`integer`, `timestamp with time zone`, `text[]`). The name has no schema, so a
 * type of an extension must be on the search path.
 */
export function sqlType(written: string): CatalogType {
  const name = written.trim().toLowerCase()
  if (name.endsWith('[]')) return arrayOf(sqlType(name.slice(0, -2)))
  if (name.startsWith('_')) return arrayOf(sqlType(name.slice(1)))
  return { category: 'base', schema: 'pg_catalog', name: catalogNames[name] ?? name }
}

const arrayOf = (element: CatalogType): CatalogType => ({
  category: 'array',
  schema: 'pg_catalog',
  name: `_${element.name}`,
  element,
})
