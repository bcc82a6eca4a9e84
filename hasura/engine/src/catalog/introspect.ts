import { readFileSync } from 'node:fs'
import type { ClientBase, Pool } from 'pg'
import { z } from 'zod'
import { type QualifiedName, qualifiedKey } from '../metadata/qualified-name.ts'
import type {
  Catalog,
  CatalogColumn,
  CatalogFunction,
  CatalogTable,
  CatalogType,
  EnumType,
  ForeignKey,
  FunctionArgument,
  TableKind,
  UniqueKey,
} from './types.ts'

/**
 * Compiling this statement to machine code costs a hundred times what running it does. Both statements run in one
 * implicit transaction, so the setting ends with it.
 */
const introspectionSql = `set local jit = off;
${readFileSync(new URL('./introspection.sql', import.meta.url), 'utf8')}`
const stampSql = readFileSync(new URL('./catalog-stamp.sql', import.meta.url), 'utf8')

const typeRow = z.object({
  oid: z.number(),
  schema: z.string(),
  name: z.string(),
  kind: z.string(),
  element: z.number(),
  base: z.number(),
  relation: z.number(),
  labels: z.array(z.string()).nullable(),
})
const relationRow = z.object({
  oid: z.number(),
  schema: z.string(),
  name: z.string(),
  kind: z.enum(['r', 'p', 'v', 'm', 'f']),
  comment: z.string().nullable(),
  commands: z.number(),
})
const columnRow = z.object({
  relation: z.number(),
  position: z.number(),
  name: z.string(),
  type: z.number(),
  nullable: z.boolean(),
  hasDefault: z.boolean(),
  identity: z.string(),
  generated: z.boolean(),
  comment: z.string().nullable(),
})
const keyRow = z.object({
  relation: z.number(),
  name: z.string(),
  primary: z.boolean(),
  columns: z.array(z.string()),
})
const foreignKeyRow = z.object({
  relation: z.number(),
  name: z.string(),
  refSchema: z.string(),
  refTable: z.string(),
  columns: z.array(z.string()),
  refColumns: z.array(z.string()),
})
const checkRow = z.object({ relation: z.number(), name: z.string(), expression: z.string() })
const functionRow = z.object({
  oid: z.number(),
  schema: z.string(),
  name: z.string(),
  volatility: z.enum(['i', 's', 'v']),
  returnsSet: z.boolean(),
  returns: z.number(),
  variadic: z.boolean(),
  defaults: z.number(),
  argumentTypes: z.array(z.number()),
  argumentModes: z.array(z.string()).nullable(),
  argumentNames: z.array(z.string()).nullable(),
  comment: z.string().nullable(),
})
const introspection = z.object({
  serverVersion: z.number(),
  scalars: z.array(z.string()),
  types: z.array(typeRow),
  relations: z.array(relationRow),
  columns: z.array(columnRow),
  keys: z.array(keyRow),
  foreignKeys: z.array(foreignKeyRow),
  checks: z.array(checkRow),
  functions: z.array(functionRow),
})
/** One result for each statement: the setting's, then the document. */
const introspectionResults = z.tuple([
  z.unknown(),
  z.object({ rows: z.tuple([z.object({ catalog: z.string() })]) }),
])
const stampRows = z.tuple([z.object({ stamp: z.string() })])
type Introspection = z.output<typeof introspection>
type RelationRow = z.output<typeof relationRow>

const tableKinds: Record<RelationRow['kind'], TableKind> = {
  r: 'table',
  p: 'partitioned-table',
  v: 'view',
  m: 'materialized-view',
  f: 'foreign-table',
}
const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const
const canUpdate = 1 << 2
const canInsert = 1 << 3
const canDelete = 1 << 4

/**
 * Reads the catalog of the database in one statement. `enumTables` is empty: metadata decides which tables are enums,
 * and `readEnumTables` adds them. The answer is `last` if the system catalogs have not changed since it was read.
 */
export async function introspect(client: ClientBase | Pool, last?: Catalog): Promise<Catalog> {
  // Read first: a change between both statements has the next call read the document again.
  const stamp = await readStamp(client)
  if (stamp === last?.stamp) return last
  const results: unknown = await client.query(introspectionSql)
  const [, { rows }] = introspectionResults.parse(results)
  const document = rows[0].catalog
  return document === last?.document
    ? { ...last, stamp }
    : buildCatalog({ document, stamp }, introspection.parse(JSON.parse(document)))
}

/** Whether both tell the same of the database. */
export const isSameCatalog = (one: Catalog, other: Catalog): boolean =>
  one.document === other.document && one.enumTables === other.enumTables

async function readStamp(client: ClientBase | Pool): Promise<string> {
  const { rows } = await client.query(stampSql)
  return stampRows.parse(rows)[0].stamp
}

function buildCatalog(read: Pick<Catalog, 'document' | 'stamp'>, rows: Introspection): Catalog {
  const relations = new Map(rows.relations.map((relation) => [relation.oid, relation]))
  const typeOf = typeResolver(rows)
  const rowTypeOf = rowTypeResolver(rows, relations)
  return {
    ...read,
    serverVersion: rows.serverVersion,
    tables: buildTables(rows, typeOf),
    functions: buildFunctions(rows, typeOf, rowTypeOf),
    enums: buildEnums(rows),
    enumTables: new Map(),
    scalars: new Set(rows.scalars),
  }
}

