import type { Predicate } from '../schema/predicate.ts'
import type { SourceModel, TableModel } from '../schema/source-model.ts'
import type { RoleAccess } from '../schema/table-access.ts'

/** The tables, and the role's access to them. */
export interface PlanScope {
  readonly source: SourceModel
  readonly access: RoleAccess
}

export function relatedTable({ source }: PlanScope, key: string): TableModel {
  const table = source.tables.get(key)
  if (table === undefined) throw new Error(`The source model has no table ${key}`)
  return table
}

/** The table's rows that the role may see. The schema never leads to a table of which it may see none. */
export const visibleRows = ({ access }: PlanScope, table: TableModel): Predicate =>
  access.table(table).select?.filter ?? { kind: 'constant', value: false }
