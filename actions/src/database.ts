import postgres, { type Pooler, sessionOptions } from '@commerce-graph/postgres-driver'

export type Database = postgres.Sql
/** Either the pool or a transaction of it: what a single statement needs. */
export type Queryable = postgres.ISql
export type JsonValue = postgres.JSONValue

export interface DatabaseOptions {
  readonly databaseUrl: string
  /** The pooler that the URL leads to. */
  readonly pooler?: Pooler | undefined
  /** Connections at most. */
  readonly poolSize: number
  readonly applicationName: string
  /** Seconds after which an idle connection is closed; 30 by default. */
  readonly idleSeconds?: number
}

/** No rule takes longer than this (milliseconds); what does, is stuck and must not hold its locks. */
export const statementTimeout = 15_000
const lockTimeout = 10_000

/**
 * A bounded pool whose statements can't run for ever; with a pooler, the settings of the database's role see to that.
 * Close it with `end`.
 */
export const connectDatabase = ({
  databaseUrl,
  pooler,
  poolSize,
  applicationName,
  idleSeconds = 30,
}: DatabaseOptions): Database =>
  postgres(databaseUrl, {
    max: poolSize,
    idle_timeout: idleSeconds,
    connect_timeout: 10,
    // Notices are for people at a psql prompt.
    onnotice: () => undefined,
    ...sessionOptions(
      {
        application_name: applicationName,
        statement_timeout: statementTimeout,
        lock_timeout: lockTimeout,
        idle_in_transaction_session_timeout: statementTimeout,
      },
      pooler,
    ),
  })

/**
 * Connections to Postgres itself, for what belongs to a session. Beside a pooler they are scarce, and closed when they have nothing to
 * do. Elsewhere they outlast the pauses of a job that runs every few seconds, which would open one each time.
 */
export const connectSessions = ({ databaseUrl, pooler, ...options }: DatabaseOptions): Database =>
  pooler === undefined
    ? connectDatabase({ ...options, databaseUrl })
    : connectDatabase({ ...options, databaseUrl: pooler.directUrl, idleSeconds: 1 })

/** Whether Postgres ended a statement, which it does for its time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '57014'

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** Whether the database could not be reached, or ended the session: codes of Node, of the driver, and classes 08 and 57P of Postgres. */
export const isAway = (error: unknown): boolean =>
  /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|CONNECT|08|57P)/.test(codeOf(error))

/** Whether the same statement may succeed later: the database is away, or it ended the statement for others' locks, its time or its means. */
export const mayPass = (error: unknown): boolean =>
  isAway(error) || /^(40|53|55P03|57014)/.test(codeOf(error))

/** A JSON parameter, with SQL's NULL for null. An interface has no index signature, though its values are plain data. */
export const jsonOf = (sql: Queryable, value: object | null): postgres.Parameter | null =>
  value === null ? null : sql.json(value as JsonValue)
