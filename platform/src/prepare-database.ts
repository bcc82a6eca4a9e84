import { createHasuraApi, type HasuraApi } from '@commerce-graph/hasura-cli'
import { startEngine } from 'hasura-embedded'
import { pino } from 'pino'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { fillWithDemoShop } from './open-demo-shop.ts'
import { PlatformError } from './platform-error.ts'
import { prepareSchema } from './prepare-schema.ts'
import { unlimited } from './unlimited.ts'

interface Target {
  readonly databaseUrl: string
  readonly adminSecret: string
}

/**
 * Brings an empty database to the state after the platform's first start, without starting a service: schema,
 * metadata, and the demo shop without its keys. Throws PlatformError.
 */
export const prepareDatabase = (target: Target): Promise<void> =>
  withOwnEngine(target, async (sql, api) => {
    await prepareSchema({ sql, databaseUrl: target.databaseUrl, sandbox: true }, api, () => undefined)
    await fillWithDemoShop(sql, api)
  })

/**
 * Versions before there were roles of the parts made everything as the superuser.
 *
 * @throws PlatformError if the user may not change what is in the database
 */
async function checkOwner(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    const [foreign] = await sql<{ schema: string; owner: string; user: string }[]>`
      SELECT nspname AS schema, pg_get_userbyid(nspowner) AS owner, current_user AS user FROM pg_namespace
      WHERE nspname IN ('platform', 'hdb_catalog') AND NOT has_schema_privilege(oid, 'CREATE') LIMIT 1`
    if (foreign === undefined) return
    throw new PlatformError(
      `The schema ${foreign.schema} belongs to ${foreign.owner}, and ${foreign.user} may not change it: the database was made by another version of Commerce Graph, or by another user. Start that version on it, or make it new, which drops all data in it: npm run reset`,
    )
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Does work with an engine that serves nobody else, and delivers no event. */
export async function withOwnEngine<T>(
  { databaseUrl, adminSecret }: Target,
  work: (sql: Sql, api: HasuraApi) => Promise<T>,
): Promise<T> {
  await checkOwner(databaseUrl)
  const engine = await startEngine({
    databaseUrl,
    adminSecret,
    port: 0,
    // Metadata refers to these; nothing is sent to them.
    env: {
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      ACTIONS_BASE_URL: 'http://127.0.0.1:9',
      ACTIONS_SECRET: '-',
    },
    events: { delivery: 'when-asked' },
    logger: pino({ level: 'silent' }),
  })
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined, connection: unlimited })
  try {
    return await work(sql, createHasuraApi({ endpoint: engine.url ?? '', adminSecret }))
  } finally {
    await sql.end({ timeout: 5 })
    await engine.stop()
  }
}
