import type { Sql } from '@commerce-graph/postgres-driver'

/**
 * Time limits of statements that reach Postgres through a pooler. Its sessions are shared and take no settings from
 * their users, so the settings belong to the role, in this database. They are longer than a request may take (a
 * statement), and as long as those that the actions set without a pooler (a lock, a transaction without a statement).
 */
const limits = [
  ['statement_timeout', '45s'],
  ['lock_timeout', '10s'],
  ['idle_in_transaction_session_timeout', '15s'],
] as const

/** Gives the limits to the role that uses the pooler; values that it has in this database already are the operator's. */
export async function limitPooledSessions(pooled: Sql): Promise<void> {
  const set = await pooled<{ setting: string }[]>`
    SELECT unnest(s.setconfig) AS setting FROM pg_db_role_setting s
    JOIN pg_database d ON d.oid = s.setdatabase JOIN pg_roles r ON r.oid = s.setrole
    WHERE d.datname = current_database() AND r.rolname = current_user`
  for (const [name, value] of limits) {
    if (set.some(({ setting }) => setting.startsWith(`${name}=`))) continue
    const [statement] = await pooled<{ text: string }[]>`
      SELECT format('ALTER ROLE %I IN DATABASE %I SET %I = %L', current_user, current_database(), ${name}::text, ${value}::text) AS text`
    if (statement !== undefined) await pooled.unsafe(statement.text)
  }
}
