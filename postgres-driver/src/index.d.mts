import type postgres from 'postgres'

export { default, type Fragment, type ISql, type Sql, type TransactionSql } from 'postgres'

/** A pooler in transaction mode, such as PgBouncer, that the database's URL leads to. */
export interface Pooler {
  /** Leads to Postgres itself, for what belongs to a session: LISTEN, locks that outlive a transaction, migrations. */
  readonly directUrl: string
  /** Whether the pooler keeps track of named statements, as PgBouncer does from 1.21 on. */
  readonly namedStatements: boolean
}

/** Settings of a session, as Postgres names them. */
type SessionSettings = NonNullable<postgres.Options<object>['connection']>

/**
 * The options of a pool that depend on whether a pooler is in between. A pooler's sessions are shared, so none of them
 * gets settings of ours but its name: there, the role's own settings apply (`ALTER ROLE`).
 */
export function sessionOptions(
  settings: SessionSettings,
  pooler: Pooler | undefined,
): Pick<postgres.Options<object>, 'connection' | 'prepare'> & { readonly max_pipeline?: number }
