import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { memoize } from './memoize.ts'
import { field } from './row-field.ts'
import { type SchemaContext, isMasked, isSelectable, primaryKeyColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

/** The types that Relay adds to those of rows: `Node`, connections and their pages. */
export interface RelayTypes {
  readonly node: GraphQLInterfaceType
  /** Whether the table's rows have ids. An id contains the row's key, so the table needs a primary key. */
  readonly isNode: (table: TableModel) => boolean
  readonly connection: (table: TableModel) => GraphQLObjectType
  /** A connection's arguments in place of `limit` and `offset`. */
  readonly pageArguments: GraphQLFieldConfigArgumentMap
}

export function createRelayTypes(
  context: SchemaContext,
  row: (table: TableModel) => GraphQLObjectType,
): RelayTypes {
  const node = new GraphQLInterfaceType({
    name: 'Node',
    description: 'An object with globally unique ID',
    fields: { id: { type: new GraphQLNonNull(GraphQLID), description: 'A globally unique identifier' } },
  })
  const pageInfo = new GraphQLObjectType({
    name: 'PageInfo',
    fields: {
      endCursor: field({ kind: 'page-info', part: 'endCursor' }, new GraphQLNonNull(GraphQLString)),
      hasNextPage: field({ kind: 'page-info', part: 'hasNextPage' }, new GraphQLNonNull(GraphQLBoolean)),
      hasPreviousPage: field(
        { kind: 'page-info', part: 'hasPreviousPage' },
        new GraphQLNonNull(GraphQLBoolean),
      ),
      startCursor: field({ kind: 'page-info', part: 'startCursor' }, new GraphQLNonNull(GraphQLString)),
    },
  })
  const edge = memoize(
    (table: TableModel) =>
      new GraphQLObjectType({
        name: `${table.typeName}Edge`,
        fields: () => ({
          cursor: field({ kind: 'cursor' }, new GraphQLNonNull(GraphQLString)),
          node: field({ kind: 'edge-node' }, new GraphQLNonNull(row(table))),
        }),
      }),
  )
  const connection = memoize(
    (table: TableModel) =>
      new GraphQLObjectType({
        name: `${table.typeName}Connection`,
        description: `A Relay connection object on "${table.name.name}"`,
        fields: () => ({
          edges: field(
            { kind: 'edges' },
            new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edge(table)))),
          ),
          pageInfo: field({ kind: 'page' }, new GraphQLNonNull(pageInfo)),
        }),
      }),
  )
  // As in Hasura, the role need not be able to read the key. But if an inherited role may read it in some rows only,
  // ids would reveal it in the others.
  const isNode = (table: TableModel): boolean =>
    isSelectable(context, table) &&
    primaryKeyColumns(table).length > 0 &&
    primaryKeyColumns(table).every((column) => !isMasked(context, table, column))
  return { node, connection, isNode, pageArguments }
}

const pageArguments: GraphQLFieldConfigArgumentMap = {
  after: { type: GraphQLString },
  before: { type: GraphQLString },
  first: { type: GraphQLInt },
  last: { type: GraphQLInt },
}
