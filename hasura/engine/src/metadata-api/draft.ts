import type { ClientBase, Pool } from 'pg'
import { readEnumTables } from '../catalog/enum-tables.ts'
import { introspect } from '../catalog/introspect.ts'
import type { Catalog } from '../catalog/types.ts'
import { buildSnapshot } from '../consistency/build-snapshot.ts'
import { describeDependents } from '../consistency/dependent-object.ts'
import { filterMetadata } from '../consistency/filter-metadata.ts'
import type { MetadataObject } from '../consistency/metadata-object.ts'
import { rootFieldConflict } from '../consistency/root-field-conflict.ts'
import { HasuraError } from '../hasura-error.ts'
import { compactMetadata } from '../metadata/edit-metadata.ts'
import type { Json, JsonObject } from '../metadata/parse.ts'
import type { Metadata } from '../metadata/types.ts'
import type { RemoteDirectory } from '../remote/remote-directory.ts'
import type { Inconsistency, Snapshot } from '../snapshot.ts'

/**
 * Reads the catalog, and the rows of the tables that metadata tracks as enums. The answer is `last` if nothing has
 * changed since it was read.
 */
export const readCatalog = async (
  client: ClientBase | Pool,
  metadata: Metadata,
  last?: Catalog,
): Promise<Catalog> =>
  readEnumTables(
    client,
    await introspect(client, last),
    metadata.sources.flatMap(({ tables }) =>
      tables.filter((table) => table.is_enum).map(({ table }) => table),
    ),
  )

/**
 * The state that the commands of one request work on: a snapshot of its own, which replaces the engine's when the whole
 * request has succeeded. A failed command changes nothing.
 */
export interface MetadataDraft {
  readonly snapshot: Snapshot
  /** Accepts the edited metadata, consistent or not. */
  accept(metadata: Metadata): Promise<void>
  /** Refuses an edit that makes any object inconsistent. `object` is the entry that the command edits, if it is one. */
  change(metadata: Metadata, object?: MetadataObject): Promise<void>
  /** Refuses an edit when other objects depend on what it removes; with `cascade` removes them, too. */
  remove(metadata: Metadata, options: { readonly cascade: boolean }): Promise<void>
  /**
   * Allows inconsistent edits meanwhile, and refuses all of them if their result is inconsistent. So two commands may
   * drop and re-create an object, or add two objects that depend on each other.
   */
  atomically<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether the Postgres triggers of event triggers are created anew when the request has succeeded. */
  readonly recreatesTriggers: boolean
  recreateTriggers(): void
  /** Continues with another state of database and metadata, which are known to fit. */
  replace(snapshot: Snapshot): void
  /** Has remote schemas introspected again: here with the next edit, in other engines when it is stored. */
  reload(remoteSchemas: readonly string[]): void
  /** The remote schemas that were reloaded. */
  readonly reloaded: readonly string[]
  /** Does work in the transaction that stores the metadata, so that it happens only if the whole request succeeds. */
  atCommit(work: CommitWork): void
  /** The work to do at the commit, in its order. */
  readonly commitWork: readonly CommitWork[]
  /** Returns a function that takes the draft back to its present state. */
  checkpoint(): () => void
}

type CommitWork = (client: ClientBase) => Promise<void>

