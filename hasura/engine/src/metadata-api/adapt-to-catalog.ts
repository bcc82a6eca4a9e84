import type { Catalog, CatalogTable } from '../catalog/types.ts'
import { typeDependents } from '../consistency/type-dependents.ts'
import { buildSnapshot } from '../consistency/build-snapshot.ts'
import { describeDependents } from '../consistency/dependent-object.ts'
import { functionObject, tableObject } from '../consistency/metadata-object.ts'
import { filterMetadata } from '../consistency/filter-metadata.ts'
import { type Renames, noRenames, renameInMetadata } from '../consistency/rename-metadata.ts'
import { HasuraError } from '../hasura-error.ts'
import { editTable } from '../metadata/edit-metadata.ts'
import { type QualifiedName, displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { Metadata, TableMetadata } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { newInconsistencies, withoutObjects } from './draft.ts'

/** A tracked table before and after a change. Its oid identifies it. */
interface TableChange {
  readonly source: string
  readonly metadata: TableMetadata
  readonly before: CatalogTable
  readonly after: CatalogTable | undefined
}

/**
 * Adapts the metadata to a change of the database from `before` to `after`: renamed tables and columns are renamed,
 * dropped ones are removed. Throws `dependency-error` when an existing object depends on a dropped one and `cascade` is
 * not given.
 */
export async function adaptToCatalog(
  start: Snapshot,
  before: Catalog,
  after: Catalog,
  { cascade }: { readonly cascade: boolean },
  reread: (metadata: Metadata) => Promise<Catalog>,
): Promise<Snapshot> {
  const metadata = start.storedMetadata
  const baseline = buildSnapshot(metadata, before, start.resourceVersion, start.introspections)
  const changes = tableChanges(metadata, before, after)
  refuseFunctionChanges(metadata, before, after)
  for (const change of changes) refuseColumnChanges(change, baseline)

  const renamed = renameInMetadata(metadata, before, renamesOf(changes))
  const remaining = forgetDropped(renamed, changes, after)
  const catalog = await reread(remaining)
  const adapted = buildSnapshot(remaining, catalog, start.resourceVersion, start.introspections)
  const broken = newInconsistencies(adapted, baseline)
  if (broken.length === 0) return adapted
  const unexpected = broken.filter(({ type }) => type === 'table')
  if (unexpected.length > 0) {
    throw new HasuraError('unexpected', 'cannot continue due to newly found inconsistent metadata', {
      status: 500,
      internal: unexpected.map(({ definition, name, reason, type }) => ({ definition, name, reason, type })),
    })
  }
  if (!cascade) {
    throw new HasuraError(
      'dependency-error',
      `cannot drop due to the following dependent objects: ${describeDependents(broken)}`,
    )
  }
  return buildSnapshot(
    withoutObjects(remaining, broken),
    catalog,
    start.resourceVersion,
    start.introspections,
  )
}

function tableChanges(metadata: Metadata, before: Catalog, after: Catalog): readonly TableChange[] {
  const afterByOid = new Map([...after.tables.values()].map((table) => [table.oid, table]))
  return metadata.sources.flatMap((source) =>
    source.tables.flatMap((entry): TableChange[] => {
      const old = before.tables.get(qualifiedKey(entry.table))
      return old
        ? [{ source: source.name, metadata: entry, before: old, after: afterByOid.get(old.oid) }]
        : []
    }),
  )
}

function renamesOf(changes: readonly TableChange[]): Renames {
  const tables = new Map<string, QualifiedName>()
  const columns = new Map<string, ReadonlyMap<string, string>>()
  for (const { before, after } of changes) {
    if (!after) continue
    const key = qualifiedKey(before.name)
    if (qualifiedKey(after.name) !== key) tables.set(key, after.name)
    const renamed = pairColumns(before, after).filter(([old, now]) => now && now.name !== old.name)
    if (renamed.length > 0) {
      columns.set(key, new Map(renamed.map(([old, now]) => [old.name, now?.name ?? old.name])))
    }
  }
  return { ...noRenames, tables, columns }
}

type Column = CatalogTable['columns'][number]

/** A column's position identifies it: Postgres does not reuse one. */
const pairColumns = (before: CatalogTable, after: CatalogTable): readonly [Column, Column | undefined][] =>
  before.columns.map((old) => [old, after.columns.find(({ position }) => position === old.position)])

function forgetDropped(metadata: Metadata, changes: readonly TableChange[], after: Catalog): Metadata {
  const gone = new Set(
    changes
      .filter(({ after: now }) => !now)
      .map(({ source, before }) => tableObject(source, before.name).name),
  )
  const withoutTables = filterMetadata(metadata, ({ name }) => !gone.has(name))
  const withoutFunctions = forgetDroppedFunctions(withoutTables, after)
  return changes.reduce(
    (current, { source, before, after: now }) =>
      now ? forgetColumns(current, source, before, now) : current,
    withoutFunctions,
  )
}

function forgetDroppedFunctions(metadata: Metadata, after: Catalog): Metadata {
  const gone = new Set(
    metadata.sources.flatMap(({ name, functions = [] }) =>
      functions
        .filter((entry) => !after.functions.has(qualifiedKey(entry.function)))
        .map((entry) => functionObject(name, entry.function).name),
    ),
  )
  return gone.size === 0 ? metadata : filterMetadata(metadata, ({ name }) => !gone.has(name))
}

/** Removes the custom names of dropped columns. */
function forgetColumns(
  metadata: Metadata,
  source: string,
  before: CatalogTable,
  after: CatalogTable,
): Metadata {
  const dropped = new Set(pairColumns(before, after).flatMap(([old, now]) => (now ? [] : [old.name])))
  if (dropped.size === 0) return metadata
  const remaining = <Value>(entries: Readonly<Record<string, Value>> | undefined) =>
    entries && Object.fromEntries(Object.entries(entries).filter(([column]) => !dropped.has(column)))
  return editTable(metadata, source, after.name, (table) => ({
    ...table,
    configuration: table.configuration && {
      ...table.configuration,
      custom_column_names: remaining(table.configuration.custom_column_names),
      column_config: remaining(table.configuration.column_config),
    },
  }))
}

function refuseFunctionChanges(metadata: Metadata, before: Catalog, after: Catalog): void {
  const tracked = metadata.sources.flatMap(({ functions = [] }) => functions)
  const overloaded = tracked.filter(
    ({ function: name }) =>
      before.functions.get(qualifiedKey(name))?.length === 1 &&
      (after.functions.get(qualifiedKey(name))?.length ?? 0) > 1,
  )
  if (overloaded.length > 0) {
    const names = overloaded.map(({ function: name }) => displayName(name)).join(', ')
    throw new HasuraError('not-supported', `the following tracked function(s) cannot be overloaded: ${names}`)
  }
  const altered = tracked.find(({ function: name }) => {
    const [old] = before.functions.get(qualifiedKey(name)) ?? []
    const [now] = after.functions.get(qualifiedKey(name)) ?? []
    return old && now && old.volatility !== 'volatile' && now.volatility === 'volatile'
  })
  if (altered) {
    const name = displayName(altered.function)
    throw new HasuraError(
      'not-supported',
      `type of function "${name}" is altered to "VOLATILE" which is not supported now`,
    )
  }
}

function refuseColumnChanges({ metadata, before, after }: TableChange, baseline: Snapshot): void {
  if (!after) return
  const table = displayName(before.name)
  const known = new Set(before.columns.map(({ position }) => position))
  const fields = [...(metadata.object_relationships ?? []), ...(metadata.array_relationships ?? [])]
  const clash = after.columns.find(
    ({ position, name }) => !known.has(position) && fields.some((field) => field.name === name),
  )
  if (clash) {
    throw new HasuraError(
      'already-exists',
      `cannot add column "${clash.name}" in table "${table}" as a relationship with the name already exists`,
    )
  }
  for (const [old, now] of pairColumns(before, after)) {
    if (!now || now.name !== old.name || now.type.name === old.type.name) continue
    const dependents = typeDependents(baseline, before.name, old.name)
    if (dependents.length === 0) continue
    throw new HasuraError(
      'dependency-error',
      `cannot change type of column "${old.name}" in table "${table}" because of the following dependencies : ${dependents.join(', ')}`,
    )
  }
}
