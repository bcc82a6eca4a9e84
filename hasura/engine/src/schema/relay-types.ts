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

/** What Relay adds to the types of rows: `Node`, connections and their pages. */
export interface RelayTypes {
  readonly node: GraphQLInterfaceType
  /** Rows of tables that have a key have an id of their own, which is made of it. */
  readonly isNode: (table: TableModel) => boolean
  readonly connection: (table: TableModel) => GraphQLObjectType
  /** What a connection takes instead of `limit` and `offset`. */
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
  // As in Hasura, whether the role may read the key makes no difference; only where an inherited role may read it in some
  // rows alone, an id would tell it in the others.
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
