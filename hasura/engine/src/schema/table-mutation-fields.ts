import { GraphQLList, GraphQLNonNull } from 'graphql'
import { commentedFields } from './commented-fields.ts'
import { keyArguments } from './key-arguments.ts'
import { renamed } from './naming.ts'
import { type FieldConfigMap, field } from './row-field.ts'
import { type SchemaContext, isAddressable } from './schema-context.ts'
import type { TableModel } from './source-model.ts'
import type { TypeBuilders } from './type-builders.ts'

/** A table's fields of the mutation root. A role without select permission can write, but gets no rows back. */
export function tableMutationFields(
  context: SchemaContext,
  table: TableModel,
  builders: TypeBuilders,
): FieldConfigMap {
  const { insert, select, update, delete: deletion } = context.access.table(table)
  const operators = builders.mutations.updateOperators(table)
  const setsSomething =
    update !== undefined && (Object.keys(operators).length > 0 || update.presets.length > 0)
  const fields = {
    ...(insert !== undefined && insertFields(table, builders, { answersRow: select !== undefined })),
    ...(setsSomething && updateFields(context, table, builders)),
    ...(deletion !== undefined && deleteFields(context, table, builders)),
  }
  return commentedFields(fields, table)
}

function insertFields(
  table: TableModel,
  { rows, mutations }: TypeBuilders,
  { answersRow }: { readonly answersRow: boolean },
): FieldConfigMap {
  const { rootFields, name } = table
  const input = new GraphQLNonNull(mutations.insertInput(table))
  const objects = { type: new GraphQLNonNull(new GraphQLList(input)), description: 'the rows to be inserted' }
  const conflict = mutations.onConflict(table)
  const many = field({ kind: 'insert', table, one: false }, mutations.response(table), {
    args: { objects, ...conflict },
    description: `insert data into the table: "${name.name}"`,
  })
  if (!answersRow) return { [rootFields.insert]: many }
  return {
    [rootFields.insert]: many,
    [rootFields.insertOne]: field({ kind: 'insert', table, one: true }, rows.row(table), {
      args: { object: { type: input, description: 'the row to be inserted' }, ...conflict },
      description: `insert a single row into the table: "${name.name}"`,
    }),
  }
}

function updateFields(
  context: SchemaContext,
  table: TableModel,
  { filters, rows, mutations }: TypeBuilders,
): FieldConfigMap {
  const { rootFields, name } = table
  const operators = mutations.updateOperators(table)
  const response = mutations.response(table)
  const key = () =>
    renamed(
      { pk_columns: { type: new GraphQLNonNull(mutations.keyColumns(table)) } },
      context.source.naming.field,
    )
  const updates = () => new GraphQLList(new GraphQLNonNull(mutations.updates(table)))
  return {
    [rootFields.update]: field({ kind: 'update', table }, response, {
      args: { ...operators, ...chosenRows(filters, table, 'updated') },
      description: `update data of the table: "${name.name}"`,
    }),
    ...(isAddressable(context, table) && {
      [rootFields.updateByPk]: field({ kind: 'update-by-key', table }, rows.row(table), {
        args: { ...operators, ...key() },
        description: `update single row of the table: "${name.name}"`,
      }),
    }),
    ...(!context.features.includes('hide_update_many_fields') && {
      [rootFields.updateMany]: field({ kind: 'update-many', table }, new GraphQLList(response), {
        args: {
          updates: { type: new GraphQLNonNull(updates()), description: 'updates to execute, in order' },
        },
        description: `update multiples rows of table: "${name.name}"`,
      }),
    }),
  }
}

function deleteFields(
  context: SchemaContext,
  table: TableModel,
  { filters, rows, mutations, scalars }: TypeBuilders,
): FieldConfigMap {
  const { rootFields, name } = table
  return {
    [rootFields.delete]: field({ kind: 'delete', table }, mutations.response(table), {
      args: chosenRows(filters, table, 'deleted'),
      description: `delete data from the table: "${name.name}"`,
    }),
    ...(isAddressable(context, table) && {
      [rootFields.deleteByPk]: field({ kind: 'delete-by-key', table }, rows.row(table), {
        args: keyArguments(table, scalars),
        description: `delete single row from the table: "${name.name}"`,
      }),
    }),
  }
}

const chosenRows = (filters: TypeBuilders['filters'], table: TableModel, done: 'updated' | 'deleted') => ({
  where: {
    type: new GraphQLNonNull(filters.boolExp(table)),
    description: `filter the rows which have to be ${done}`,
  },
})
