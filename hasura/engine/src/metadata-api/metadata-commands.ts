import { z } from 'zod'
import { defaultSource } from '../consistency/build-snapshot.ts'
import { HasuraError } from '../hasura-error.ts'
import { compactMetadata } from '../metadata/edit-metadata.ts'
import { written } from '../metadata/written-metadata.ts'
import { type Json, json, record } from '../metadata/parse.ts'
import { type Metadata, introspectionOptions, metadata as metadataSchema } from '../metadata/types.ts'
import { type Command, act, edit, read, success } from './command.ts'
import { consistencyJson, inconsistenciesJson, withoutObjects } from './draft.ts'
import { replaceMetadata, replaceMetadataVersion2 } from './replace-metadata.ts'

const anything = z.unknown()
const exportVersion1 = read(anything, (_, { draft }) =>
  Promise.resolve(exportedJson(draft.snapshot.storedMetadata)),
)

const exportVersion2 = read(anything, (_, { draft }) =>
  Promise.resolve({
    resource_version: draft.snapshot.resourceVersion,
    metadata: exportedJson(draft.snapshot.storedMetadata),
  }),
)

/** Exports leave out cron triggers that aren't marked for them. */
const exportedJson = (metadata: Metadata): Json =>
  metadataJson(
    compactMetadata({
      ...metadata,
      cron_triggers: metadata.cron_triggers?.filter(({ include_in_metadata }) => include_in_metadata),
    }),
  )

/** Parsed again, because the schemas put keys in Hasura's order and edits append them. */
const metadataJson = (metadata: Metadata): Json =>
  JSON.parse(JSON.stringify(written(metadataSchema.parse(written(metadata))))) as Json

/** The metadata after clear_metadata: the source, without tables. */
const clearedMetadata = (metadata: Metadata): Metadata => ({
  version: 3,
  sources: metadata.sources
    .filter(({ name }) => name === defaultSource)
    .map(({ name, kind, configuration }) => ({ name, kind, tables: [], configuration })),
})

/** True for all, or the names. */
const reloadSpec = z.union([z.boolean(), z.array(z.string())])

/**
 * Every command with changes reads sources again, so that flag has no further effect. It also repairs event triggers whose
 * Postgres triggers are missing, disabled or of another text; the flag has all of them created anew.
 */
const reloadArguments = record({
  reload_remote_schemas: reloadSpec.default(true),
  reload_sources: reloadSpec.default(true),
  recreate_event_triggers: reloadSpec.default(false),
})

const isRequested = (spec: boolean | readonly string[]): boolean =>
  typeof spec === 'boolean' ? spec : spec.length > 0

function requireNames(
  kind: 'Source' | 'Remote schema',
  requested: boolean | readonly string[],
  known: readonly { readonly name: string }[] = [],
): void {
  if (typeof requested === 'boolean') return
  const missing = requested.find((name) => known.every((each) => each.name !== name))
  if (missing !== undefined)
    throw new HasuraError('not-exists', `${kind} with name "${missing}" not found in metadata`)
}

export const metadataCommands: Readonly<Record<string, Command>> = {
  export_metadata: exportVersion1,
  replace_metadata: replaceMetadata,

  clear_metadata: edit(anything, async (_, draft) => {
    await draft.accept(clearedMetadata(draft.snapshot.storedMetadata))
  }),

  reload_metadata: {
    schema: reloadArguments,
    changesMetadata: true,
    run: async (args, { draft }) => {
      const { reload_remote_schemas: requested, ...others } = reloadArguments.parse(args)
      const { storedMetadata } = draft.snapshot
      requireNames('Remote schema', requested, storedMetadata.remote_schemas)
      requireNames('Source', others.reload_sources, storedMetadata.sources)
      requireNames('Source', others.recreate_event_triggers, storedMetadata.sources)
      if (isRequested(others.recreate_event_triggers)) draft.recreateTriggers()
      if (requested !== false) {
        const all = (storedMetadata.remote_schemas ?? []).map(({ name }) => name)
        draft.reload(requested === true ? all : requested)
        await draft.accept(storedMetadata)
      }
      const { inconsistencies } = draft.snapshot
      return {
        message: 'success',
        is_consistent: inconsistencies.length === 0,
        ...(inconsistencies.length === 0
          ? {}
          : { inconsistent_objects: inconsistenciesJson(inconsistencies) }),
      }
    },
  },

  get_inconsistent_metadata: read(anything, (_, { draft }) =>
    Promise.resolve(consistencyJson(draft.snapshot)),
  ),

  drop_inconsistent_metadata: edit(anything, async (_, draft) => {
    const { storedMetadata, inconsistencies } = draft.snapshot
    await draft.accept(withoutObjects(storedMetadata, inconsistencies))
  }),

  set_graphql_schema_introspection_options: edit(introspectionOptions, async (options, draft) => {
    await draft.accept({ ...draft.snapshot.storedMetadata, graphql_schema_introspection: options })
  }),

  get_catalog_state: read(anything, (_, { store }) => store.readCatalogState()),

  set_catalog_state: act(
    record({ type: z.enum(['cli', 'console']), state: json }),
    async ({ type, state }, { store }) => {
      await store.writeCatalogState(type, state)
      return success
    },
  ),

  /** For people who debug, not for programs. */
  dump_internal_state: read(anything, (_, { draft: { snapshot } }) =>
    Promise.resolve({
      resource_version: snapshot.resourceVersion,
      metadata: metadataJson(snapshot.metadata),
      inconsistent_objects: inconsistenciesJson(snapshot.inconsistencies),
    }),
  ),
}

/** Commands whose meaning differs with `"version": 2`. */
export const version2Commands: Readonly<Record<string, Command>> = {
  export_metadata: exportVersion2,
  replace_metadata: replaceMetadataVersion2,
}
