import pg from 'pg'
import { preparedCount } from './statement-query.ts'

/** Statements that a connection may hold prepared. Beyond that it is replaced, which forgets all of them. */
const maxPreparedPerConnection = 400

/**
 * Lends a connection of the pool. Aborting cancels what it is running; it is given back only when that is
 * over, so that a late cancellation can't hit whoever gets the connection next.
 */
export async function withConnection<Result>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  use: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const client = await pool.connect()
  guardAgainstLoss(client)
  let cancelling: Promise<void> | undefined
  const cancel = (): void => {
    cancelling = cancelStatement(pool, client)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  let broken = false
  try {
    // It may have been aborted while all connections were lent.
    signal?.throwIfAborted()
    return await use(client)
  } catch (error) {
    // Without an answer of the server, the state of the connection is unknown.
    broken = !(error instanceof pg.DatabaseError) && isConnectionError(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancelling
    client.release(broken || preparedCount(client) > maxPreparedPerConnection)
  }
}

const guarded = new WeakSet<pg.PoolClient>()

/**
 * A connection that is lost while it is lent out says so twice: to the statement, which fails, and as an event, which
 * would end the process if nobody listened. The pool listens to idle ones only.
 */
function guardAgainstLoss(client: pg.PoolClient): void {
  if (guarded.has(client)) return
  guarded.add(client)
  client.on('error', ignoreLoss)
}

const ignoreLoss = (): void => undefined

const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && ('code' in error || /connection|terminated/i.test(error.message))

/** A second connection asks the server to stop; the pool may have none to spare. */
async function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
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
