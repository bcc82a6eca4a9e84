import { enumTableShape, enumValuesProblem } from '../catalog/enum-tables.ts'
import type { Catalog } from '../catalog/types.ts'
import { displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { TableMetadata } from '../metadata/types.ts'
import { becauseOf, checkEach, tableObject, type Checked } from './metadata-object.ts'

/** A tracked table must exist and be tracked once; one tracked as an enum must be able to be one. */
export function checkTables(
  source: string,
  tables: readonly TableMetadata[],
  catalog: Catalog,
): Checked<TableMetadata> {
  const seen = new Set<string>()
  return checkEach(
    tables,
    (table) => {
      const key = qualifiedKey(table.table)
      if (seen.has(key)) return `multiple definitions in metadata for table "${displayName(table.table)}"`
      seen.add(key)
      return tableProblem(table, catalog)
    },
    (table) => tableObject(source, table.table),
  )
}

function tableProblem(table: TableMetadata, catalog: Catalog): string | undefined {
  const name = displayName(table.table)
  const found = catalog.tables.get(qualifiedKey(table.table))
  if (!found) return `no such table/view exists in source: "${name}"`
  const unknown = Object.keys(table.configuration?.column_config ?? {}).find(
    (column) => !found.columns.some((each) => each.name === column),
  )
  if (unknown !== undefined) {
    return `in table "${name}": the column "${unknown}" of column_config does not exist`
  }
  if (table.is_enum !== true) return undefined
  const shape = enumTableShape(found)
  const problems = 'value' in shape ? enumValueProblems(table, catalog) : shape
  return problems.length > 0
    ? `the table "${name}" cannot be used as an enum ${becauseOf(problems)}`
    : undefined
}

function enumValueProblems(table: TableMetadata, catalog: Catalog): readonly string[] {
  const problem = enumValuesProblem(catalog.enumTables.get(qualifiedKey(table.table)) ?? [])
  return problem === undefined ? [] : [problem]
}
