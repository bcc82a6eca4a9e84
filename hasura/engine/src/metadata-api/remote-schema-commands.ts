import { z } from 'zod'
import { remoteSchemaObject, remoteSchemaPermissionObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { type Json, nonEmptyText, record } from '../metadata/parse.ts'
import { remoteSchemaDefinition, remoteSchemaPermission } from '../metadata/remote-schema.ts'
import type { Metadata, RemoteSchema } from '../metadata/types.ts'
import { type Command, edit, read, success } from './command.ts'

const addRemoteSchema = record({
  name: nonEmptyText,
  definition: remoteSchemaDefinition,
  comment: z.string().optional(),
  permissions: z.array(remoteSchemaPermission).optional(),
})
const named = record({ name: nonEmptyText })
const addPermission = record({
  remote_schema: nonEmptyText,
  role: nonEmptyText,
  definition: record({ schema: z.string() }),
  comment: z.string().optional(),
})
const dropPermission = record({ remote_schema: nonEmptyText, role: nonEmptyText })

export function requireRemoteSchema(metadata: Metadata, name: string): RemoteSchema {
  const found = metadata.remote_schemas?.find((remote) => remote.name === name)
  if (!found) throw new HasuraError('not-exists', `remote schema with name "${name}" does not exist`)
  return found
}

export const editRemoteSchema = (metadata: Metadata, edited: RemoteSchema): Metadata => ({
  ...metadata,
  remote_schemas: metadata.remote_schemas?.map((remote) => (remote.name === edited.name ? edited : remote)),
})

function requireUrl({ url, url_from_env }: RemoteSchema['definition']): void {
  if ((url === undefined) === (url_from_env === undefined))
    throw new HasuraError(
      'invalid-params',
      url === undefined
        ? 'both `url` and `url_from_env` can not be empty'
        : 'both `url` and `url_from_env` can not be present',
    )
}

export const remoteSchemaCommands: Readonly<Record<string, Command>> = {
  add_remote_schema: {
    schema: addRemoteSchema,
    changesMetadata: true,
    run: async (args, { draft }) => {
      const remote = addRemoteSchema.parse(args)
      requireUrl(remote.definition)
      const metadata = draft.snapshot.storedMetadata
      if (metadata.remote_schemas?.some(({ name }) => name === remote.name))
        throw new HasuraError('already-exists', `remote schema with name "${remote.name}" already exists`)
      draft.reload([remote.name])
      const remoteSchemas = [...(metadata.remote_schemas ?? []), remote]
      await draft.change({ ...metadata, remote_schemas: remoteSchemas }, remoteSchemaObject(remote))
      return success
    },
  },

  update_remote_schema: {
    schema: addRemoteSchema,
    changesMetadata: true,
    run: async (args, { draft }) => {
      const { name, definition, comment } = addRemoteSchema.parse(args)
      requireUrl(definition)
      const metadata = draft.snapshot.storedMetadata
      const edited = { ...requireRemoteSchema(metadata, name), definition, comment }
      draft.reload([name])
      await draft.change(editRemoteSchema(metadata, edited), remoteSchemaObject(edited))
      return success
    },
  },

  remove_remote_schema: edit(named, async ({ name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireRemoteSchema(metadata, name)
    const remoteSchemas = metadata.remote_schemas?.filter((remote) => remote.name !== name)
    await draft.remove({ ...metadata, remote_schemas: remoteSchemas }, { cascade: false })
  }),

  reload_remote_schema: {
    schema: named,
    changesMetadata: true,
    run: async (args, { draft }) => {
      const { name } = named.parse(args)
      const metadata = draft.snapshot.storedMetadata
      const remote = requireRemoteSchema(metadata, name)
      draft.reload([name])
      await draft.accept(metadata)
      const broken = draft.snapshot.inconsistencies.find(
        (each) => each.name === remoteSchemaObject(remote).name,
      )
      if (broken) throw new HasuraError('unexpected', broken.reason)
      return success
    },
  },

  introspect_remote_schema: read(named, ({ name }, { draft }) => {
    requireRemoteSchema(draft.snapshot.storedMetadata, name)
    const introspection = draft.snapshot.introspections.get(name)
    if (introspection?.kind !== 'introspected')
      throw new HasuraError('unexpected', introspection?.reason ?? 'the remote schema has not been asked yet')
    return Promise.resolve({ data: introspection.result as unknown as Json })
  }),

  add_remote_schema_permissions: edit(
    addPermission,
    async ({ remote_schema: name, ...permission }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      const remote = requireRemoteSchema(metadata, name)
      const { permissions = [] } = remote
      if (permissions.some(({ role }) => role === permission.role))
        throw new HasuraError(
          'already-exists',
          `permissions for role: "${permission.role}" for remote schema: "${name}" already exists`,
        )
      await draft.change(
        editRemoteSchema(metadata, { ...remote, permissions: [...permissions, permission] }),
        remoteSchemaPermissionObject(name, permission),
      )
    },
  ),

  drop_remote_schema_permissions: edit(dropPermission, async ({ remote_schema: name, role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const remote = requireRemoteSchema(metadata, name)
    const { permissions = [] } = remote
    if (!permissions.some((permission) => permission.role === role))
      throw new HasuraError(
        'not-exists',
        `permissions for role: "${role}" for remote schema: "${name}" does not exist`,
      )
    await draft.accept(
      editRemoteSchema(metadata, {
        ...remote,
        permissions: permissions.filter((permission) => permission.role !== role),
      }),
    )
  }),
}
