import { HasuraError } from '../hasura-error.ts'
import { type QualifiedName, displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { PlanScope } from '../plan/plan-scope.ts'
import { readableColumn } from '../plan/readable.ts'
import type { Operand } from '../schema/predicate.ts'
import type { SelectAccess, TableAccess } from '../schema/table-access.ts'
import type { ColumnModel, TableModel } from '../schema/source-model.ts'

export function requireTable(name: QualifiedName, { source }: PlanScope): TableModel {
  const table = source.tables.get(qualifiedKey(name))
  if (table === undefined) throw new HasuraError('not-exists', `table "${displayName(name)}" does not exist`)
  return table
}

/** The role's access of a kind. Without it throws HasuraError with `why`, Hasura's words for what needs it. */
export function requireAccess<Kind extends keyof TableAccess>(
  kind: Kind,
  table: TableModel,
  { access }: PlanScope,
  why = '',
): NonNullable<TableAccess[Kind]> {
  const found = access.table(table)[kind]
  if (found === undefined)
    throw new HasuraError(
      'permission-denied',
      `${kind} on "${displayName(table.name)}" for role "${access.role}" is not allowed. ${why}`,
    )
  return found
}

/** Throws HasuraError for a column that the role may not use in this way. */
export function requireColumn(
  kind: 'select' | 'insert' | 'update',
  name: string,
  allowed: ReadonlySet<string>,
  { access }: PlanScope,
): void {
  if (allowed.has(name)) return
  throw new HasuraError(
    'permission-denied',
    access.isAdmin
      ? `no such column exists : "${name}"`
      : `role "${access.role}" does not have permission to ${kind} column "${name}"`,
  )
}

/** A column by its name in Postgres. For any other field throws HasuraError that ends with `use`. */
export function columnNamed(name: string, table: TableModel, use: string): ColumnModel {
  const column = table.columnsByName.get(name)
  if (column !== undefined) return column
  const kind = kindOf(name, table)
  throw kind === undefined
    ? new HasuraError('not-exists', `column "${name}" does not exist`)
    : new HasuraError(
        'unexpected-payload',
        `expecting a database column; but, "${name}" is a ${kind}; ${use}`,
      )
}

export const kindOf = (name: string, table: TableModel): 'relationship' | 'computed field' | undefined =>
  table.relationships.has(name)
    ? 'relationship'
    : table.computedFields.has(name)
      ? 'computed field'
      : undefined

/** A column as the role may read it. */
export function selectedColumn(
  name: string,
  table: TableModel,
  select: SelectAccess,
  scope: PlanScope,
  use: string,
): { readonly column: ColumnModel; readonly operand: Operand } {
  requireColumn('select', name, select.columns, scope)
  const column = columnNamed(name, table, use)
  return { column, operand: readableColumn(column, table, scope) }
}

/** The access to a relationship's target table. Throws HasuraError when the role may not read it. */
export function relatedAccess(name: string, target: TableModel, scope: PlanScope): SelectAccess {
  const found = scope.access.table(target).select
  if (found === undefined)
    throw new HasuraError(
      'permission-denied',
      `role "${scope.access.role}" does not have permission to read relationship "${name}"; no permission on table "${displayName(target.name)}"`,
    )
  return found
}