function typeResolver(rows: Introspection): (oid: number) => CatalogType {
  const byOid = new Map(rows.types.map((type) => [type.oid, type]))
  const resolved = new Map<number, CatalogType>()
  const resolve = (oid: number): CatalogType => {
    const known = resolved.get(oid)
    if (known) return known
    const row = byOid.get(oid)
    if (!row) throw new Error(`introspection.sql did not list the type with oid ${oid}`)
    const { schema, name } = row
    const type: CatalogType =
      row.element !== 0
        ? { category: 'array', schema, name, element: resolve(row.element) }
        : row.kind === 'd'
          ? { category: 'domain', schema, name, base: resolve(row.base) }
          : { category: baseCategory(row.kind), schema, name }
    resolved.set(oid, type)
    return type
  }
  return resolve
}

function baseCategory(kind: string): 'base' | 'composite' | 'enum' | 'range' | 'pseudo' {
  switch (kind) {
    case 'c':
      return 'composite'
    case 'e':
      return 'enum'
    case 'r':
    case 'm':
      return 'range'
    case 'p':
      return 'pseudo'
    default:
      return 'base'
  }
}

/** Returns a function from a type to the table whose rows the type describes, if any. */
function rowTypeResolver(rows: Introspection, relations: ReadonlyMap<number, RelationRow>) {
  const relationOfType = new Map(rows.types.map((type) => [type.oid, type.relation]))
  return (oid: number): QualifiedName | undefined => {
    const relation = relations.get(relationOfType.get(oid) ?? 0)
    return relation && { name: relation.name, schema: relation.schema }
  }
}

function groupBy<Row>(rows: readonly Row[], key: (row: Row) => number): (key: number) => readonly Row[] {
  const groups = Map.groupBy(rows, key)
  return (wanted) => groups.get(wanted) ?? []
}

function buildTables(rows: Introspection, typeOf: (oid: number) => CatalogType): Catalog['tables'] {
  const columnsOf = groupBy(rows.columns, (row) => row.relation)
  const keysOf = groupBy(rows.keys, (row) => row.relation)
  const foreignKeysOf = groupBy(rows.foreignKeys, (row) => row.relation)
  const checksOf = groupBy(rows.checks, (row) => row.relation)
  const tables = rows.relations.map((relation): CatalogTable => {
    const keys = keysOf(relation.oid)
    const uniqueKey = (row: (typeof keys)[number]): UniqueKey => ({
      constraint: row.name,
      columns: row.columns,
    })
    const primary = keys.find((row) => row.primary)
    return {
      name: { name: relation.name, schema: relation.schema },
      oid: relation.oid,
      kind: tableKinds[relation.kind],
      comment: relation.comment ?? undefined,
      columns: columnsOf(relation.oid).map((row) => buildColumn(row, typeOf)),
      primaryKey: primary && uniqueKey(primary),
      uniqueConstraints: keys.filter((row) => !row.primary).map(uniqueKey),
      foreignKeys: foreignKeysOf(relation.oid).map(buildForeignKey),
      checkConstraints: checksOf(relation.oid).map((row) => ({
        constraint: row.name,
        expression: row.expression,
      })),
      insertable: (relation.commands & canInsert) !== 0,
      updatable: (relation.commands & canUpdate) !== 0,
      deletable: (relation.commands & canDelete) !== 0,
    }
  })
  return new Map(tables.map((table) => [qualifiedKey(table.name), table]))
}

const buildColumn = (
  row: z.output<typeof columnRow>,
  typeOf: (oid: number) => CatalogType,
): CatalogColumn => ({
  name: row.name,
  position: row.position,
  type: typeOf(row.type),
  nullable: row.nullable,
  hasDefault: row.hasDefault,
  generated: row.generated,
  identity: row.identity === 'a' ? 'always' : row.identity === 'd' ? 'by-default' : undefined,
  comment: row.comment ?? undefined,
})

const buildForeignKey = (row: z.output<typeof foreignKeyRow>): ForeignKey => ({
  constraint: row.name,
  columns: row.columns,
  refTable: { name: row.refTable, schema: row.refSchema },
  refColumns: row.refColumns,
})

function buildFunctions(
  rows: Introspection,
  typeOf: (oid: number) => CatalogType,
  rowTypeOf: (oid: number) => QualifiedName | undefined,
): Catalog['functions'] {
  const functions = rows.functions.map((row): CatalogFunction => ({
    name: { name: row.name, schema: row.schema },
    oid: row.oid,
    comment: row.comment ?? undefined,
    volatility: volatilities[row.volatility],
    returnsSet: row.returnsSet,
    returns: typeOf(row.returns),
    returnsTable: rowTypeOf(row.returns),
    variadic: row.variadic,
    arguments: inputArguments(row, typeOf, rowTypeOf),
  }))
  return Map.groupBy(functions, (fn) => qualifiedKey(fn.name))
}

/** Arguments of the modes `i`, `b` and `v` are inputs; `o` and `t` (RETURNS TABLE) are results. */
function inputArguments(
  row: z.output<typeof functionRow>,
  typeOf: (oid: number) => CatalogType,
  rowTypeOf: (oid: number) => QualifiedName | undefined,
): readonly FunctionArgument[] {
  const all = row.argumentTypes.map((oid, index) => ({
    oid,
    mode: row.argumentModes?.[index] ?? 'i',
    name: row.argumentNames?.[index],
  }))
  const inputs = all.filter(({ mode }) => mode === 'i' || mode === 'b' || mode === 'v')
  const firstDefault = inputs.length - row.defaults
  return inputs.map(({ oid, name }, index) => ({
    name: name === '' ? undefined : name,
    type: typeOf(oid),
    hasDefault: index >= firstDefault,
    table: rowTypeOf(oid),
  }))
}

function buildEnums(rows: Introspection): Catalog['enums'] {
  const enums = rows.types.flatMap(({ schema, name, labels }): EnumType[] =>
    labels ? [{ name: { name, schema }, values: labels }] : [],
  )
  return new Map(enums.map((type) => [qualifiedKey(type.name), type]))
}
