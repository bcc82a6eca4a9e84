import postgres from '@commerce-graph/postgres-driver'

export type Database = postgres.Sql
/** Either the pool or a transaction of it: what a single statement needs. */
export type Queryable = postgres.ISql
export type JsonValue = postgres.JSONValue

export interface DatabaseOptions {
  readonly databaseUrl: string
  /** Connections at most. */
  readonly poolSize: number
  readonly applicationName: string
}

/** No rule takes longer than this (milliseconds); what does, is stuck and must not hold its locks. */
const statementTimeout = 15_000
const lockTimeout = 10_000

/** A bounded pool whose statements are prepared and can't run for ever. Close it with `end`. */
export const connectDatabase = ({ databaseUrl, poolSize, applicationName }: DatabaseOptions): Database =>
  postgres(databaseUrl, {
    max: poolSize,
    idle_timeout: 30,
    connect_timeout: 10,
    // Notices are for people at a psql prompt.
    onnotice: () => undefined,
    connection: {
      application_name: applicationName,
      statement_timeout: statementTimeout,
      lock_timeout: lockTimeout,
      idle_in_transaction_session_timeout: statementTimeout,
    },
  })

/** A JSON parameter, with SQL's NULL for null. An interface has no index signature, though its values are plain data. */
export const jsonOf = (sql: Queryable, value: object | null): postgres.Parameter | null =>
  value === null ? null : sql.json(value as JsonValue)
