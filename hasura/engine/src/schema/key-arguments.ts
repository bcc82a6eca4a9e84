import { type GraphQLFieldConfigArgumentMap, GraphQLNonNull } from 'graphql'
import type { ScalarTypes } from './scalar-types.ts'
import { columnInput } from './input-rule.ts'
import { primaryKeyColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

/** The arguments that identify one row of a table by its primary key. */
export const keyArguments = (table: TableModel, scalars: ScalarTypes): GraphQLFieldConfigArgumentMap =>
  Object.fromEntries(
    primaryKeyColumns(table).map((column) => [
      column.graphqlName,
      columnInput(new GraphQLNonNull(scalars.ofColumn(column)), { description: column.comment }),
    ]),
  )
