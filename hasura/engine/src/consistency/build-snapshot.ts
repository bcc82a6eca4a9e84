import type { Catalog } from '../catalog/types.ts'
import { isPostgres } from '../metadata/foreign-source.ts'
import type { Metadata, Source, TableMetadata } from '../metadata/types.ts'
import type { Introspections } from '../remote/remote-directory.ts'
import { buildSourceModel } from '../schema/build-source-model.ts'
import type { Inconsistency, Snapshot } from '../snapshot.ts'
import { checkActions } from './check-actions.ts'
import { checkCustomTypes } from './check-custom-types.ts'
import { checkComputedFields } from './check-computed-fields.ts'
import { checkCronTriggers } from './check-cron-triggers.ts'
import { checkEventTriggers } from './check-event-triggers.ts'
import { checkFunctions } from './check-functions.ts'
import { checkInheritedRoles, inheritanceConflicts } from './check-inherited-roles.ts'
import { checkLogicalModels, checkNativeQueries } from './check-native-queries.ts'
import { checkPermissions } from './check-permissions.ts'
import { checkRelationships } from './check-relationships.ts'
import { checkRemoteSchemas, checkTableRelationships } from './check-remote-schemas.ts'
import { checkRestEndpoints } from './check-rest-endpoints.ts'
import { checkTables } from './check-tables.ts'
import { inconsistency, sourceObject } from './metadata-object.ts'
import {
  type CheckedTable,
  type TrackedTable,
  type TrackedTables,
  fieldLookup,
  trackedTables,
} from './tracked-tables.ts'

export const defaultSource = 'default'

/** The source that is the engine's own database: the Postgres source `default`, or else the only source of any name. */
export function ownSource({ sources }: Metadata): Source | undefined {
  const candidates = sources.filter(isPostgres)
  return (
    candidates.find(({ name }) => name === defaultSource) ??
    (candidates.length === 1 ? candidates[0] : undefined)
  )
}

/**
 * Checks metadata against the database. What doesn't fit is left out of `Snapshot.metadata` and reported; the rest
 * takes effect. The check is made when one of both is read first: no reader wants those of a request's earlier commands.
 */
export function buildSnapshot(
  stored: Metadata,
  catalog: Catalog,
  resourceVersion: number,
  introspections: Introspections = new Map(),
): Snapshot {
  let checked: Checked | undefined
  const check = (): Checked => (checked ??= checkMetadata(stored, catalog, introspections))
  return {
    get metadata() {
      return check().metadata
    },
    storedMetadata: stored,
    catalog,
    introspections,
    resourceVersion,
    get inconsistencies() {
      return check().inconsistencies
    },
  }
}

type Checked = Pick<Snapshot, 'metadata' | 'inconsistencies'>

/**
 * The order follows the dependencies: permissions use relationships and computed fields, these use tables, and each
 * step sees only what the previous steps kept.
 */
function checkMetadata(stored: Metadata, catalog: Catalog, introspections: Introspections): Checked {
  const own = ownSource(stored)
  const checkedSources = stored.sources.map((source) =>
    source === own ? checkSource(source, catalog) : refusedSource(source),
  )
  const tables = new Map(checkedSources.flatMap(({ tables }) => [...tables]))
  const customTypes = checkCustomTypes(stored.custom_types, tables, catalog)
  const actions = checkActions(stored.actions, customTypes.types, catalog)
  const cronTriggers = checkCronTriggers(stored.cron_triggers)
  const restEndpoints = checkRestEndpoints(stored)
  const consistent: Metadata = {
    ...stored,
    sources: checkedSources.flatMap(({ source }) => (source ? [source] : [])),
    custom_types: customTypes.types,
    actions: actions.kept,
    cron_triggers: cronTriggers.kept,
    rest_endpoints: restEndpoints.kept,
  }
  const inheritedRoles = checkInheritedRoles(consistent)
  const metadata: Metadata = { ...consistent, inherited_roles: inheritedRoles.kept }
  const remotes = checkRemotes(metadata, catalog, introspections, own?.name ?? defaultSource)
  return {
    metadata: { ...metadata, ...remotes.metadata },
    inconsistencies: [
      ...checkedSources.flatMap(({ inconsistencies }) => inconsistencies),
      ...customTypes.inconsistencies,
      ...actions.inconsistencies,
      ...cronTriggers.inconsistencies,
      ...restEndpoints.inconsistencies,
      ...inheritedRoles.inconsistencies,
      ...inheritanceConflicts(metadata),
      ...remotes.inconsistencies,
    ],
  }
}

