import type { FunctionMetadata } from '../metadata/table.ts'
import type { ValidateInput } from '../metadata/permission.ts'
import type { Action } from '../metadata/action.ts'
import type { Predicate, Value } from './predicate.ts'
import type { TableModel } from './source-model.ts'

/** A role's access to a table. An absent operation is not allowed. */
export interface TableAccess {
  readonly select: SelectAccess | undefined
  readonly insert: InsertAccess | undefined
  readonly update: UpdateAccess | undefined
  readonly delete: DeleteAccess | undefined
}

export interface SelectAccess {
  /** By name in Postgres. */
  readonly columns: ReadonlySet<string>
  /** Scalar computed fields. Those that return a table's rows depend on the access to that table. */
  readonly computedFields: ReadonlySet<string>
  readonly filter: Predicate
  readonly masks: Masks
  readonly limit: number | undefined
  readonly aggregations: boolean
  readonly queryFields: ReadonlySet<string>
  readonly subscriptionFields: ReadonlySet<string>
}

/** By name: in which rows an inherited role may read the value. Values that it may read in all rows have no entry. */
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

interface DeleteAccess extends ValidatedAccess {
  readonly filter: Predicate
}

interface ValidatedAccess {
  /** The service that validates the input before it is written. */
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
  /** Whether the role may use introspection. */
  readonly mayIntrospect: boolean
}