export function createDraft(pool: Pool, remotes: RemoteDirectory, start: Snapshot): MetadataDraft {
  let snapshot = start
  let commitWork: readonly CommitWork[] = []
  let deferring = false
  const reloaded = new Set<string>()
  let recreatesTriggers = false

  const build = async (metadata: Metadata): Promise<Snapshot> => {
    const compacted = compactMetadata(metadata)
    const catalog = sameEnums(compacted, snapshot.storedMetadata)
      ? snapshot.catalog
      : await readCatalog(pool, compacted, snapshot.catalog)
    return buildSnapshot(compacted, catalog, snapshot.resourceVersion, await remotes.introspect(compacted))
  }

  const checkpoint = (): (() => void) => {
    const before = { snapshot, commitWork }
    return () => ({ snapshot, commitWork } = before)
  }

  return {
    get snapshot() {
      return snapshot
    },
    get reloaded() {
      return [...reloaded]
    },
    get commitWork() {
      return commitWork
    },
    get recreatesTriggers() {
      return recreatesTriggers
    },
    recreateTriggers: () => {
      recreatesTriggers = true
    },
    accept: async (metadata) => {
      const next = await build(metadata)
      if (!deferring) refuseConflict(next, snapshot)
      snapshot = next
    },
    change: async (metadata, object) => {
      const next = await build(metadata)
      if (!deferring) {
        refuseInconsistencies(newInconsistencies(next, snapshot), object)
        refuseConflict(next, snapshot)
      }
      snapshot = next
    },
    remove: async (metadata, { cascade }) => {
      const next = await build(metadata)
      const dependents = deferring && !cascade ? [] : newInconsistencies(next, snapshot)
      if (dependents.length === 0) {
        snapshot = next
        return
      }
      if (!cascade) {
        const names = describeDependents(dependents)
        throw new HasuraError(
          'dependency-error',
          `cannot drop due to the following dependent objects: ${names}`,
        )
      }
      snapshot = await build(withoutObjects(next.storedMetadata, dependents))
    },
    atomically: async (work) => {
      const before = snapshot
      const restore = checkpoint()
      const wasDeferring = deferring
      deferring = true
      try {
        const result = await work()
        const found = newInconsistencies(snapshot, before)
        if (found.length > 0)
          throw new HasuraError('bad-request', 'Schema inconsistency', {
            internal: inconsistenciesJson(found),
          })
        refuseConflict(snapshot, before)
        return result
      } catch (error) {
        restore()
        throw error
      } finally {
        deferring = wasDeferring
      }
    },
    replace: (next) => {
      snapshot = next
    },
    reload: (remoteSchemas) => {
      for (const name of remoteSchemas) {
        remotes.forget(name)
        reloaded.add(name)
      }
    },
    atCommit: (work) => {
      commitWork = [...commitWork, work]
    },
    checkpoint,
  }
}

const sameEnums = (a: Metadata, b: Metadata): boolean => enumNames(a) === enumNames(b)

const enumNames = (metadata: Metadata): string =>
  JSON.stringify(
    metadata.sources.flatMap(({ tables }) => tables.filter((each) => each.is_enum).map((each) => each.table)),
  )

/** Inconsistencies of objects that were consistent before. */
export function newInconsistencies(next: Snapshot, before: Snapshot): readonly Inconsistency[] {
  const known = new Set(before.inconsistencies.map(({ name }) => name))
  return next.inconsistencies.filter(({ name, entity }) => entity === undefined && !known.has(name))
}

export function withoutObjects(metadata: Metadata, objects: readonly Inconsistency[]): Metadata {
  const names = new Set(objects.map(({ name }) => name))
  return filterMetadata(metadata, ({ name }) => !names.has(name))
}

/** Refuses an object whose root field another object already has. Throws HasuraError. */
function refuseConflict(next: Snapshot, before: Snapshot): void {
  const conflict = rootFieldConflict(next)
  if (conflict !== undefined && conflict !== rootFieldConflict(before))
    throw new HasuraError('unexpected', conflict, { status: 500 })
}

function refuseInconsistencies(found: readonly Inconsistency[], object: MetadataObject | undefined): void {
  if (found.length === 0) return
  const own = found.filter(({ name }) => name === object?.name)
  if (own.length > 0) {
    throw new HasuraError('invalid-configuration', own.map(({ reason }) => reason).join(', '), {
      internal: inconsistenciesJson(own),
    })
  }
  throw new HasuraError('unexpected', 'cannot continue due to new inconsistent metadata', {
    internal: inconsistenciesJson(found),
  })
}

export const inconsistenciesJson = (inconsistencies: readonly Inconsistency[]): Json =>
  inconsistencies.map(({ definition, name, reason, type, message, conflicts, entity }) => {
    if (conflicts !== undefined) return { reason, conflicts }
    if (entity !== undefined) return { name, reason, type, entity }
    return { definition, name, reason, type, ...(message === undefined ? {} : { message }) }
  })

/** Whether the metadata is consistent, and its inconsistencies. */
export const consistencyJson = ({ inconsistencies }: Snapshot): JsonObject => ({
  is_consistent: inconsistencies.length === 0,
  inconsistent_objects: inconsistenciesJson(inconsistencies),
})