/**
 * Checks remote schemas and the tables' relationships into them, after everything else that they could conflict with.
 */
function checkRemotes(
  metadata: Metadata,
  catalog: Catalog,
  introspections: Introspections,
  sourceName: string,
): {
  readonly metadata: Pick<Metadata, 'sources' | 'remote_schemas'>
  readonly inconsistencies: readonly Inconsistency[]
} {
  const tables = metadata.sources.flatMap((source) => source.tables)
  const isUsed =
    metadata.remote_schemas !== undefined || tables.some((table) => table.remote_relationships !== undefined)
  if (!isUsed)
    return {
      metadata: { sources: metadata.sources, remote_schemas: metadata.remote_schemas },
      inconsistencies: [],
    }
  const checked = checkRemoteSchemas(metadata, introspections, buildSourceModel(metadata, catalog))
  const related = forEachTable(trackedTables(tables, catalog), (table) =>
    checkTableRelationships(sourceName, table, checked.kept, introspections),
  )
  return {
    metadata: {
      sources: metadata.sources.map((source) => ({ ...source, tables: metadataOf(related.tables) })),
      remote_schemas: metadata.remote_schemas && checked.kept,
    },
    inconsistencies: [...checked.inconsistencies, ...related.inconsistencies],
  }
}

interface CheckedSource {
  readonly source: Source | undefined
  readonly tables: TrackedTables
  readonly inconsistencies: readonly Inconsistency[]
}

const refusedSource = (source: Source): CheckedSource => ({
  source: undefined,
  tables: new Map(),
  inconsistencies: [inconsistency(sourceObject(source.name), refusal(source))],
})

const refusal = (source: Source): string =>
  isPostgres(source)
    ? 'the embedded engine has one database: the source "default", or the only one that is a Postgres'
    : `the embedded engine has one database, and it is a Postgres; the source is of the kind "${source.kind ?? ''}"`

function checkSource(source: Source, catalog: Catalog): CheckedSource {
  const { name } = source
  const kept = checkTables(name, source.tables, catalog)
  const tracked = trackedTables(kept.kept, catalog)
  const related = forEachTable(tracked, (table) => checkRelationships(name, table, tracked, catalog))
  const computed = forEachTable(related.tables, (table) =>
    checkComputedFields(name, table, related.tables, catalog),
  )
  const model = buildSourceModel(
    { version: 3, sources: [{ ...source, tables: metadataOf(computed.tables), functions: [] }] },
    catalog,
  )
  const lookup = fieldLookup(computed.tables, catalog)
  const permitted = forEachTable(computed.tables, (table) => checkPermissions(name, table, model, lookup))
  const triggerNames = new Set<string>()
  const triggered = forEachTable(permitted.tables, (table) => checkEventTriggers(name, table, triggerNames))
  const functions = checkFunctions(name, source.functions, tracked, catalog)
  const logicalModels = checkLogicalModels(source, model)
  const nativeQueries = checkNativeQueries(source, logicalModels.kept)
  return {
    source: {
      ...source,
      tables: metadataOf(triggered.tables),
      functions: functions.kept,
      logical_models: source.logical_models && logicalModels.kept,
      native_queries: source.native_queries && nativeQueries.kept,
    },
    tables: triggered.tables,
    inconsistencies: [
      kept,
      related,
      computed,
      permitted,
      triggered,
      functions,
      logicalModels,
      nativeQueries,
    ].flatMap(({ inconsistencies }) => inconsistencies),
  }
}

const metadataOf = (tables: TrackedTables): readonly TableMetadata[] =>
  [...tables.values()].map(({ metadata }) => metadata)

function forEachTable(
  tables: TrackedTables,
  check: (table: TrackedTable) => CheckedTable,
): { tables: TrackedTables; inconsistencies: readonly Inconsistency[] } {
  const checked = new Map([...tables].map(([key, table]) => [key, check(table)]))
  const inconsistencies = [...checked.values()].flatMap((each) => each.inconsistencies)
  return inconsistencies.length === 0
    ? { tables, inconsistencies }
    : { tables: new Map([...checked].map(([key, { table }]) => [key, table])), inconsistencies }
}
