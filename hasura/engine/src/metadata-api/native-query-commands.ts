import { z } from 'zod'
import { logicalModelObject, nativeQueryObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { editSource, findSource } from '../metadata/edit-metadata.ts'
import { logicalModelFields, nativeQueryShape } from '../metadata/native-query.ts'
import { type Json, graphqlName, nonEmptyText, record } from '../metadata/parse.ts'
import { selectPermissionDefinition } from '../metadata/permission.ts'
import type { LogicalModel, Metadata, NativeQuery, Source } from '../metadata/types.ts'
import { type Command, type CommandContext, edit, read, sourceName, success } from './command.ts'
import { validateNativeQuery } from './validate-native-query.ts'

const sourceOnly = record({ source: sourceName })
const logicalModelName = { source: sourceName, name: graphqlName }
const nativeQueryName = { source: sourceName, root_field_name: graphqlName }

const trackLogicalModel = record({
  ...logicalModelName,
  fields: logicalModelFields,
  description: z.string().optional(),
})
const createPermission = record({
  ...logicalModelName,
  role: nonEmptyText,
  permission: selectPermissionDefinition,
  comment: z.string().optional(),
})
const dropPermission = record({ ...logicalModelName, role: nonEmptyText })
const trackNativeQuery = record({
  source: sourceName,
  type: z.literal('query').optional(),
  ...nativeQueryShape,
})

function requireSource(metadata: Metadata, name: string): Source {
  const source = findSource(metadata, name)
  if (source === undefined) throw new HasuraError('not-found', `Source '${name}' of kind postgres not found.`)
  return source
}

function requireLogicalModel(metadata: Metadata, source: string, name: string): LogicalModel {
  const found = requireSource(metadata, source).logical_models?.find((model) => model.name === name)
  if (found === undefined)
    throw new HasuraError('not-found', `Logical model "${name}" not found in source "${source}".`)
  return found
}

const editLogicalModels = (
  metadata: Metadata,
  source: string,
  change: (models: readonly LogicalModel[]) => readonly LogicalModel[],
): Metadata =>
  editSource(metadata, source, (each) => ({ ...each, logical_models: change(each.logical_models ?? []) }))

const editPermissions = (
  metadata: Metadata,
  source: string,
  name: string,
  change: (
    permissions: NonNullable<LogicalModel['select_permissions']>,
  ) => LogicalModel['select_permissions'],
): Metadata =>
  editLogicalModels(metadata, source, (models) =>
    models.map((model) =>
      model.name === name ? { ...model, select_permissions: change(model.select_permissions ?? []) } : model,
    ),
  )

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

/** Postgres checks the SQL before it is tracked. */
async function track(
  source: string,
  query: NativeQuery,
  { draft, pool }: Pick<CommandContext, 'draft' | 'pool'>,
): Promise<Json> {
  const metadata = draft.snapshot.storedMetadata
  const { logical_models: models, native_queries: queries = [] } = requireSource(metadata, source)
  const model = models?.find(({ name }) => name === query.returns)
  if (model === undefined) throw new HasuraError('not-found', `Logical model "${query.returns}" not found.`)
  await validateNativeQuery(query, model, pool)
  const { root_field_name: name } = query
  if (queries.some((each) => each.root_field_name === name))
    throw new HasuraError('already-tracked', `Native query '${name}' is already tracked.`)
  await draft.change(
    editSource(metadata, source, (each) => ({ ...each, native_queries: [...queries, query] })),
    nativeQueryObject(source, query),
  )
  return success
}

export const nativeQueryCommands: Readonly<Record<string, Command>> = {
  pg_get_logical_model: read(sourceOnly, ({ source }, { draft }) =>
    Promise.resolve(asJson(requireSource(draft.snapshot.storedMetadata, source).logical_models ?? [])),
  ),

  pg_track_logical_model: edit(trackLogicalModel, async ({ source, ...model }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    if (requireSource(metadata, source).logical_models?.some(({ name }) => name === model.name) === true)
      throw new HasuraError('already-tracked', `Logical model '${model.name}' is already tracked.`)
    await draft.change(
      editLogicalModels(metadata, source, (models) => [...models, model]),
      logicalModelObject(source, model),
    )
  }),

  pg_untrack_logical_model: edit(record(logicalModelName), async ({ source, name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const user = requireSource(metadata, source).native_queries?.find(({ returns }) => returns === name)
    if (user !== undefined)
      throw new HasuraError(
        'constraint-violation',
        `Logical model "${name}" still being used by native query "${user.root_field_name}".`,
      )
    requireLogicalModel(metadata, source, name)
    await draft.accept(
      editLogicalModels(metadata, source, (models) => models.filter((model) => model.name !== name)),
    )
  }),

  /** As in Hasura, it replaces the role's permission. */
  pg_create_logical_model_select_permission: edit(
    createPermission,
    async ({ source, name, role, permission, comment }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      const model = requireLogicalModel(metadata, source, name)
      await draft.change(
        editPermissions(metadata, source, name, (permissions) => [
          ...permissions.filter((each) => each.role !== role),
          { role, permission, comment },
        ]),
        logicalModelObject(source, model),
      )
    },
  ),

  pg_drop_logical_model_select_permission: edit(dropPermission, async ({ source, name, role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireLogicalModel(metadata, source, name)
    await draft.accept(
      editPermissions(metadata, source, name, (permissions) =>
        permissions.filter((each) => each.role !== role),
      ),
    )
  }),

  pg_get_native_query: read(sourceOnly, ({ source }, { draft }) =>
    Promise.resolve(asJson(requireSource(draft.snapshot.storedMetadata, source).native_queries ?? [])),
  ),

  pg_track_native_query: {
    schema: trackNativeQuery,
    changesMetadata: true,
    run: (args, context) => {
      const { source, ...query } = trackNativeQuery.parse(args)
      delete query.type
      return track(source, query, context)
    },
  },

  pg_untrack_native_query: edit(record(nativeQueryName), async ({ source, root_field_name: name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { native_queries: queries = [] } = requireSource(metadata, source)
    if (!queries.some((query) => query.root_field_name === name))
      throw new HasuraError('not-found', `Native query "${name}" not found in source "${source}".`)
    await draft.accept(
      editSource(metadata, source, (each) => ({
        ...each,
        native_queries: queries.filter((query) => query.root_field_name !== name),
      })),
    )
  }),
}
