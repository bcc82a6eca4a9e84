import { type PublicationOptions, publishTables, withdrawTables } from '@commerce-graph/change-feed'
import pg, { type PoolClient } from 'pg'
import { z } from 'zod'
import { isSameCatalog } from '../catalog/introspect.ts'
import { settingsFor, transactionSettings } from '../execute/statement-query.ts'
import { readCatalog } from './draft.ts'
import { HasuraError, versionConflict } from '../hasura-error.ts'
import { compactMetadata } from '../metadata/edit-metadata.ts'
import type { Metadata } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import type { MetadataStore } from '../storage/metadata-store.ts'
import { selectSettings } from '../session/session-settings.ts'
import { traceSetting } from '../tracing/trace-context.ts'
import { type Json, record } from '../metadata/parse.ts'
import { type Caller, type Command, type CommandContext, requireSource, sourceName } from './command.ts'
import { adaptToCatalog } from './adapt-to-catalog.ts'

const runSqlArguments = record({
  source: sourceName,
  sql: z.string(),
  cascade: z.boolean().default(false),
  check_metadata_consistency: z.boolean().optional(),
  read_only: z.boolean().default(false),
})
type RunSqlArguments = z.output<typeof runSqlArguments>

/** Finds SQL that may change a tracked table or function. The pattern is Hasura's. */
const changesSchema = /\b(alter|drop|replace|create function|comment on)\b/i

/**
 * Runs any SQL in a transaction. If it may have changed the schema, metadata follows renamed objects and removes
 * dropped ones, and the transaction fails if another object would become inconsistent.
 */
export const runSql: Command = {
  schema: runSqlArguments,
  changesMetadata: false,
  reading: (args) => ({ ...runSqlArguments.parse(args), read_only: true }),
  run: async (args, context) => {
    const parsed = runSqlArguments.parse(args)
    requireSource(context.draft.snapshot.storedMetadata, parsed.source)
    const client = await context.sessions.connect()
    // The pool doesn't listen to a lent connection, and an error without a listener ends the process.
    const ignore = (): void => undefined
    client.on('error', ignore)
    let reusable = false
    try {
      const { result, snapshot } = await inTransaction(client, parsed, async () => {
        await setSettings(client, context)
        return runChecked(client, parsed, context)
      })
      // Only now: the commit may fail, and with it what the SQL has changed.
      if (snapshot !== undefined) context.draft.replace(snapshot)
      reusable = await resetSession(client, parsed.sql)
      return result
    } finally {
      if (reusable) client.off('error', ignore)
      client.release(!reusable)
    }
  },
}

/**
 * Resets what the SQL set in the session (search_path, role, time zone, temporary tables, locks), so that the
 * connection can be reused: a new one costs Postgres some 80 ms with a large catalog. It is DISCARD ALL without the
 * prepared statements, which the driver relies on. Returns false when the connection has to be closed instead.
 */
async function resetSession(client: PoolClient, sql: string): Promise<boolean> {
  if (/\b(prepare|load)\b/i.test(sql)) return false
  try {
    await client.query(
      'close all; set session authorization default; reset all; unlisten *; select pg_advisory_unlock_all(); ' +
        'discard plans; discard temp; discard sequences',
    )
    return true
  } catch {
    return false
  }
}

/** Events that the SQL causes carry its sender's session. */
async function setSettings(client: PoolClient, { session, trace }: Caller): Promise<void> {
  const settings = [
    ...transactionSettings({ user: JSON.stringify(session.variables), trace: traceSetting(trace()) }),
    ...settingsFor(client, session),
  ]
  await client.query(selectSettings(settings))
}

/** Throws HasuraError for an error of Postgres, in the SQL or at the commit, where deferred constraints are checked. */
async function inTransaction<T>(
  client: PoolClient,
  { sql, read_only: readOnly }: RunSqlArguments,
  run: () => Promise<T>,
): Promise<T> {
  await client.query(readOnly ? 'begin read only' : 'begin')
  try {
    const result = await run()
    await client.query('commit')
    return result
  } catch (error) {
    // On a lost connection there is nothing to roll back, and the first error is the cause.
    await client.query('rollback').catch(() => undefined)
    throw error instanceof pg.DatabaseError ? queryFailed(sql, error) : error
  }
}

interface CheckedResult {
  readonly result: Json
  /** Of the database and the metadata after the SQL, once it is committed; undefined if it was not checked. */
  readonly snapshot?: Snapshot
}

