import type { PlatformConfig } from '@commerce-graph/platform'
import postgres from '@commerce-graph/postgres-driver'

const parts = ['engine', 'actions', 'auth', 'worker'] as const
/** Of a server that only this test run reaches. */
const password = 'of-a-test'

/**
 * The addresses of a database for the platform's parts, each with its own role's rights, as `npm start` has them in its own Postgres.
 * The database must have its migrations, which make the roles.
 */
export async function partUrlsOf(databaseUrl: string): Promise<NonNullable<PlatformConfig['partUrls']>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    for (const part of parts)
      await sql.unsafe(`DO $$
        BEGIN
          IF to_regrole('test_${part}') IS NULL THEN
            CREATE ROLE test_${part} LOGIN PASSWORD '${password}' IN ROLE commerce_${part};
          END IF;
        -- Test files that run at the same time share the server, and so its roles.
        EXCEPTION WHEN unique_violation OR duplicate_object THEN
          NULL;
        END
        $$`)
  } finally {
    await sql.end()
  }
  const urlOf = (part: (typeof parts)[number]): string => {
    const url = new URL(databaseUrl)
    url.username = `test_${part}`
    url.password = password
    return url.href
  }
  return { engine: urlOf('engine'), actions: urlOf('actions'), auth: urlOf('auth'), worker: urlOf('worker') }
}
