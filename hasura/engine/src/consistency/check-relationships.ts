import type { Catalog, CatalogTable } from '../catalog/types.ts'
import { type QualifiedName, displayName } from '../metadata/qualified-name.ts'
import { type RelationshipKey, relationshipKey } from '../metadata/relationship.ts'
import type { ArrayRelationship, ObjectRelationship } from '../metadata/types.ts'
import { resolveRelationship } from '../schema/build-source-model.ts'
import { type RelationshipKind, checkEach, relationshipObject } from './metadata-object.ts'
import {
  type CheckedTable,
  type TrackedTable,
  type TrackedTables,
  columnFieldName,
  trackedTable,
  withKept,
} from './tracked-tables.ts'

/** Keeps the relationships whose target exists. */
export function checkRelationships(
  source: string,
  table: TrackedTable,
  tables: TrackedTables,
  catalog: Catalog,
): CheckedTable {
  const { metadata } = table
  const names = new Set<string>()
  const check = <Relationship extends ObjectRelationship | ArrayRelationship>(
    kind: RelationshipKind,
    relationships: readonly Relationship[] | undefined,
  ) =>
    checkEach(
      relationships,
      (relationship) => {
        const problem = relationshipProblem(kind, relationship, table, tables, catalog)
        if (problem !== undefined) return problem
        if (names.has(relationship.name)) return `conflicting definitions for field "${relationship.name}"`
        names.add(relationship.name)
        return undefined
      },
      (relationship) => relationshipObject(source, metadata.table, kind, relationship),
    )
  const objects = check('object', metadata.object_relationships)
  const arrays = check('array', metadata.array_relationships)
  return withKept(table, { object_relationships: objects.kept, array_relationships: arrays.kept }, [
    ...objects.inconsistencies,
    ...arrays.inconsistencies,
  ])
}

function relationshipProblem(
  kind: RelationshipKind,
  relationship: ObjectRelationship | ArrayRelationship,
  table: TrackedTable,
  tables: TrackedTables,
  catalog: Catalog,
): string | undefined {
  const problem = keyProblem(relationshipKey(relationship.using), table, tables, catalog)
  switch (problem?.kind) {
    case 'wrong-key':
      return `in table "${displayName(table.metadata.table)}": in relationship "${relationship.name}": ${problem.reason}`
    case 'missing-dependency':
      return problem.reason
    case undefined:
      return fieldNameProblem(
        kind === 'array' ? [relationship.name, `${relationship.name}_aggregate`] : [relationship.name],
        table,
      )
  }
}

/** Hasura words a wrong definition and a missing dependency differently. */
type KeyProblem =
  | { readonly kind: 'wrong-key'; readonly reason: string }
  | { readonly kind: 'missing-dependency'; readonly reason: string }

const missing = (reason: string): KeyProblem => ({ kind: 'missing-dependency', reason })
const wrong = (reason: string): KeyProblem => ({ kind: 'wrong-key', reason })
const noForeignKey = wrong('no foreign constraint exists on the given column')

function keyProblem(
  key: RelationshipKey,
  table: TrackedTable,
  tables: TrackedTables,
  catalog: Catalog,
): KeyProblem | undefined {
  switch (key.kind) {
    case 'own-foreign-key': {
      const join = resolveRelationship(key, table.catalog, catalog.tables)
      return join ? untracked(join.target, tables) : noForeignKey
    }
    case 'other-foreign-key': {
      if (!trackedTable(tables, key.table)) return wrong(`table "${displayName(key.table)}" does not exist`)
      return resolveRelationship(key, table.catalog, catalog.tables) ? undefined : noForeignKey
    }
    case 'manual': {
      const other = trackedTable(tables, key.table)
      if (!other) return untracked(key.table, tables)
      return (
        missingColumn(Object.keys(key.mapping), table.catalog) ??
        missingColumn(Object.values(key.mapping), other.catalog)
      )
    }
  }
}

const untracked = (table: QualifiedName, tables: TrackedTables): KeyProblem | undefined =>
  trackedTable(tables, table) ? undefined : missing(`table "${displayName(table)}" is not tracked`)

function missingColumn(columns: readonly string[], table: CatalogTable): KeyProblem | undefined {
  const absent = columns.find((name) => !table.columns.some((column) => column.name === name))
  return absent === undefined
    ? undefined
    : missing(`table "${displayName(table.name)}" has no field named "${absent}"`)
}

/** A relationship or computed field can't have the name of a column's field. */
export function fieldNameProblem(names: readonly string[], table: TrackedTable): string | undefined {
  for (const column of table.catalog.columns) {
    const fieldName = columnFieldName(table.metadata, column.name)
    if (column.name === names[0]) return 'field definition conflicts with postgres column'
    if (names.includes(fieldName)) {
      return fieldName === column.name
        ? 'field definition conflicts with postgres column'
        : `field definition conflicts with custom field name for postgres column "${column.name}"`
    }
  }
  return undefined
}
