import {
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isListType,
  isObjectType,
} from 'graphql'
import { z } from 'zod'

const Metadata = z.object({
  metadata: z.object({
    sources: z.tuple([
      z.object({
        tables: z.array(
          z.object({
            table: z.object({ schema: z.string(), name: z.string() }),
          }),
        ),
      }),
    ]),
  }),
})

/** A table as Hasura tracks it. */
export interface TrackedTable {
  /** `ordering.order`, as in tables.csv. */
  readonly name: string
  /** Its name in SQL. */
  readonly sql: string
  /** The GraphQL type of its rows. */
  readonly type: string
}

export async function trackedTables(
  hasuraUrl: string,
  adminSecret: string,
): Promise<readonly TrackedTable[]> {
  const response = await fetch(`${hasuraUrl}/v1/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': adminSecret },
    body: JSON.stringify({ type: 'export_metadata', version: 2, args: {} }),
    signal: AbortSignal.timeout(60_000),
  })
  const [source] = Metadata.parse(await response.json()).metadata.sources
  return source.tables.map(({ table: { schema, name } }) => ({
    name: `${schema}.${name}`,
    sql: `"${schema}"."${name}"`,
    type: `${schema}_${name}`,
  }))
}

/**
 * The table of a root field of Hasura's own API and what the field does. Null if it belongs to an action, a function
 * or Relay.
 */
export interface TableField {
  readonly table: TrackedTable
  readonly does: 'list' | 'aggregate' | 'byKey' | 'stream' | 'insert' | 'update' | 'delete' | 'connection'
  readonly field: GraphQLField<unknown, unknown>
}

export function tableFields(type: GraphQLObjectType, tables: readonly TrackedTable[]): readonly TableField[] {
  const byType = new Map(tables.map((table) => [table.type, table]))
  return Object.values(type.getFields()).flatMap((field) => {
    const does = purposeOf(field)
    const table = byType.get(rowType(field))
    return does === null || table === undefined ? [] : [{ table, does, field }]
  })
}

/**
 * The row type of a field: `ordering_order` for `ordering_order_aggregate`, `ordering_orderConnection` and the like.
 */
const rowType = (field: GraphQLField<unknown, unknown>): string =>
  getNamedType(field.type).name.replace(/(_aggregate|_mutation_response|Connection)$/, '')

function purposeOf(field: GraphQLField<unknown, unknown>): TableField['does'] | null {
  const args = new Set(field.args.map(({ name }) => name))
  const named = getNamedType(field.type).name
  if (args.has('args')) return null
  if (args.has('cursor')) return 'stream'
  if (args.has('objects') || args.has('object')) return 'insert'
  if (args.has('_set') || args.has('updates') || args.has('pk_columns')) return 'update'
  if (field.name.startsWith('delete')) return 'delete'
  if (named.endsWith('_aggregate')) return 'aggregate'
  if (named.endsWith('Connection')) return 'connection'
  if (args.has('where') && isListType(getNullableType(field.type))) return 'list'
  return 'byKey'
}

/** A relationship of a table, or its aggregate. */
export interface Relationship {
  readonly name: string
  readonly to: TrackedTable
  readonly counts: boolean
}

export function relationshipsOf(
  schema: GraphQLSchema,
  table: TrackedTable,
  tables: readonly TrackedTable[],
): readonly Relationship[] {
  const type = schema.getType(table.type)
  if (!isObjectType(type)) return []
  const byType = new Map(tables.map((each) => [each.type, each]))
  return Object.values(type.getFields()).flatMap((field) => {
    const to = byType.get(rowType(field))
    return to === undefined || field.args.some(({ name }) => name === 'args')
      ? []
      : [{ name: field.name, to, counts: getNamedType(field.type).name.endsWith('_aggregate') }]
  })
}
