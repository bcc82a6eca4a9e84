import type { Catalog, CatalogTable } from '../catalog/types.ts'
import { type QualifiedName, qualifiedKey } from '../metadata/qualified-name.ts'
import { relationshipKey } from '../metadata/relationship.ts'
import type { TableMetadata } from '../metadata/types.ts'
import { resolveRelationship } from '../schema/build-source-model.ts'
import type { Inconsistency } from '../snapshot.ts'
import type { Field, FieldLookup } from './boolean-expression.ts'

/** A tracked table that exists, with what was found so far. */
export interface TrackedTable {
  readonly metadata: TableMetadata
  readonly catalog: CatalogTable
}

export type TrackedTables = ReadonlyMap<string, TrackedTable>

export const trackedTable = (tables: TrackedTables, name: QualifiedName): TrackedTable | undefined =>
  tables.get(qualifiedKey(name))

/** Joins the tracked tables with the catalog. Tables that don't exist are left out. */
export const trackedTables = (tables: readonly TableMetadata[], catalog: Catalog): TrackedTables =>
  new Map(
    tables.flatMap((metadata): [string, TrackedTable][] => {
      const key = qualifiedKey(metadata.table)
      const found = catalog.tables.get(key)
      return found ? [[key, { metadata, catalog: found }]] : []
    }),
  )

/** A table after a check, with what was kept of it, and what is wrong with the rest. */
export interface CheckedTable {
  readonly table: TrackedTable
  readonly inconsistencies: readonly Inconsistency[]
}

/** The table itself, if all of it was kept: of many tables, few are copied. */
export const withKept = (
  table: TrackedTable,
  kept: Partial<TableMetadata>,
  inconsistencies: readonly Inconsistency[],
): CheckedTable => ({
  table: inconsistencies.length === 0 ? table : { ...table, metadata: { ...table.metadata, ...kept } },
  inconsistencies,
})

/** A column's field name in GraphQL. */
export const columnFieldName = (metadata: TableMetadata, column: string): string =>
  metadata.configuration?.column_config?.[column]?.custom_name ??
  metadata.configuration?.custom_column_names?.[column] ??
  column

/** Looks up names of boolean expressions in the tracked tables. */
export const fieldLookup =
  (tables: TrackedTables, catalog: Catalog): FieldLookup =>
  (name, field) => {
    const table = trackedTable(tables, name)
    return table ? fieldOf(table, catalog, field) : columnOf(catalog.tables.get(qualifiedKey(name)), field)
  }

const columnOf = (table: CatalogTable | undefined, name: string): Field | undefined =>
  table?.columns.some((column) => column.name === name) === true ? { kind: 'column' } : undefined

function fieldOf(table: TrackedTable, catalog: Catalog, name: string): Field | undefined {
  const column = columnOf(table.catalog, name)
  if (column) return column
  const { object_relationships = [], array_relationships = [], computed_fields = [] } = table.metadata
  const relationship = [...object_relationships, ...array_relationships].find((each) => each.name === name)
  if (relationship) {
    const join = resolveRelationship(relationshipKey(relationship.using), table.catalog, catalog.tables)
    return join && { kind: 'relationship', target: join.target }
  }
  const computed = computed_fields.find((each) => each.name === name)
  if (!computed) return undefined
  const [fn] = catalog.functions.get(qualifiedKey(computed.definition.function)) ?? []
  return { kind: 'computed-field', target: fn?.returnsSet === true ? fn.returnsTable : undefined }
}
