import pg from 'pg'
import { RequestFailure } from './request-failure.ts'
import { preparedCount } from './statement-query.ts'

/** The most prepared statements on a connection. Beyond that it is replaced, which drops them. */
const maxPreparedPerConnection = 400

/**
 * Lends a connection of the pool. Aborting cancels its statement; the connection is returned only after that, so that a
 * late cancellation can't affect its next user. Rejects with the signal's reason when aborted, or with the error of
 * `use`.
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
    // The signal may have aborted while all connections were lent.
    signal?.throwIfAborted()
    return await use(client)
  } catch (error) {
    broken = endsConnection(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancelling
    client.release(broken || preparedCount(client) > maxPreparedPerConnection)
  }
}

const guarded = new WeakSet<pg.PoolClient>()

/**
 * A lost connection is reported twice while it is lent: the statement fails, and an event is emitted, which ends the
 * process when nothing listens. The pool listens only to idle connections.
 */
function guardAgainstLoss(client: pg.PoolClient): void {
  if (guarded.has(client)) return
  guarded.add(client)
  client.on('error', ignoreLoss)
}

const ignoreLoss = (): void => undefined

/**
 * SQLSTATEs of errors after which Postgres closes the connection: a shutdown or an administrator (57P), and time-outs of the
 * session. The error arrives before the end of the socket, so the pool would lend the connection once more.
 */
const fatal = /^(57P|25P03$|25P04$)/

/** The driver's error, of which a failure of the request may have been made. */
const originalOf = (error: unknown): unknown => (error instanceof RequestFailure ? error.cause : error)

/** The SQLSTATE of Postgres' error; undefined for any other. */
export function sqlStateOf(error: unknown): string | undefined {
  const original = originalOf(error)
  return original instanceof pg.DatabaseError ? original.code : undefined
}

/** Whether the connection can't be used after the error. */
export function endsConnection(error: unknown): error is Error {
  const original = originalOf(error)
  if (original instanceof pg.DatabaseError) return fatal.test(original.code ?? '')
  // Without an answer of the server, the connection's state is unknown.
  return original instanceof Error && ('code' in original || /connection|terminated/i.test(original.message))
}

/** What the driver's clients have, which its types leave out. */
interface Cancellable {
  readonly processID: number | null
  readonly secretKey: number | null
  readonly connection: { startup(): void; cancel(processId: number, secretKey: number): void }
}

/**
 * Cancels the statement over a second connection, outside of the pool, which may have none free. The request is the
 * protocol's own: it needs no session, and a pooler passes it on to the session that runs the statement.
 */
export async function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID, secretKey } = client as pg.PoolClient & Cancellable
  if (processID === null || secretKey === null) return
  const canceller = new pg.Client(pool.options)
  const { connection } = canceller as pg.Client & Cancellable
  // Where a session would begin, the request is sent; the server answers by closing the connection.
  connection.startup = () => connection.cancel(processID, secretKey)
  canceller.on('error', ignoreLoss)
  // A statement that can't be cancelled runs to its end, or to the statement_timeout.
  await canceller.connect().catch(ignoreLoss)
  await canceller.end().catch(ignoreLoss)
}
