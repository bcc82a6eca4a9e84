import type { RoleAccess, SelectAccess } from './table-access.ts'
import type { SchemaFeature } from './schema-feature.ts'
import type { ColumnModel, ComputedFieldModel, SourceModel, TableModel } from './source-model.ts'

/** The parts that every builder of types needs: the tracked tables and the role's access to them. */
export interface SchemaContext {
  readonly source: SourceModel
  readonly access: RoleAccess
  /** Features hidden from every role. */
  readonly features: readonly SchemaFeature[]
}

/** The table of a key of the model. Throws for an unknown key, which is a bug. */
export function tableOf({ source }: SchemaContext, key: string): TableModel {
  const table = source.tables.get(key)
  if (table === undefined) throw new Error(`The source model has no table ${key}`)
  return table
}

export const selectAccess = ({ access }: SchemaContext, table: TableModel): SelectAccess | undefined =>
  access.table(table).select

/** The columns that the role may read, in the order of the table. */
export function visibleColumns(context: SchemaContext, table: TableModel): readonly ColumnModel[] {
  const select = selectAccess(context, table)
  return select === undefined
    ? []
    : [...table.columns.values()].filter(({ name }) => select.columns.has(name))
}

export function visibleComputedFields(
  context: SchemaContext,
  table: TableModel,
): readonly ComputedFieldModel[] {
  const select = selectAccess(context, table)
  if (select === undefined) return []
  return [...table.computedFields.values()].filter(({ name, returns }) =>
    returns.kind === 'scalar'
      ? select.computedFields.has(name)
      : selectAccess(context, tableOf(context, returns.table)) !== undefined,
  )
}

/** Relationships to tables that the role may read. */
export const visibleRelationships = (context: SchemaContext, table: TableModel) =>
  [...table.relationships.values()].flatMap((relationship) => {
    const target = tableOf(context, relationship.target)
    const select = selectAccess(context, target)
    return select === undefined ? [] : [{ relationship, target, select }]
  })

/** Whether the role may read the table's rows at all. */
export const isSelectable = (context: SchemaContext, table: TableModel): boolean =>
  selectAccess(context, table) !== undefined

/** Empty for tables and views without a primary key. */
export const primaryKeyColumns = (table: TableModel): readonly ColumnModel[] =>
  (table.catalog.primaryKey?.columns ?? [])
    .map((name) => table.columnsByName.get(name))
    .filter((column) => column !== undefined)

/** Columns that a stream can follow: those that the role may read in every row. */
export const streamableColumns = (context: SchemaContext, table: TableModel): readonly ColumnModel[] =>
  visibleColumns(context, table).filter((column) => !isMasked(context, table, column))

/** Whether an inherited role may read the column in some rows only. */
export const isMasked = (context: SchemaContext, table: TableModel, { name }: ColumnModel): boolean =>
  selectAccess(context, table)?.masks.columns.has(name) === true

/** Whether the role may read every column of the primary key, so that a row can be identified by it. */
export function isAddressable(context: SchemaContext, table: TableModel): boolean {
  const key = primaryKeyColumns(table)
  const visible = visibleColumns(context, table)
  return key.length > 0 && key.every((column) => visible.includes(column))
}
