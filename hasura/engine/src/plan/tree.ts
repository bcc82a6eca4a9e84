import type { CatalogType } from '../catalog/types.ts'
import type { QualifiedName } from '../metadata/types.ts'
import type { AggregateFunction } from '../schema/aggregate-function.ts'
import type { ComputedCall, Operand, Predicate, Value } from '../schema/predicate.ts'
import type { ColumnPair } from '../schema/source-model.ts'
import type { ConflictTarget } from '../sql/ast.ts'
import type { ParameterSource } from '../sql/parameter.ts'

// An operation as a small relational tree: rows of a table, their selection, and writes. The tree already contains the
// permissions, so its execution applies no further rules.

export type SelectPlan =
  /** All rows, as a JSON array. */
  | { readonly kind: 'rows'; readonly rows: RowsPlan; readonly fields: readonly RowField[] }
  /** The only row, as a JSON object, or null. */
  | { readonly kind: 'row'; readonly rows: RowsPlan; readonly fields: readonly RowField[] }
  | {
      readonly kind: 'aggregate'
      readonly rows: RowsPlan
      readonly fields: readonly AggregateField[]
      /** The most nodes, if a permission's `limit` allows fewer than there are rows. Aggregates are over all rows. */
      readonly nodeLimit: RowCount | undefined
    }
  | ConnectionPlan

/** A page of rows in a total order. */
export interface ConnectionPlan {
  readonly kind: 'connection'
  readonly rows: RowsPlan
  /** The size of the page. Absent: all rows. */
  readonly count: RowCount | undefined
  /** Whether the page is taken from the first or the last rows. */
  readonly from: 'start' | 'end'
  /** Only the rows on one side of a cursor. */
  readonly seek: { readonly side: 'after' | 'before'; readonly terms: readonly SeekTerm[] } | undefined
  readonly fields: readonly ConnectionField[]
}

/** A term of the order, and its value at the cursor. */
export interface SeekTerm {
  readonly term: OrderTermPlan
  readonly bound: string | null
}

export type ConnectionField =
  | { readonly key: string; readonly kind: 'text'; readonly text: string }
  | { readonly key: string; readonly kind: 'edges'; readonly fields: readonly EdgeField[] }
  | { readonly key: string; readonly kind: 'page'; readonly fields: readonly PageField[] }

export type EdgeField =
  | { readonly key: string; readonly kind: 'text'; readonly text: string }
  | { readonly key: string; readonly kind: 'cursor' }
  | { readonly key: string; readonly kind: 'node'; readonly fields: readonly RowField[] }

export type PageField =
  | { readonly key: string; readonly kind: 'text'; readonly text: string }
  | {
      readonly key: string
      readonly kind: 'startCursor' | 'endCursor' | 'hasPreviousPage' | 'hasNextPage'
    }

/** The rows of a table after a cursor, and the cursor of the last of them. */
export interface StreamPlan {
  readonly rows: RowsPlan
  readonly fields: readonly RowField[]
  /** The column that orders the rows. */
  readonly column: string
  /** The cursor's first value. */
  readonly initialValue: ParameterSource
}

export interface RowsPlan {
  readonly from: RowSource
  /** Pairs of a parent's column and a column of these rows that must be equal. */
  readonly join: readonly ColumnPair[]
  readonly filter: Predicate
  readonly distinctOn: readonly Operand[]
  readonly orderBy: readonly OrderTermPlan[]
  readonly limit: RowCount | undefined
  readonly offset: RowCount | undefined
}

export type RowSource =
  | { readonly kind: 'table'; readonly name: QualifiedName }
  | { readonly kind: 'function'; readonly name: QualifiedName; readonly call: ComputedCall }
  /** SQL of the metadata, with values in it. */
  | { readonly kind: 'native-query'; readonly code: readonly NativeSqlPart[] }

export type NativeSqlPart =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'value'; readonly value: Value }

export type RowCount =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'parameter'; readonly source: ParameterSource }
  /** The client's limit, but at most the permission's. */
  | { readonly kind: 'least'; readonly source: ParameterSource; readonly allowed: number }

export interface OrderTermPlan {
  readonly value: OrderValue
  readonly direction: 'ASC' | 'DESC'
  readonly nulls: 'FIRST' | 'LAST'
  /** Its path in `order_by`, and in a cursor. */
  readonly path: readonly string[]
  readonly type: CatalogType
  readonly nullable: boolean
}

export type OrderValue =
  | { readonly kind: 'operand'; readonly operand: Operand }
  | {
      readonly kind: 'related'
      readonly table: QualifiedName
      readonly join: readonly ColumnPair[]
      /** Whether a constraint allows one row at most. */
      readonly isUnique: boolean
      readonly filter: Predicate
      readonly value: OrderValue
    }
  | {
      readonly kind: 'related-aggregate'
      readonly from: RowSource
      readonly join: readonly ColumnPair[]
      readonly filter: Predicate
      readonly aggregate:
        | { readonly function: 'count' }
        | { readonly function: AggregateFunction['name']; readonly operand: Operand }
    }

