import { type QualifiedName, qualifiedKey } from './qualified-name.ts'
import type { EventTrigger, FunctionMetadata, Metadata, Source, TableMetadata } from './types.ts'

/** Pure edits: each returns new metadata and doesn't change its argument. */

export const findSource = (metadata: Metadata, name: string): Source | undefined =>
  metadata.sources.find((source) => source.name === name)

export const findTable = (
  metadata: Metadata,
  source: string,
  table: QualifiedName,
): TableMetadata | undefined =>
  findSource(metadata, source)?.tables.find((each) => qualifiedKey(each.table) === qualifiedKey(table))

export const findFunction = (
  metadata: Metadata,
  source: string,
  fn: QualifiedName,
): FunctionMetadata | undefined =>
  findSource(metadata, source)?.functions?.find((each) => qualifiedKey(each.function) === qualifiedKey(fn))

export const editSource = (metadata: Metadata, name: string, edit: (source: Source) => Source): Metadata => ({
  ...metadata,
  sources: metadata.sources.map((source) => (source.name === name ? edit(source) : source)),
})

export const editTable = (
  metadata: Metadata,
  source: string,
  table: QualifiedName,
  edit: (table: TableMetadata) => TableMetadata,
): Metadata =>
  editSource(metadata, source, (each) => ({
    ...each,
    tables: each.tables.map((entry) =>
      qualifiedKey(entry.table) === qualifiedKey(table) ? edit(entry) : entry,
    ),
  }))

/** The event trigger of this name, and its table. */
export const findEventTrigger = (
  metadata: Metadata,
  source: string,
  name: string,
): { readonly table: QualifiedName; readonly trigger: EventTrigger } | undefined =>
  findSource(metadata, source)
    ?.tables.flatMap(({ table, event_triggers = [] }) =>
      event_triggers.map((trigger) => ({ table, trigger })),
    )
    .find(({ trigger }) => trigger.name === name)

/** The text of a collection's query. */
export const findCollectionQuery = (
  { query_collections = [] }: Metadata,
  collection: string,
  name: string,
): string | undefined =>
  query_collections
    .find((each) => each.name === collection)
    ?.definition.queries.find((each) => each.name === name)?.query

export const editFunction = (
  metadata: Metadata,
  source: string,
  fn: QualifiedName,
  edit: (fn: FunctionMetadata) => FunctionMetadata,
): Metadata =>
  editSource(metadata, source, (each) => ({
    ...each,
    functions: (each.functions ?? []).map((entry) =>
      qualifiedKey(entry.function) === qualifiedKey(fn) ? edit(entry) : entry,
    ),
  }))

/** Lists that Hasura doesn't export when they are empty. */
const omittedWhenEmpty: ReadonlySet<string> = new Set([
  'object_relationships',
  'array_relationships',
  'computed_fields',
  'remote_relationships',
  'insert_permissions',
  'select_permissions',
  'update_permissions',
  'delete_permissions',
  'event_triggers',
  'functions',
  'native_queries',
  'stored_procedures',
  'logical_models',
  'remote_schemas',
  'query_collections',
  'allowlist',
  'actions',
  'cron_triggers',
  'inherited_roles',
  'rest_endpoints',
])

const isOmitted = ([key, value]: [string, unknown]): boolean =>
  value === undefined ||
  (omittedWhenEmpty.has(key) && Array.isArray(value) && value.length === 0) ||
  (key === 'is_enum' && value === false)

/** The part itself if nothing of it is omitted. */
function compact<Part extends object>(part: Part): Part {
  const entries: [string, unknown][] = Object.entries(part)
  return entries.some(isOmitted)
    ? (Object.fromEntries(entries.filter((entry) => !isOmitted(entry))) as Part)
    : part
}

/** Metadata as Hasura exports it: without empty lists and defaults. */
export const compactMetadata = (metadata: Metadata): Metadata =>
  compact({
    ...metadata,
    sources: metadata.sources.map((source) => compact({ ...source, tables: source.tables.map(compact) })),
    custom_types:
      metadata.custom_types && Object.values(metadata.custom_types).some((types) => (types?.length ?? 0) > 0)
        ? metadata.custom_types
        : undefined,
  })
