import type { RemoteStep } from '../metadata/relationship-target.ts'
import type { Action, CustomTypes } from '../metadata/types.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import type { AggregateFunction } from './aggregate-function.ts'
import type {
  NativeQueryModel,
  ColumnModel,
  ComputedFieldModel,
  FunctionModel,
  RelationshipModel,
  TableModel,
} from './source-model.ts'

/**
 * The meaning of a field in a role's schema. The schema's builder attaches it to the field and the planner reads it, so
 * the planner doesn't depend on names.
 */
export type FieldMeaning =
  | { readonly kind: 'native-query'; readonly query: NativeQueryModel }
  /** The source's root fields, below one field. */
  | { readonly kind: 'source-namespace' }
  | { readonly kind: 'rows'; readonly table: TableModel }
  | { readonly kind: 'row-by-key'; readonly table: TableModel }
  | { readonly kind: 'rows-aggregate'; readonly table: TableModel }
  /** New rows after a cursor, in a subscription. */
  | { readonly kind: 'stream'; readonly table: TableModel }
  | {
      readonly kind: 'function'
      readonly function: FunctionModel
      readonly table: TableModel
      readonly aggregate: boolean
    }
  | { readonly kind: 'insert'; readonly table: TableModel; readonly one: boolean }
  | { readonly kind: 'update'; readonly table: TableModel }
  | { readonly kind: 'update-by-key'; readonly table: TableModel }
  | { readonly kind: 'update-many'; readonly table: TableModel }
  | { readonly kind: 'delete'; readonly table: TableModel }
  | { readonly kind: 'delete-by-key'; readonly table: TableModel }
  | { readonly kind: 'action'; readonly action: Action; readonly customTypes: CustomTypes }
  /** The result of an asynchronous action. */
  | { readonly kind: 'action-result'; readonly action: Action }
  | { readonly kind: 'column'; readonly column: ColumnModel }
  | { readonly kind: 'related-row'; readonly relationship: RelationshipModel; readonly table: TableModel }
  | { readonly kind: 'related-rows'; readonly relationship: RelationshipModel; readonly table: TableModel }
  | {
      readonly kind: 'related-aggregate'
      readonly relationship: RelationshipModel
      readonly table: TableModel
    }
  | { readonly kind: 'computed-scalar'; readonly field: ComputedFieldModel }
  | { readonly kind: 'computed-rows'; readonly field: ComputedFieldModel; readonly table: TableModel }
  | { readonly kind: 'aggregate' }
  | { readonly kind: 'nodes' }
  | { readonly kind: 'count' }
  | { readonly kind: 'aggregate-function'; readonly function: AggregateFunction }
  /** The row of a Relay id. */
  | { readonly kind: 'node' }
  | { readonly kind: 'node-id'; readonly table: TableModel }
  | { readonly kind: 'connection'; readonly table: TableModel }
  | { readonly kind: 'function-connection'; readonly function: FunctionModel; readonly table: TableModel }
  | {
      readonly kind: 'related-connection'
      readonly relationship: RelationshipModel
      readonly table: TableModel
    }
  | { readonly kind: 'edges' }
  | { readonly kind: 'cursor' }
  | { readonly kind: 'edge-node' }
  | { readonly kind: 'page' }
  | {
      readonly kind: 'page-info'
      readonly part: 'startCursor' | 'endCursor' | 'hasPreviousPage' | 'hasNextPage'
    }
  /** Apollo Federation's `_service`, and its field. */
  | { readonly kind: 'service' }
  | { readonly kind: 'service-sdl'; readonly text: () => string }
  /** Rows that other subgraphs refer to, by the names of their types. */
  | { readonly kind: 'entities'; readonly tables: ReadonlyMap<string, TableModel> }
  | { readonly kind: 'affected-rows' }
  | { readonly kind: 'returning' }
  | { readonly kind: 'answer-field' }
  /** A constant answer. */
  | { readonly kind: 'constant'; readonly text: string }
  /** A field of a remote schema, by its name there. */
  | { readonly kind: 'remote-field'; readonly remote: RoleRemote; readonly name: string }
  /** The whole root of a remote schema, below one field. */
  | {
      readonly kind: 'remote-namespace'
      readonly remote: RoleRemote
      readonly operation: 'query' | 'mutation'
    }
  /** From a row, or from an object of a remote schema, into a remote schema. */
  | {
      readonly kind: 'remote-join'
      readonly remote: RoleRemote
      readonly steps: readonly RemoteStep[]
      /** The values that the steps' arguments use; for a row, its columns. */
      readonly lhs: readonly { readonly name: string; readonly column: ColumnModel | undefined }[]
    }
  /** From an object of a remote schema to rows. */
  | {
      readonly kind: 'source-join'
      readonly table: TableModel
      readonly list: boolean
      readonly mapping: readonly { readonly field: string; readonly column: ColumnModel }[]
    }
  | {
      readonly kind: 'answer-relationship'
      readonly table: TableModel
      readonly list: boolean
      /** Fields of the answer, and the columns that must equal them. */
      readonly mapping: readonly { readonly field: string; readonly column: ColumnModel }[]
    }

declare module 'graphql' {
  // The signatures must repeat graphql-js's type parameters for the declarations to merge.
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly meaning?: FieldMeaning
  }
}