/** A key of a row's JSON object. */
export interface RowField {
  readonly key: string
  readonly value: RowFieldValue
}

export type RowFieldValue =
  | {
      readonly kind: 'operand'
      readonly operand: Operand
      readonly type: CatalogType
      /** Steps into a json column. */
      readonly jsonPath: readonly string[] | undefined
    }
  | { readonly kind: 'text'; readonly text: string }
  /** The row's Relay id: its table and the values of its key. */
  | { readonly kind: 'node-id'; readonly table: QualifiedName; readonly key: readonly string[] }
  | { readonly kind: 'select'; readonly select: SelectPlan }
  /** The marker of a relationship to a remote schema, with the values that it depends on. */
  | {
      readonly kind: 'join-key'
      readonly marker: string
      readonly columns: readonly { readonly key: string; readonly name: string; readonly type: CatalogType }[]
    }

export type AggregateField =
  | { readonly key: string; readonly kind: 'text'; readonly text: string }
  /** The number of rows. */
  | { readonly key: string; readonly kind: 'count' }
  | { readonly key: string; readonly kind: 'nodes'; readonly fields: readonly RowField[] }
  | { readonly key: string; readonly kind: 'aggregate'; readonly values: readonly AggregateValue[] }

export type AggregateValue =
  | { readonly key: string; readonly kind: 'text'; readonly text: string }
  | {
      readonly key: string
      readonly kind: 'count'
      readonly columns: readonly Operand[]
      readonly distinct: boolean
    }
  | {
      readonly key: string
      readonly kind: 'function'
      readonly function: AggregateFunction
      readonly values: readonly (
        | { readonly key: string; readonly kind: 'text'; readonly text: string }
        | {
            readonly key: string
            readonly kind: 'column'
            readonly operand: Operand
            readonly type: CatalogType
          }
      )[]
    }

export type MutationPlan =
  | InsertPlan
  | NestedInsertPlan
  | UpdatePlan
  | DeletePlan
  /** Several updates of one root field, run one after the other. */
  | { readonly kind: 'update-many'; readonly updates: readonly UpdatePlan[] }
  | { readonly kind: 'call'; readonly select: SelectPlan }

export interface InsertPlan {
  readonly kind: 'insert'
  readonly table: TableShape
  readonly columns: readonly string[]
  /** One value per column; undefined is the column's default. */
  readonly rows: readonly (readonly (Value | undefined)[])[]
  readonly onConflict: OnConflictPlan | undefined
  readonly check: Predicate
  readonly output: MutationOutput
}

/** A table's name and columns, by which the rows of a statement are read. */
export interface TableShape {
  readonly name: QualifiedName
  readonly columns: readonly { readonly name: string; readonly type: CatalogType }[]
}

export interface OnConflictPlan {
  /** Absent: any conflict. */
  readonly target: ConflictTarget | undefined
  readonly update:
    | {
        readonly columns: readonly string[]
        readonly presets: readonly { readonly column: string; readonly value: Value }[]
        readonly filter: Predicate
        readonly check: Predicate
      }
    | undefined
}

export interface UpdatePlan {
  readonly kind: 'update'
  readonly table: TableShape
  readonly set: readonly UpdateAssignment[]
  readonly filter: Predicate
  readonly check: Predicate
  readonly output: MutationOutput
}

export type UpdateAssignment =
  | {
      readonly column: string
      readonly operator:
        | 'set'
        | 'increment'
        | 'multiply'
        | 'append'
        | 'prepend'
        | 'delete-key'
        | 'delete-element'
        | 'delete-path'
      readonly value: Value
    }
  | { readonly column: string; readonly operator: 'default' }

export interface DeletePlan {
  readonly kind: 'delete'
  readonly table: TableShape
  readonly filter: Predicate
  readonly output: MutationOutput
}

export type MutationOutput =
  | { readonly kind: 'response'; readonly fields: readonly ResponseField[] }
  /** The single row, or null. */
  | { readonly kind: 'row'; readonly fields: readonly RowField[] }

export type ResponseField =
  | { readonly key: string; readonly kind: 'text'; readonly text: string }
  | { readonly key: string; readonly kind: 'affected-rows' }
  | { readonly key: string; readonly kind: 'returning'; readonly fields: readonly RowField[] }

/**
 * An insert with nested rows, one row at a time: first those that it refers to, afterwards those that refer to it.
 * Values of a written row are parameters of later steps.
 */
export interface NestedInsertPlan {
  readonly kind: 'nested-insert'
  readonly steps: readonly InsertStep[]
  readonly table: TableShape
  /** The steps that write the root field's own rows. */
  readonly rootSteps: readonly number[]
  readonly output: MutationOutput
}

export interface InsertStep {
  readonly table: TableShape
  readonly columns: readonly string[]
  readonly row: readonly (Value | undefined)[]
  readonly onConflict: OnConflictPlan | undefined
  readonly check: Predicate
  /** The error, and its path, when a conflict writes no row although other rows depend on it. */
  readonly needed: { readonly message: string; readonly path: string } | undefined
  /** The path at which Hasura reports Postgres's errors of the row. */
  readonly path: string
}
