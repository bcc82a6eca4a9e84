import { AsyncLocalStorage } from 'node:async_hooks'
import type postgres from '@commerce-graph/postgres-driver'
import { connectDatabase, type Database, type DatabaseOptions } from './database.ts'

/** A statement of the driver's, as far as its types leave out what cancelling takes. */
interface Statement {
  /** Whether it was sent for; a fragment of another statement never is. */
  readonly executed: boolean
  /** Whether it is what its connection runs, and isn't answered yet. */
  readonly active: boolean
  /** The connection that has it, once one does. */
  readonly state: { readonly pid: number } | null
  readonly statement: { readonly string: string } | null
  cancel(): unknown
}

/** A client that waits for an answer, and what was begun for it. */
interface Caller {
  readonly signal: AbortSignal
  readonly statements: Set<Statement>
}

const callers = new AsyncLocalStorage<Caller>()

/** Aborted when the caller goes that work is done for; undefined outside of `runFor`. */
export const leavingOfCaller = (): AbortSignal | undefined => callers.getStore()?.signal

export interface Interruption {
  /** The database for what is done on behalf of a caller. Outside of `runFor` it is the database as it was. */
  readonly database: Database
  /**
   * Does the work for a caller that may go. When it does, the statement that runs for it is cancelled in Postgres,
   * its transaction ends, and no further statement begins; the work then rejects.
   */
  runFor<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * @param database.databaseUrl where `database` is connected to; statements are cancelled over a connection of their own
 * @param database.pooler hides which session a statement runs in, so none is cancelled; no further one begins, all the same
 */
export function interruptible(
  database: Database,
  { databaseUrl, pooler }: Pick<DatabaseOptions, 'databaseUrl' | 'pooler'>,
): Interruption {
  const canceller = connectDatabase({
    databaseUrl,
    pooler,
    poolSize: 1,
    applicationName: 'actions canceller',
  })
  return {
    database: following(database),
    async runFor(signal, work) {
      const caller: Caller = { signal, statements: new Set() }
      const interrupt = (): void => {
        if (pooler !== undefined) return
        for (const statement of caller.statements)
          // A statement that can't be cancelled ends by the database's own time limit.
          cancel(canceller, statement).catch(() => undefined)
      }
      signal.addEventListener('abort', interrupt, { once: true })
      try {
        return await callers.run(caller, work)
      } finally {
        signal.removeEventListener('abort', interrupt)
      }
    },
    close: () => canceller.end({ timeout: 5 }),
  }
}

/** The same database or transaction, whose statements are known to the caller that they are for. */
const following = <Target extends Database | postgres.TransactionSql>(target: Target): Target =>
  new Proxy(target, {
    apply(sql, self: unknown, args: unknown[]) {
      const caller = callers.getStore()
      caller?.signal.throwIfAborted()
      const result: unknown = Reflect.apply(sql as (...args: unknown[]) => unknown, self, args)
      if (caller && isStatement(result)) caller.statements.add(result)
      return result
    },
    get(sql, name) {
      const value: unknown = Reflect.get(sql, name)
      return name === 'begin' || name === 'savepoint' ? followingTransactions(value as Begin) : value
    },
  })

type Begin = (work: (sql: postgres.TransactionSql) => unknown) => unknown

const followingTransactions =
  (begin: Begin): Begin =>
  (work) =>
    begin((sql) => work(following(sql)))

const isStatement = (value: unknown): value is Statement => value instanceof Promise && 'cancel' in value

/**
 * The driver's own way to cancel tells Postgres to end whatever the connection runs when the word arrives, which may
 * be another caller's by then. So Postgres is asked first when the statement was begun; while it has not been answered
 * here, that is this one's time, and only what began then is cancelled. The time is text, as the driver's dates have no
 * microseconds.
 */
async function cancel(canceller: Database, query: Statement): Promise<void> {
  if (!query.executed) return
  if (query.state === null) {
    await query.cancel()
    return
  }
  const { pid } = query.state
  const text = query.statement?.string ?? ''
  if (!query.active) return
  const [running] = await canceller<{ began: string }[]>`
    SELECT query_start::text AS began FROM pg_stat_activity
    WHERE pid = ${pid} AND state = 'active' AND left(query, 500) = left(${text}, 500)`
  if (running === undefined || !(query as { active: boolean }).active) return
  await canceller`
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE pid = ${pid} AND state = 'active' AND query_start::text = ${running.began}`
}
