import type { PublicationOptions } from '@commerce-graph/change-feed'
import type { Pool, PoolClient } from 'pg'
import { isSameCatalog } from '../catalog/introspect.ts'
import { buildSnapshot } from '../consistency/build-snapshot.ts'
import { HasuraError, versionConflict } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import { parseMetadata } from '../metadata/read-metadata.ts'
import type { Metadata } from '../metadata/types.ts'
import { type RemoteDirectory, createRemoteDirectory } from '../remote/remote-directory.ts'
import { type RowCommands, createRowCommands } from '../rows/row-commands.ts'
import { adminSession } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import type { MetadataStore } from '../storage/metadata-store.ts'
import { requestTrace } from '../tracing/trace-context.ts'
import type { Caller, FinishChange } from './command.ts'
import type { CommandSet } from './commands.ts'
import { createDraft, type MetadataDraft, readCatalog } from './draft.ts'
import { changesMetadata, parseMetadataRequest, runMetadataRequest } from './handle-request.ts'

/** Holds the engine's snapshot. No other code changes it. */
export interface Workspace {
  readonly snapshot: Snapshot
  /** Runs a request of `/v1/metadata` or `/v2/query`; without `caller`, as the engine itself. Throws HasuraError. */
  handle(set: CommandSet, body: unknown, caller?: Caller): Promise<Json>
  /** Takes over metadata that another engine on the same database has stored, if any. */
  synchronize(): Promise<void>
}

/** The most requests that wait for earlier ones. */
const maxWaiting = 1_000

const tooBusy = (): HasuraError =>
  new HasuraError('unexpected', 'too many requests wait to change metadata', { status: 503 })

export interface WorkspaceOptions {
  readonly rows?: RowCommands
  /** Whether metadata with unknown keys is refused. */
  readonly strictMetadata?: boolean
  /** For SQL that may change its session; the pool if absent. */
  readonly sessions?: Pool
  /** The publication that the engine keeps up to date, if any. */
  readonly publication?: PublicationOptions | undefined
}

export async function openWorkspace(
  pool: Pool,
  store: MetadataStore,
  finishChange: FinishChange,
  remotes: RemoteDirectory = createRemoteDirectory(process.env),
  {
    rows = createRowCommands(pool, { stringifyNumericTypes: false }),
    strictMetadata = false,
    sessions = pool,
    publication,
  }: WorkspaceOptions = {},
): Promise<Workspace> {
  let snapshot = await load(pool, store, remotes)
  // The metadata may have come with a dump, or be older than this version of the engine, so the database is made to fit
  // it.
  await inTransaction(pool, (client) => finishChange(client, snapshot, snapshot))
  // Changes run one at a time, because each starts from the result of the previous one.
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    if (waiting >= maxWaiting) return Promise.reject(tooBusy())
    waiting += 1
    const turn = queue.then(run, run).finally(() => (waiting -= 1))
    queue = turn.catch(() => undefined)
    return turn
  }

  const catchUp = async (): Promise<void> => {
    if ((await store.readResourceVersion()) !== snapshot.resourceVersion)
      snapshot = await load(pool, store, remotes, snapshot)
  }

  const commit = (before: Snapshot, draft: MetadataDraft): Promise<Snapshot> =>
    inTransaction(pool, async (client) => {
      const { snapshot: after, reloaded } = draft
      const result = await store.write(after.storedMetadata, after.resourceVersion, { client, reloaded })
      switch (result.kind) {
        case 'written':
          await finishChange(client, before, after, draft)
          for (const work of draft.commitWork) await work(client)
          return { ...after, resourceVersion: result.resourceVersion }
        case 'conflict':
          throw versionConflict(after.resourceVersion)
      }
    })

  const changeMetadata = async (body: unknown, caller: Caller): Promise<Json> => {
    const request = parseMetadataRequest('metadata', body)
    const changes = changesMetadata(request)
    // A change must start from the present database, not from the last read of it.
    if (changes) snapshot = await load(pool, store, remotes, snapshot)
    else await catchUp()
    const draft = createDraft(pool, remotes, snapshot)
    requireVersion(body, draft.snapshot.resourceVersion)
    const answer = await runMetadataRequest(request, {
      draft,
      pool,
      sessions,
      store,
      finishChange,
      rows,
      strictMetadata,
      publication,
      ...caller,
    })
    if (changes) snapshot = await commit(snapshot, draft)
    return answer
  }

  /** Each run_sql is a transaction of its own: earlier ones stay when a later one fails. */
  const query = async (body: unknown, caller: Caller): Promise<Json> => {
    const request = parseMetadataRequest('query', body)
    await catchUp()
    const draft = createDraft(pool, remotes, snapshot)
    try {
      return await runMetadataRequest(request, {
        draft,
        pool,
        sessions,
        store,
        finishChange,
        rows,
        strictMetadata,
        publication,
        ...caller,
      })
    } finally {
      snapshot = draft.snapshot
    }
  }

  return {
    get snapshot() {
      return snapshot
    },
    handle: (set, body, caller = { session: adminSession, trace: requestTrace() }) =>
      inTurn(() => (set === 'metadata' ? changeMetadata(body, caller) : query(body, caller))),
    synchronize: async () => {
      if ((await store.readResourceVersion()) !== snapshot.resourceVersion) await inTurn(catchUp)
    },
  }
}

/** The snapshot of the present metadata and database, built from `last` where that is still so. */
async function load(
  pool: Pool,
  store: MetadataStore,
  remotes: RemoteDirectory,
  last?: Snapshot,
): Promise<Snapshot> {
  const { metadata, resourceVersion } = await readMetadata(store, last)
  if (last !== undefined && resourceVersion !== last.resourceVersion)
    for (const [name, version] of await store.readReloads())
      if (version > last.resourceVersion) remotes.forget(name)
  const [catalog, introspections] = await Promise.all([
    readCatalog(pool, metadata, last?.catalog),
    remotes.introspect(metadata),
  ])
  const isSame =
    last !== undefined &&
    metadata === last.storedMetadata &&
    isSameCatalog(catalog, last.catalog) &&
    sameEntries(introspections, last.introspections)
  // Copied, so that all is checked before it takes the last one's place.
  if (!isSame) return { ...buildSnapshot(metadata, catalog, resourceVersion, introspections) }
  return catalog === last.catalog ? last : { ...last, catalog }
}

async function readMetadata(
  store: MetadataStore,
  last: Snapshot | undefined,
): Promise<{ readonly metadata: Metadata; readonly resourceVersion: number }> {
  if (last !== undefined && (await store.readResourceVersion()) === last.resourceVersion)
    return { metadata: last.storedMetadata, resourceVersion: last.resourceVersion }
  const { metadata, resourceVersion } = await store.read()
  return { metadata: storedMetadata(metadata), resourceVersion }
}

const sameEntries = <Value>(one: ReadonlyMap<string, Value>, other: ReadonlyMap<string, Value>): boolean =>
  one.size === other.size && [...one].every(([name, value]) => other.get(name) === value)

async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let broken: boolean | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

function storedMetadata(stored: unknown): Metadata {
  const parsed = parseMetadata(stored)
  if (parsed.kind === 'parsed') return parsed.value
  const { path, message } = parsed.problem
  throw new HasuraError('unexpected', `the stored metadata can't be read: ${message}`, { status: 500, path })
}

function requireVersion(body: unknown, current: number): void {
  const referenced =
    typeof body === 'object' && body !== null && 'resource_version' in body
      ? body.resource_version
      : undefined
  if (typeof referenced === 'number' && referenced !== current) throw versionConflict(referenced)
}
