import {
  GraphQLEnumType,
  type GraphQLArgumentConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'
import type { FilterTypes } from './filter-types.ts'
import { columnInput } from './input-rule.ts'
import { type Naming, renamed } from './naming.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, streamableColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

/** The arguments of `x_stream`. A table has one such field, so its types need no cache. */
export type StreamArguments = (table: TableModel) => GraphQLFieldConfigArgumentMap

const cursorOrderingType = ({ type }: Naming): GraphQLEnumType =>
  new GraphQLEnumType({
    name: type('cursor_ordering'),
    description: 'ordering argument of a cursor',
    values: {
      ASC: { description: 'ascending ordering of the cursor' },
      DESC: { description: 'descending ordering of the cursor' },
    },
  })

/** Builds the inputs of streaming subscriptions: `…_stream_cursor_input` and its parts. */
export function createStreamArguments(
  context: SchemaContext,
  scalars: ScalarTypes,
  filters: FilterTypes,
): StreamArguments {
  const { naming } = context.source
  const cursorOrdering = cursorOrderingType(naming)
  return (table) =>
    renamed<GraphQLArgumentConfig>(
      {
        batch_size: {
          type: new GraphQLNonNull(GraphQLInt),
          description: 'maximum number of rows returned in a single batch',
        },
        cursor: {
          type: new GraphQLNonNull(new GraphQLList(cursorInput(context, table, scalars, cursorOrdering))),
          description: 'cursor to stream the results returned by the query',
        },
        where: { type: filters.boolExp(table), description: 'filter the rows returned' },
      },
      naming.field,
    )
}

function cursorInput(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
  cursorOrdering: GraphQLEnumType,
): GraphQLInputObjectType {
  const initialValue = new GraphQLInputObjectType({
    name: table.typeNamed('stream_cursor_value_input'),
    description: 'Initial value of the column from where the streaming should start',
    fields: () =>
      Object.fromEntries(
        streamableColumns(context, table).map((column) => [
          column.graphqlName,
          columnInput(scalars.ofColumn(column), { description: column.comment }),
        ]),
      ),
  })
  return new GraphQLInputObjectType({
    name: table.typeNamed('stream_cursor_input'),
    description: `Streaming cursor of the table "${table.typeName}"`,
    fields: renamed<GraphQLInputFieldConfig>(
      {
        initial_value: {
          type: new GraphQLNonNull(initialValue),
          description: 'Stream column input with initial value',
        },
        ordering: { type: cursorOrdering, description: 'cursor ordering' },
      },
      context.source.naming.field,
    ),
  })
}
