import { isDeepStrictEqual } from 'node:util'
import pg, { type ClientBase, type Pool } from 'pg'
import { z } from 'zod'
import { type QualifiedName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { Catalog, CatalogColumn, CatalogTable, EnumTableValue } from './types.ts'

/** The columns of a table that is tracked with `is_enum`: its key, and the one that describes a value. */
interface EnumTableShape {
  readonly value: string
  readonly comment: string | undefined
}

const isText = (column: CatalogColumn): boolean => column.type.name === 'text'

const graphqlEnumValue = /^[_A-Za-z][_0-9A-Za-z]*$/
const reservedValues = new Set(['true', 'false', 'null'])

/**
 * Whether a table can be an enum: it needs one primary key column of type text, and at most one more column of type
 * text. Returns the shape, or the problems in Hasura's words.
 */
export function enumTableShape(table: CatalogTable): EnumTableShape | readonly string[] {
  const primaryKey = table.primaryKey
  if (!primaryKey) return ['the table must have a primary key']
  const problems: string[] = []
  const keyName = primaryKey.columns[0]
  const key = table.columns.find((column) => column.name === keyName)
  if (primaryKey.columns.length > 1 || !key) {
    problems.push(`the table’s primary key must not span multiple columns (${sorted(primaryKey.columns)})`)
  } else if (!isText(key)) {
    problems.push(
      `the table’s primary key ("${key.name}") must have type "text", not type "${sqlTypeName(key.type.name)}"`,
    )
  }
  const others = table.columns.filter((column) => !primaryKey.columns.includes(column.name))
  const [comment] = others
  if (others.length > 1) {
    problems.push(
      `the table must have exactly one primary key and optionally one comment column, not ${table.columns.length} columns (${sorted(table.columns.map((column) => column.name))})`,
    )
  } else if (comment && !isText(comment)) {
    problems.push(
      `the table’s comment column ("${comment.name}") must have type "text", not type "${sqlTypeName(comment.type.name)}"`,
    )
  }
  if (problems.length > 0 || !key) return problems
  return { value: key.name, comment: comment?.name }
}

const sorted = (names: readonly string[]): string => names.toSorted().join(', ')

/** SQL's names of types, which Hasura uses, by Postgres's catalogue names. */
const sqlTypeNames: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  float8: 'float8',
  bool: 'boolean',
  bpchar: 'character',
  varchar: 'varchar',
  timestamptz: 'timestamptz',
  timetz: 'timetz',
}

const sqlTypeName = (name: string): string => sqlTypeNames[name] ?? name

/** Why the rows of an enum table can't be values of a GraphQL enum; undefined when they can. */
export function enumValuesProblem(values: readonly EnumTableValue[]): string | undefined {
  if (values.length === 0) return 'the table is empty'
  const bad = values.filter(({ value }) => !graphqlEnumValue.test(value) || reservedValues.has(value))
  const [first] = bad
  if (!first) return undefined
  return bad.length === 1
    ? `the value "${first.value}" is not a valid GraphQL enum value name`
    : `the values ${bad.map(({ value }) => `"${value}"`).join(', ')} are not valid GraphQL enum value names`
}

const enumRows = z.array(z.object({ value: z.string(), comment: z.string().nullable() }))

/** Enum values are in the schema of every role. A table with more rows is data, not an enum. */
const maxEnumValues = 10_000

/**
 * The catalog with the rows of the tables that metadata tracks as enums; the same object if it has them already. A table
 * that can't be an enum is left out; the consistency check reports the reason.
 */
export async function readEnumTables(
  client: ClientBase | Pool,
  catalog: Catalog,
  enumTables: readonly QualifiedName[],
): Promise<Catalog> {
  const readable = enumTables.flatMap((name) => {
    const table = catalog.tables.get(qualifiedKey(name))
    const shape = table && enumTableShape(table)
    return table && shape && 'value' in shape
      ? [{ key: qualifiedKey(name), sql: enumTableSql(table, shape) }]
      : []
  })
  const { rows } =
    readable.length === 0
      ? { rows: [] }
      : await client.query<{ values: unknown }>(readable.map(({ sql }) => sql).join('\nunion all\n'))
  const entries = readable.map(({ key }, index): [string, readonly EnumTableValue[]] => [
    key,
    enumRows
      .parse(rows[index]?.values)
      .map(({ value, comment }) => ({ value, comment: comment ?? undefined })),
  ])
  const enumValues = new Map(entries)
  return isDeepStrictEqual(enumValues, catalog.enumTables) ? catalog : { ...catalog, enumTables: enumValues }
}

function enumTableSql(table: CatalogTable, shape: EnumTableShape): string {
  const id = (name: string): string => pg.escapeIdentifier(name)
  const comment = shape.comment === undefined ? 'null' : id(shape.comment)
  return `select coalesce(json_agg(json_build_object('value', value, 'comment', comment)), '[]') as values
from (
  select ${id(shape.value)} as value, ${comment}::text as comment
  from ${id(table.name.schema)}.${id(table.name.name)}
  order by 1 limit ${maxEnumValues}
) as rows`
}
