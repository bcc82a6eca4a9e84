import { GraphQLNonNull } from 'graphql'
import { type FieldConfig, type FieldConfigMap, field, listOf } from './row-field.ts'
import type { RowTypes } from './row-types.ts'
import { type SchemaContext, isSelectable, tableOf } from './schema-context.ts'
import type { FunctionModel, TableModel } from './source-model.ts'

/** The root fields of tracked functions that the role may call. */
export function functionFields(
  context: SchemaContext,
  root: 'query' | 'mutation',
  rows: RowTypes,
): FieldConfigMap {
  const fields: FieldConfigMap = {}
  for (const model of context.source.functions) {
    const table = tableOf(context, model.table)
    if (model.exposedAs !== root || !isSelectable(context, table)) continue
    if (!context.access.mayCall(model.metadata, root)) continue
    fields[model.rootField] = functionField(model, table, rows, false)
    const aggregates = root === 'query' && context.access.table(table).select?.aggregations === true
    if (aggregates && model.catalog.returnsSet)
      fields[model.aggregateRootField] = functionField(model, table, rows, true)
  }
  return fields
}

function functionField(
  model: FunctionModel,
  table: TableModel,
  rows: RowTypes,
  aggregate: boolean,
): FieldConfig {
  const single = model.catalog.returnsSet ? listOf(rows.row(table)) : rows.row(table)
  const type = aggregate ? new GraphQLNonNull(rows.aggregate(table)) : single
  return field({ kind: 'function', function: model, table, aggregate }, type, {
    args: {
      ...rows.functionArguments(model.argumentsTypeName, model.arguments),
      ...rows.selectArguments(table),
    },
    description: functionDescription(model, table, aggregate),
  })
}

/** The metadata's comment describes the field that reads rows in a query. */
function functionDescription(
  { metadata, catalog, exposedAs }: FunctionModel,
  table: TableModel,
  aggregate: boolean,
): string {
  const { name } = metadata.function
  if (exposedAs === 'mutation')
    return `execute VOLATILE function "${name}" which returns "${table.name.name}"`
  if (aggregate)
    return `execute function "${name}" and query aggregates on result of table type "${table.name.name}"`
  const comment = metadata.comment ?? catalog.comment
  return comment ?? `execute function "${name}" which returns "${table.name.name}"`
}
