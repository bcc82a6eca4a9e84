import { GraphQLID, GraphQLNonNull } from 'graphql'
import { type FieldConfigMap, field } from './row-field.ts'
import type { RowTypes } from './row-types.ts'
import { type SchemaContext, tableOf } from './schema-context.ts'
import type { TableModel } from './source-model.ts'
import { inSourceNamespace } from './source-namespace.ts'

/** Relay's root fields: a connection for each table and function whose rows have ids, and `node`. */
export function relayRootFields(context: SchemaContext, rows: RowTypes): FieldConfigMap {
  const { relay } = rows
  const fields: FieldConfigMap = {}
  if (relay === undefined) return fields
  const connection = (table: TableModel) => new GraphQLNonNull(relay.connection(table))
  for (const table of context.source.tables.values())
    if (relay.isNode(table) && context.access.table(table).select?.queryFields.has('select') === true)
      fields[table.rootFields.selectConnection] = field({ kind: 'connection', table }, connection(table), {
        args: rows.connectionArguments(table),
        description: `fetch data from the table: "${table.name.name}"`,
      })
  for (const model of context.source.functions) {
    const table = tableOf(context, model.table)
    if (model.exposedAs !== 'query' || !relay.isNode(table) || !model.catalog.returnsSet) continue
    if (!context.access.mayCall(model.metadata, 'query')) continue
    fields[model.connectionRootField] = field(
      { kind: 'function-connection', function: model, table },
      connection(table),
      {
        args: {
          ...rows.functionArguments(model.argumentsTypeName, model.arguments),
          ...rows.connectionArguments(table),
        },
        description: `execute function "${model.metadata.function.name}" which returns "${table.name.name}"`,
      },
    )
  }
  if (Object.keys(fields).length === 0) return fields
  return {
    ...inSourceNamespace(fields, 'query', context.source),
    node: field({ kind: 'node' }, relay.node, {
      args: { id: { type: new GraphQLNonNull(GraphQLID), description: 'A globally unique id' } },
    }),
  }
}