async function runChecked(
  client: PoolClient,
  args: RunSqlArguments,
  { draft, store, finishChange, publication }: CommandContext,
): Promise<CheckedResult> {
  const run = (): Promise<Json> => execute(client, args.sql, args.read_only ? undefined : publication)
  const checks = !args.read_only && (args.check_metadata_consistency ?? changesSchema.test(args.sql))
  if (!checks || !speaksOfDatabase(draft.snapshot.storedMetadata)) return { result: await run() }
  const { storedMetadata, catalog } = draft.snapshot
  const before = await readCatalog(client, storedMetadata, catalog)
  const result = await run()
  // A `set search_path` in the SQL must not change what the catalog query finds.
  await client.query('reset search_path')
  const after = await readCatalog(client, storedMetadata, before)
  const adapted = isSameCatalog(after, catalog)
    ? draft.snapshot
    : await adaptToCatalog(draft.snapshot, before, after, args, (metadata) =>
        readCatalog(client, metadata, after),
      )
  const persisted = await persist(client, store, draft.snapshot, {
    after: adapted,
    isNewSchema: !isSameCatalog(after, before),
  })
  await finishChange(client, draft.snapshot, persisted)
  return { result, snapshot: persisted }
}

/**
 * Whether metadata has any object that a change of the schema could affect. Before that, as during the first
 * migrations, the catalog need not be read around each statement.
 */
const speaksOfDatabase = ({ sources }: Metadata): boolean =>
  sources.some(
    ({ tables, functions = [], native_queries = [], logical_models = [] }) =>
      tables.length + functions.length + native_queries.length + logical_models.length > 0,
  )

/**
 * Stores the changes in the SQL's transaction, so that database and metadata change together. A new schema has a new
 * resource version, too, by which other engines notice it.
 */
async function persist(
  client: PoolClient,
  store: MetadataStore,
  before: Snapshot,
  { after, isNewSchema }: { readonly after: Snapshot; readonly isNewSchema: boolean },
): Promise<Snapshot> {
  const metadata = compactMetadata(after.storedMetadata)
  if (JSON.stringify(metadata) === JSON.stringify(before.storedMetadata)) {
    if (!isNewSchema) return after
    const resourceVersion = await store.raiseVersion(client)
    // Else another engine has changed the metadata while the SQL ran, which this engine still has to read.
    return resourceVersion === before.resourceVersion + 1 ? { ...after, resourceVersion } : after
  }
  const result = await store.write(metadata, before.resourceVersion, { client })
  switch (result.kind) {
    case 'written':
      return { ...after, storedMetadata: metadata, resourceVersion: result.resourceVersion }
    case 'conflict':
      throw versionConflict(before.resourceVersion)
  }
}

const textOnly = { getTypeParser: () => (value: string) => value }

/** The last statement's rows as text, after a row of column names: Hasura's form of a result. */
async function execute(
  client: PoolClient,
  sql: string,
  publication: PublicationOptions | undefined,
): Promise<Json> {
  const results = await (publication === undefined
    ? queryRows(client, sql)
    : queryPublished(client, sql, publication))
  const last = lastResult.parse(Array.isArray(results) ? results.at(-1) : results)
  return last.fields.length > 0
    ? { result_type: 'TuplesOk', result: [last.fields.map(({ name }) => name), ...last.rows] }
    : { result_type: 'CommandOk', result: null }
}

const queryRows = (client: PoolClient, sql: string): Promise<unknown> =>
  client.query({ text: sql, rowMode: 'array', types: textOnly })

/** SQLSTATEs with which Postgres refuses to change the type of a published key column, or to drop it. */
const refusedIfPublished: ReadonlySet<string | undefined> = new Set(['0A000', '2BP01'])

/**
 * Runs the SQL; if Postgres refuses it, perhaps because a table is published, once more with none published. The tables
 * are published anew in the same transaction, so that no feed misses a change.
 */
async function queryPublished(
  client: PoolClient,
  sql: string,
  publication: PublicationOptions,
): Promise<unknown> {
  await client.query('savepoint before_sql')
  try {
    return await queryRows(client, sql)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && refusedIfPublished.has(error.code))) throw error
    if (!(await rollBackToSavepoint(client))) throw error
  }
  const run = async (text: string): Promise<readonly unknown[]> =>
    (await client.query<Record<string, unknown>>(text)).rows
  await withdrawTables(run, publication.publication)
  const results = await queryRows(client, sql)
  await publishTables(run, publication)
  return results
}

/** False: the SQL has ended the transaction itself, so that a part of it is committed and must not run again. */
async function rollBackToSavepoint(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback to savepoint before_sql')
    return true
  } catch {
    return false
  }
}

const lastResult = z.object({
  fields: z.array(z.object({ name: z.string() })),
  rows: z.array(z.array(z.string().nullable())),
})

const queryFailed = (sql: string, error: pg.DatabaseError): HasuraError =>
  new HasuraError('postgres-error', 'query execution failed', {
    internal: {
      statement: sql,
      prepared: false,
      error: {
        exec_status: 'FatalError',
        hint: error.hint ?? null,
        message: error.message,
        status_code: error.code ?? null,
        description: error.detail ?? null,
      },
      arguments: [],
    },
  })
