import { z } from 'zod'
import { type RelationshipKind, relationshipObject } from '../consistency/metadata-object.ts'
import { noRenames, renameInMetadata } from '../consistency/rename-metadata.ts'
import { HasuraError } from '../hasura-error.ts'
import { editTable } from '../metadata/edit-metadata.ts'
import { nonEmptyText, record } from '../metadata/parse.ts'
import { type QualifiedName, displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import { arrayRelationshipShape, objectRelationshipShape } from '../metadata/relationship.ts'
import type { Metadata, ObjectRelationship, TableMetadata } from '../metadata/types.ts'
import { type Command, edit, requireTable, tableArguments } from './command.ts'

const createObjectRelationship = record({ ...tableArguments, ...objectRelationshipShape })
const createArrayRelationship = record({ ...tableArguments, ...arrayRelationshipShape })
const dropRelationship = record({
  ...tableArguments,
  relationship: nonEmptyText,
  cascade: z.boolean().default(false),
})
const renameRelationship = record({ ...tableArguments, name: nonEmptyText, new_name: nonEmptyText })
const setRelationshipComment = record({
  ...tableArguments,
  name: nonEmptyText,
  comment: z.string().optional(),
})

const fieldsOf = (table: TableMetadata): readonly string[] =>
  [table.object_relationships, table.array_relationships, table.computed_fields].flatMap((entries) =>
    (entries ?? []).map(({ name }) => name),
  )

/** The table. Throws HasuraError when it already has a relationship or computed field of that name. */
export function requireFreeName(
  metadata: Metadata,
  source: string,
  table: QualifiedName,
  name: string,
): TableMetadata {
  const found = requireTable(metadata, source, table)
  if (fieldsOf(found).includes(name)) {
    throw new HasuraError(
      'already-exists',
      `field with name "${name}" already exists in table "${displayName(table)}"`,
    )
  }
  return found
}

function requireRelationship(
  metadata: Metadata,
  source: string,
  table: QualifiedName,
  name: string,
): { kind: RelationshipKind; relationship: ObjectRelationship } {
  const { object_relationships = [], array_relationships = [] } = requireTable(metadata, source, table)
  const object = object_relationships.find((each) => each.name === name)
  if (object) return { kind: 'object', relationship: object }
  const array = array_relationships.find((each) => each.name === name)
  if (array) return { kind: 'array', relationship: array }
  throw new HasuraError('not-exists', `"${name}" does not exist`)
}

export const relationshipCommands: Readonly<Record<string, Command>> = {
  pg_create_object_relationship: edit(
    createObjectRelationship,
    async ({ source, table, ...relationship }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      requireFreeName(metadata, source, table, relationship.name)
      await draft.change(
        editTable(metadata, source, table, (entry) => ({
          ...entry,
          object_relationships: [...(entry.object_relationships ?? []), relationship],
        })),
        relationshipObject(source, table, 'object', relationship),
      )
    },
  ),

  pg_create_array_relationship: edit(
    createArrayRelationship,
    async ({ source, table, ...relationship }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      requireFreeName(metadata, source, table, relationship.name)
      await draft.change(
        editTable(metadata, source, table, (entry) => ({
          ...entry,
          array_relationships: [...(entry.array_relationships ?? []), relationship],
        })),
        relationshipObject(source, table, 'array', relationship),
      )
    },
  ),

  pg_drop_relationship: edit(dropRelationship, async ({ source, table, relationship, cascade }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireRelationship(metadata, source, table, relationship)
    await draft.remove(
      editTable(metadata, source, table, (entry) => ({
        ...entry,
        object_relationships: entry.object_relationships?.filter(({ name }) => name !== relationship),
        array_relationships: entry.array_relationships?.filter(({ name }) => name !== relationship),
      })),
      { cascade },
    )
  }),

  pg_rename_relationship: edit(
    renameRelationship,
    async ({ source, table, name, new_name: newName }, draft) => {
      const { storedMetadata: metadata, catalog } = draft.snapshot
      const { kind, relationship } = requireRelationship(metadata, source, table, name)
      if (fieldsOf(requireTable(metadata, source, table)).includes(newName)) {
        throw new HasuraError(
          'already-exists',
          `cannot rename relationship "${name}" to "${newName}" in table "${displayName(table)}" as a column/relationship with the name already exists`,
        )
      }
      const renames = {
        ...noRenames,
        relationships: new Map([[qualifiedKey(table), new Map([[name, newName]])]]),
      }
      await draft.change(
        renameInMetadata(metadata, catalog, renames),
        relationshipObject(source, table, kind, { ...relationship, name: newName }),
      )
    },
  ),

  pg_set_relationship_comment: edit(
    setRelationshipComment,
    async ({ source, table, name, comment }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      const { kind, relationship } = requireRelationship(metadata, source, table, name)
      const commented = <Each extends { readonly name: string }>(each: Each): Each =>
        each.name === name ? { ...each, comment } : each
      await draft.change(
        editTable(metadata, source, table, (entry) => ({
          ...entry,
          object_relationships: entry.object_relationships?.map(commented),
          array_relationships: entry.array_relationships?.map(commented),
        })),
        relationshipObject(source, table, kind, relationship),
      )
    },
  ),
}
