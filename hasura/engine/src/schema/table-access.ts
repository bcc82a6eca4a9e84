import type { FunctionMetadata } from '../metadata/table.ts'
import type { ValidateInput } from '../metadata/permission.ts'
import type { Action } from '../metadata/action.ts'
import type { Predicate, Value } from './predicate.ts'
import type { TableModel } from './source-model.ts'

/** What a role may do with a table. An operation that is absent is not allowed. */
export interface TableAccess {
  readonly select: SelectAccess | undefined
  readonly insert: InsertAccess | undefined
  readonly update: UpdateAccess | undefined
  readonly delete: DeleteAccess | undefined
}

export interface SelectAccess {
  /** By name in Postgres. */
  readonly columns: ReadonlySet<string>
  /** Scalar computed fields; those that return a table follow the access to that table. */
  readonly computedFields: ReadonlySet<string>
  readonly filter: Predicate
  readonly masks: Masks
  readonly limit: number | undefined
  readonly aggregations: boolean
  readonly queryFields: ReadonlySet<string>
  readonly subscriptionFields: ReadonlySet<string>
}

/** By name: the rows in which an inherited role sees a value. What it sees in all of its rows is not in here. */
export interface Masks {
  readonly columns: ReadonlyMap<string, Predicate>
  readonly computedFields: ReadonlyMap<string, Predicate>
}

export interface InsertAccess extends ValidatedAccess {
  readonly columns: ReadonlySet<string>
  readonly check: Predicate
  readonly presets: readonly Preset[]
}

export interface UpdateAccess extends ValidatedAccess {
  readonly columns: ReadonlySet<string>
  readonly filter: Predicate
  readonly check: Predicate
  readonly presets: readonly Preset[]
}

export interface DeleteAccess extends ValidatedAccess {
  readonly filter: Predicate
}

interface ValidatedAccess {
  /** Who is asked about the input before it is written. */
  readonly validatedBy?: ValidateInput | undefined
}

export interface Preset {
  readonly column: string
  readonly value: Value
}

export interface RoleAccess {
  readonly role: string
  readonly isAdmin: boolean
  readonly table: (table: TableModel) => TableAccess
  readonly mayCall: (metadata: FunctionMetadata, exposedAs: 'query' | 'mutation') => boolean
  readonly mayRun: (action: Action) => boolean
  /** Whether the role may ask what its schema is. */
  readonly mayIntrospect: boolean
}
