import { z } from 'zod'
import { remoteRelationshipObject, remoteTypeRelationshipObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { editTable } from '../metadata/edit-metadata.ts'
import { graphqlName, json, jsonObject, nonEmptyText, record } from '../metadata/parse.ts'
import type { Metadata, RemoteRelationship, RemoteSchema } from '../metadata/types.ts'
import { type Command, edit, requireTable, tableArguments } from './command.ts'
import { requireFreeName } from './relationship-commands.ts'
import { editRemoteSchema, requireRemoteSchema } from './remote-schema-commands.ts'

const relationshipShape = {
  name: nonEmptyText,
  definition: jsonObject.optional(),
  /** The same, in the form of Hasura before 2.4. */
  hasura_fields: json.optional(),
  remote_schema: z.string().optional(),
  remote_field: json.optional(),
}
const ofTable = record({ ...tableArguments, ...relationshipShape })
const dropOfTable = record({ ...tableArguments, name: nonEmptyText })
const ofType = record({
  remote_schema: nonEmptyText,
  type_name: graphqlName,
  name: nonEmptyText,
  definition: jsonObject,
})
const dropOfType = record({ remote_schema: nonEmptyText, type_name: graphqlName, name: nonEmptyText })

const unknown = (name: string): HasuraError =>
  new HasuraError('not-exists', `remote relationship "${name}" does not exist`)

const relationshipsOf = (remote: RemoteSchema, type: string): readonly RemoteRelationship[] =>
  remote.remote_relationships?.find(({ type_name }) => type_name === type)?.relationships ?? []

function withRelationships(
  metadata: Metadata,
  remote: RemoteSchema,
  type: string,
  relationships: readonly RemoteRelationship[],
): Metadata {
  const others = (remote.remote_relationships ?? []).filter(({ type_name }) => type_name !== type)
  const own = relationships.length === 0 ? [] : [{ type_name: type, relationships }]
  return editRemoteSchema(metadata, { ...remote, remote_relationships: [...others, ...own] })
}

export const remoteRelationshipCommands: Readonly<Record<string, Command>> = {
  pg_create_remote_relationship: edit(ofTable, async ({ source, table, ...relationship }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { remote_relationships = [] } = requireFreeName(metadata, source, table, relationship.name)
    if (remote_relationships.some(({ name }) => name === relationship.name))
      throw new HasuraError('already-exists', `remote relationship "${relationship.name}" already exists`)
    await draft.change(
      editTable(metadata, source, table, (entry) => ({
        ...entry,
        remote_relationships: [...remote_relationships, relationship],
      })),
      remoteRelationshipObject(source, table, relationship),
    )
  }),

  pg_update_remote_relationship: edit(ofTable, async ({ source, table, ...relationship }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { remote_relationships = [] } = requireTable(metadata, source, table)
    if (!remote_relationships.some(({ name }) => name === relationship.name)) throw unknown(relationship.name)
    await draft.change(
      editTable(metadata, source, table, (entry) => ({
        ...entry,
        remote_relationships: remote_relationships.map((each) =>
          each.name === relationship.name ? relationship : each,
        ),
      })),
      remoteRelationshipObject(source, table, relationship),
    )
  }),

  pg_delete_remote_relationship: edit(dropOfTable, async ({ source, table, name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { remote_relationships = [] } = requireTable(metadata, source, table)
    if (!remote_relationships.some((each) => each.name === name)) throw unknown(name)
    await draft.accept(
      editTable(metadata, source, table, (entry) => ({
        ...entry,
        remote_relationships: remote_relationships.filter((each) => each.name !== name),
      })),
    )
  }),

  create_remote_schema_remote_relationship: edit(ofType, async (args, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { remote_schema, type_name: type, ...relationship } = args
    const remote = requireRemoteSchema(metadata, remote_schema)
    const known = relationshipsOf(remote, type)
    if (known.some(({ name }) => name === relationship.name))
      throw new HasuraError('already-exists', `remote relationship "${relationship.name}" already exists`)
    await draft.change(
      withRelationships(metadata, remote, type, [...known, relationship]),
      remoteTypeRelationshipObject(remote_schema, type, relationship),
    )
  }),

  update_remote_schema_remote_relationship: edit(ofType, async (args, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { remote_schema, type_name: type, ...relationship } = args
    const remote = requireRemoteSchema(metadata, remote_schema)
    const known = relationshipsOf(remote, type)
    if (!known.some(({ name }) => name === relationship.name)) throw unknown(relationship.name)
    const edited = known.map((each) => (each.name === relationship.name ? relationship : each))
    await draft.change(
      withRelationships(metadata, remote, type, edited),
      remoteTypeRelationshipObject(remote_schema, type, relationship),
    )
  }),

  delete_remote_schema_remote_relationship: edit(dropOfType, async (args, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const remote = requireRemoteSchema(metadata, args.remote_schema)
    const known = relationshipsOf(remote, args.type_name)
    if (!known.some(({ name }) => name === args.name)) throw unknown(args.name)
    const left = known.filter(({ name }) => name !== args.name)
    await draft.accept(withRelationships(metadata, remote, args.type_name, left))
  }),
}
