import type { Predicate } from '../schema/predicate.ts'
import type { SourceModel, TableModel } from '../schema/source-model.ts'
import type { RoleAccess } from '../schema/table-access.ts'

/** Where a planner looks up tables and what the role may see of them. */
export interface PlanScope {
  readonly source: SourceModel
  readonly access: RoleAccess
}

export function relatedTable({ source }: PlanScope, key: string): TableModel {
  const table = source.tables.get(key)
  if (table === undefined) throw new Error(`The source model has no table ${key}`)
  return table
}

/** The rows of a table that the role may see. The schema never leads to a table of which it may see none. */
export const visibleRows = ({ access }: PlanScope, table: TableModel): Predicate =>
  access.table(table).select?.filter ?? { kind: 'constant', value: false }
