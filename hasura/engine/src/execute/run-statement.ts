import pg from 'pg'
import type { CompiledStatement } from './compile.ts'
import { queryWithUser } from './session-query.ts'

/** JSON is passed on as Postgres wrote it: nothing is parsed. */
const rawTypes = { getTypeParser: () => (value: unknown) => value }

/** Statements that a connection may hold prepared. Beyond that it is replaced, which forgets all of them. */
const maxPreparedPerConnection = 400

/** Longer statements, as inserts of many rows, seldom come twice and would take the server's memory. */
const maxPreparedLength = 50_000

const prepared = new WeakMap<pg.PoolClient, Set<string>>()

export type ResultRow = readonly (string | null)[]

/**
 * Runs a statement on a connection, prepared under its name, and returns its rows as texts. With `user` it runs as
 * a transaction of its own in which `hasura.user` says that.
 */
export const runStatement = async (
  client: pg.PoolClient,
  { name, text }: CompiledStatement,
  values: readonly (string | null)[],
  user?: string,
): Promise<readonly ResultRow[]> => {
  const config = { text, values: [...values], rowMode: 'array' as const, types: rawTypes }
  const named = text.length <= maxPreparedLength ? { ...config, name: remember(client, name) } : config
  const result =
    user === undefined
      ? await client.query<(string | null)[]>(named)
      : await queryWithUser(client, user, named)
  return result.rows
}

const remember = (client: pg.PoolClient, name: string): string => {
  const names = prepared.get(client) ?? new Set<string>()
  prepared.set(client, names.add(name))
  return name
}

/**
 * Lends a connection of the pool. Aborting cancels what it is running; it is given back only when that is
 * over, so that a late cancellation can't hit whoever gets the connection next.
 */
export const withConnection = async <Result>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  use: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> => {
  signal?.throwIfAborted()
  const client = await pool.connect()
  client.on('error', ignoreLoss)
  let cancelling: Promise<void> | undefined
  const cancel = (): void => {
    cancelling = cancelStatement(pool, client)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  let broken = false
  try {
    return await use(client)
  } catch (error) {
    // Without an answer of the server, the state of the connection is unknown.
    broken = !(error instanceof pg.DatabaseError) && isConnectionError(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancelling
    client.off('error', ignoreLoss)
    client.release(broken || (prepared.get(client)?.size ?? 0) > maxPreparedPerConnection)
  }
}

/**
 * A connection that is lost while it is lent out says so twice: to the statement, which fails, and as an event, which
 * would end the process if nobody listened. The pool listens to idle ones only.
 */
const ignoreLoss = (): void => undefined

const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && ('code' in error || /connection|terminated/i.test(error.message))

/** A second connection asks the server to stop; the pool may have none to spare. */
const cancelStatement = async (pool: pg.Pool, client: pg.PoolClient): Promise<void> => {
  const { processID } = client as pg.PoolClient & { readonly processID: number | null }
  if (processID === null) return
  const canceller = new pg.Client(pool.options)
  canceller.on('error', ignoreLoss)
  try {
    await canceller.connect()
    await canceller.query('SELECT pg_cancel_backend($1)', [processID])
  } catch {
    // The statement then runs to its own end, or to the statement_timeout.
  } finally {
    await canceller.end().catch(() => undefined)
  }
}
