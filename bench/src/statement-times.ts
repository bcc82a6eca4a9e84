import postgres from '@commerce-graph/postgres-driver'

/** What a statement has cost since the server's start. */
export interface StatementTime {
  readonly statement: string
  readonly calls: number
  readonly totalMs: number
}

/** The statements that took the most time, of a Postgres with pg_stat_statements; null where it can't be asked. */
export async function statementTimes(databaseUrl: string): Promise<readonly StatementTime[] | null> {
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 2, onnotice: () => undefined })
  try {
    await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`
    return await sql<StatementTime[]>`
      SELECT regexp_replace(query, '\\s+', ' ', 'g') AS statement, sum(calls)::float8 AS calls,
        sum(total_exec_time + total_plan_time)::float8 AS "totalMs"
      FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'
      GROUP BY 1 ORDER BY 3 DESC LIMIT 200`
  } catch {
    return null
  } finally {
    await sql.end({ timeout: 1 })
  }
}
