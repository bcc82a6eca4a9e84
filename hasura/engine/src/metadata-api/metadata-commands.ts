import { z } from 'zod'
import { defaultSource } from '../consistency/build-snapshot.ts'
import { HasuraError } from '../hasura-error.ts'
import { compactMetadata } from '../metadata/edit-metadata.ts'
import { type Json, json, record } from '../metadata/parse.ts'
import { parseMetadata } from '../metadata/read-metadata.ts'
import { type Metadata, introspectionOptions, metadata as metadataSchema } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Command, edit, read, success } from './command.ts'
import { type MetadataDraft, inconsistenciesJson, withoutObjects } from './draft.ts'

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

/** Cron triggers may be kept out of what is exported. */
const exportedJson = (metadata: Metadata): Json =>
  metadataJson(
    compactMetadata({
      ...metadata,
      cron_triggers: metadata.cron_triggers?.filter(({ include_in_metadata }) => include_in_metadata),
    }),
  )

/** What an export leaves out, its import must not delete. */
const withUnexported = (metadata: Metadata, { cron_triggers: before = [] }: Metadata): Metadata => {
  const given = metadata.cron_triggers ?? []
  const unexported = before.filter(
    ({ name, include_in_metadata }) =>
      !include_in_metadata && !given.some((trigger) => trigger.name === name),
  )
  return unexported.length === 0 ? metadata : { ...metadata, cron_triggers: [...given, ...unexported] }
}

/** Parsed once more, because the schemas put keys in Hasura's order and edits append them. */
const metadataJson = (metadata: Metadata): Json =>
  JSON.parse(JSON.stringify(metadataSchema.parse(metadata))) as Json

const parseOrRefuse = (value: unknown, path: string): Metadata => {
  const parsed = parseMetadata(value)
  if (parsed.kind === 'parsed') return parsed.value
  const { path: inner, message } = parsed.problem
  throw new HasuraError('parse-failed', message, { path: `$${path}${inner.slice(1)}` })
}

const refuseInconsistent = ({ inconsistencies }: Snapshot): void => {
  if (inconsistencies.length === 0) return
  throw new HasuraError('unexpected', 'cannot continue due to inconsistent metadata', {
    internal: inconsistenciesJson(inconsistencies),
  })
}

/** Arguments are the metadata itself, or the metadata beside the permission to be inconsistent. */
const replaceMetadata = async (
  draft: MetadataDraft,
  metadata: Metadata,
  allowInconsistent: boolean,
): Promise<Json> => {
  await draft.accept(withUnexported(metadata, draft.snapshot.storedMetadata))
  if (!allowInconsistent) refuseInconsistent(draft.snapshot)
  return consistencyJson(draft.snapshot)
}

const consistencyJson = ({ inconsistencies }: Snapshot): Json => ({
  is_consistent: inconsistencies.length === 0,
  inconsistent_objects: inconsistenciesJson(inconsistencies),
})

const replaceArguments = record({
  metadata: z.unknown(),
  allow_inconsistent_metadata: z.boolean().optional(),
  allow_warnings: z.boolean().optional(),
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const replaceVersion1: Command = {
  schema: anything,
  changesMetadata: true,
  run: async (args, { draft }) => {
    if (isObject(args) && 'metadata' in args) {
      throw new HasuraError('parse-failed', 'metadata beside other arguments needs "version": 2')
    }
    await replaceMetadata(draft, parseOrRefuse(args, ''), false)
    return success
  },
}

const replaceVersion2: Command = {
  schema: replaceArguments,
  changesMetadata: true,
  run: (args, { draft }) => {
    const { metadata, allow_inconsistent_metadata: allow } = replaceArguments.parse(args)
    return replaceMetadata(draft, parseOrRefuse(metadata, '.metadata'), allow === true)
  },
}

/** What remains after clear_metadata: the source, still connected, without tables. */
const clearedMetadata = (metadata: Metadata): Metadata => ({
  version: 3,
  sources: metadata.sources
    .filter(({ name }) => name === defaultSource)
    .map(({ name, kind, configuration }) => ({ name, kind, tables: [], configuration })),
})

const reloadArguments = record({
  reload_remote_schemas: z.union([z.boolean(), z.array(z.string())]).optional(),
  reload_sources: json.optional(),
  recreate_event_triggers: json.optional(),
})

export const metadataCommands: Readonly<Record<string, Command>> = {
  export_metadata: exportVersion1,
  replace_metadata: replaceVersion1,

  clear_metadata: edit(anything, async (_, draft) => {
    await draft.accept(clearedMetadata(draft.snapshot.storedMetadata))
  }),

  /** The catalog has been read again by the time a changing command runs. */
  reload_metadata: {
    schema: reloadArguments,
    changesMetadata: true,
    run: async (args, { draft, remotes }) => {
      const { reload_remote_schemas: asked = true } = reloadArguments.parse(args)
      for (const name of Array.isArray(asked) ? asked : []) remotes.forget(name)
      if (asked === true) remotes.forget()
      if (asked !== false) await draft.accept(draft.snapshot.storedMetadata)
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

  set_catalog_state: read(
    record({ type: z.enum(['cli', 'console']), state: json }),
    async ({ type, state }, { store }) => {
      await store.writeCatalogState(type, state)
      return success
    },
  ),

  /** For people who look for a mistake; not meant to be parsed. */
  dump_internal_state: read(anything, (_, { draft: { snapshot } }) =>
    Promise.resolve({
      resource_version: snapshot.resourceVersion,
      metadata: metadataJson(snapshot.metadata),
      inconsistent_objects: inconsistenciesJson(snapshot.inconsistencies),
    }),
  ),
}

/** Commands that mean something else when the request says `"version": 2`. */
export const version2Commands: Readonly<Record<string, Command>> = {
  export_metadata: exportVersion2,
  replace_metadata: replaceVersion2,
}
