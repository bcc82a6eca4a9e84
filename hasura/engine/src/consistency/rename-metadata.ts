import { qualifiedKey, type QualifiedName } from '../metadata/qualified-name.ts'
import { relationshipKey } from '../metadata/relationship.ts'
import type { JsonObject } from '../metadata/parse.ts'
import type {
  ArrayRelationship,
  CustomTypes,
  EventTrigger,
  Metadata,
  ObjectRelationship,
  Source,
  TableMetadata,
} from '../metadata/types.ts'
import { resolveRelationship } from '../schema/build-source-model.ts'
import type { Catalog } from '../catalog/types.ts'
import { type FieldLookup, type Renaming, mapExpression } from './boolean-expression.ts'
import { fieldLookup, trackedTables } from './tracked-tables.ts'

/** New names by old names. Table keys are made of old names. */
export interface Renames {
  readonly tables: ReadonlyMap<string, QualifiedName>
  /** By table, then by column or relationship. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly relationships: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export const noRenames: Renames = { tables: new Map(), columns: new Map(), relationships: new Map() }

/** Renames tables, columns and relationships wherever metadata uses them. `catalog` is the one before the change. */
export function renameInMetadata(metadata: Metadata, catalog: Catalog, renames: Renames): Metadata {
  if (renames.tables.size === 0 && renames.columns.size === 0 && renames.relationships.size === 0)
    return metadata
  const names = newNames(renames)
  return {
    ...metadata,
    sources: metadata.sources.map((source) => renameInSource(source, catalog, names)),
    custom_types: metadata.custom_types && renameInCustomTypes(metadata.custom_types, names),
  }
}

interface NewNames {
  readonly table: (name: QualifiedName) => QualifiedName
  readonly column: (table: QualifiedName, name: string) => string
  readonly relationship: (table: QualifiedName, name: string) => string
}

const newNames = ({ tables, columns, relationships }: Renames): NewNames => ({
  table: (name) => tables.get(qualifiedKey(name)) ?? name,
  column: (table, name) => columns.get(qualifiedKey(table))?.get(name) ?? name,
  relationship: (table, name) => relationships.get(qualifiedKey(table))?.get(name) ?? name,
})

function renameInSource(source: Source, catalog: Catalog, names: NewNames): Source {
  const lookup = fieldLookup(trackedTables(source.tables, catalog), catalog)
  return { ...source, tables: source.tables.map((table) => renameInTable(table, catalog, lookup, names)) }
}

function renameInTable(
  table: TableMetadata,
  catalog: Catalog,
  lookup: FieldLookup,
  names: NewNames,
): TableMetadata {
  const own = table.table
  const column = (name: string): string => names.column(own, name)
  const expression = renamePermissions(own, lookup, names)
  return {
    ...table,
    table: names.table(own),
    configuration: table.configuration && {
      ...table.configuration,
      custom_column_names: renameKeys(table.configuration.custom_column_names, column),
      column_config: renameKeys(table.configuration.column_config, column),
    },
    object_relationships: table.object_relationships?.map((each) =>
      renameRelationship(each, own, catalog, names),
    ),
    array_relationships: table.array_relationships?.map((each) =>
      renameRelationship(each, own, catalog, names),
    ),
    insert_permissions: table.insert_permissions?.map((each) => ({
      ...each,
      permission: expression(each.permission),
    })),
    select_permissions: table.select_permissions?.map((each) => ({
      ...each,
      permission: expression(each.permission),
    })),
    update_permissions: table.update_permissions?.map((each) => ({
      ...each,
      permission: expression(each.permission),
    })),
    delete_permissions: table.delete_permissions?.map((each) => ({
      ...each,
      permission: expression(each.permission),
    })),
    event_triggers: table.event_triggers?.map((each) => renameEventTrigger(each, column)),
  }
}

function renameEventTrigger(trigger: EventTrigger, rename: (column: string) => string): EventTrigger {
  const { insert, update, delete: deletion } = trigger.definition
  const columns = (list: '*' | readonly string[]): '*' | readonly string[] =>
    list === '*' ? list : list.map(rename)
  const operation = (each: typeof insert): typeof insert =>
    each && {
      ...each,
      columns: columns(each.columns),
      ...(each.payload === undefined ? {} : { payload: columns(each.payload) }),
    }
  return {
    ...trigger,
    definition: {
      ...trigger.definition,
      ...(insert && { insert: operation(insert) }),
      ...(update && { update: operation(update) }),
      ...(deletion && { delete: operation(deletion) }),
    },
  }
}

const renameKeys = <Value>(
  entries: Readonly<Record<string, Value>> | undefined,
  rename: (key: string) => string,
): Record<string, Value> | undefined =>
  entries && Object.fromEntries(Object.entries(entries).map(([key, value]) => [rename(key), value]))

interface PermissionParts {
  readonly columns?: '*' | readonly string[] | undefined
  readonly set?: JsonObject | undefined
  readonly filter?: JsonObject | undefined
  readonly check?: JsonObject | undefined
}

function renamePermissions(table: QualifiedName, lookup: FieldLookup, names: NewNames) {
  const renaming: Renaming = {
    field: ({ table: owner, name, field }) => {
      switch (field?.kind) {
        case 'column':
          return names.column(owner, name)
        case 'relationship':
          return names.relationship(owner, name)
        case 'computed-field':
        case undefined:
          return name
      }
    },
    table: names.table,
  }
  const expression = (each: JsonObject): JsonObject => mapExpression(each, table, lookup, renaming)
  return <Parts extends PermissionParts>(parts: Parts): Parts => {
    const column = (name: string): string => names.column(table, name)
    return {
      ...parts,
      ...(parts.columns === undefined || parts.columns === '*' ? {} : { columns: parts.columns.map(column) }),
      ...(parts.set === undefined ? {} : { set: renameKeys(parts.set, column) }),
      ...(parts.filter === undefined ? {} : { filter: expression(parts.filter) }),
      ...(parts.check === undefined ? {} : { check: expression(parts.check) }),
    }
  }
}

const renameRelationship = <Relationship extends ObjectRelationship | ArrayRelationship>(
  relationship: Relationship,
  table: QualifiedName,
  catalog: Catalog,
  names: NewNames,
): Relationship => ({
  ...relationship,
  name: names.relationship(table, relationship.name),
  using: renameUsing(relationship.using, table, catalog, names),
})

type Using = ObjectRelationship['using'] | ArrayRelationship['using']

function renameUsing(using: Using, table: QualifiedName, catalog: Catalog, names: NewNames): Using {
  const key = relationshipKey(using)
  switch (key.kind) {
    case 'own-foreign-key': {
      const columns = key.columns.map((column) => names.column(table, column))
      return { foreign_key_constraint_on: oneOrMany(columns) }
    }
    case 'other-foreign-key': {
      const columns = key.columns.map((column) => names.column(key.table, column))
      const other = names.table(key.table)
      const [only = ''] = columns
      return {
        foreign_key_constraint_on:
          columns.length === 1 ? { column: only, table: other } : { columns, table: other },
      }
    }
    case 'manual': {
      const own = catalog.tables.get(qualifiedKey(table))
      const join = own && resolveRelationship(key, own, catalog.tables)
      const pairs = join?.mapping ?? []
      return {
        manual_configuration: {
          ...('manual_configuration' in using ? using.manual_configuration : {}),
          remote_table: names.table(key.table),
          column_mapping: Object.fromEntries(
            pairs.map(({ local, remote }) => [names.column(table, local), names.column(key.table, remote)]),
          ),
        },
      }
    }
  }
}

function oneOrMany(columns: readonly string[]): string | readonly string[] {
  const [only] = columns
  return columns.length === 1 && only !== undefined ? only : columns
}

const renameInCustomTypes = (types: CustomTypes, names: NewNames): CustomTypes => ({
  ...types,
  objects: types.objects?.map((object) => ({
    ...object,
    relationships: object.relationships?.map((relationship) => ({
      ...relationship,
      remote_table: names.table(relationship.remote_table),
      field_mapping: Object.fromEntries(
        Object.entries(relationship.field_mapping).map(([field, column]) => [
          field,
          names.column(relationship.remote_table, column),
        ]),
      ),
    })),
  })),
})
