import { GraphQLNonNull } from 'graphql'
import { commentedFields } from './commented-fields.ts'
import { keyArguments } from './key-arguments.ts'
import type { SelectAccess } from './table-access.ts'
import { type FieldConfigMap, field, listOf } from './row-field.ts'
import { type SchemaContext, isAddressable, streamableColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'
import type { TypeBuilders } from './type-builders.ts'

/** A table's fields of the query root. */
export function tableQueryFields(
  context: SchemaContext,
  table: TableModel,
  builders: TypeBuilders,
): FieldConfigMap {
  const select = context.access.table(table).select
  if (select === undefined) return {}
  return commentedFields(selectFields(context, table, select, select.queryFields, builders), table)
}

/** A table's fields of the subscription root: the query fields, and the stream of new rows. */
export function tableSubscriptionFields(
  context: SchemaContext,
  table: TableModel,
  builders: TypeBuilders,
): FieldConfigMap {
  const select = context.access.table(table).select
  if (select === undefined) return {}
  const { rootFields, name } = table
  const fields = selectFields(context, table, select, select.subscriptionFields, builders)
  const isStreamed =
    !context.features.includes('hide_stream_fields') &&
    select.subscriptionFields.has('select_stream') &&
    streamableColumns(context, table).length > 0
  if (isStreamed)
    fields[rootFields.selectStream] = field({ kind: 'stream', table }, listOf(builders.rows.row(table)), {
      args: builders.streamArguments(table),
      description: `fetch data from the table in a streaming manner: "${name.name}"`,
    })
  return commentedFields(fields, table)
}

function selectFields(
  context: SchemaContext,
  table: TableModel,
  select: SelectAccess,
  allowed: ReadonlySet<string>,
  { scalars, rows }: TypeBuilders,
): FieldConfigMap {
  const { rootFields, name } = table
  const fields: FieldConfigMap = {}
  const args = rows.selectArguments(table)
  if (allowed.has('select'))
    fields[rootFields.select] = field({ kind: 'rows', table }, listOf(rows.row(table)), {
      args,
      description: `fetch data from the table: "${name.name}"`,
    })
  if (select.aggregations && allowed.has('select_aggregate'))
    fields[rootFields.selectAggregate] = field(
      { kind: 'rows-aggregate', table },
      new GraphQLNonNull(rows.aggregate(table)),
      { args, description: `fetch aggregated fields from the table: "${name.name}"` },
    )
  if (isAddressable(context, table) && allowed.has('select_by_pk'))
    fields[rootFields.selectByPk] = field({ kind: 'row-by-key', table }, rows.row(table), {
      args: keyArguments(table, scalars),
      description: `fetch data from the table: "${name.name}" using primary key columns`,
    })
  return fields
}
