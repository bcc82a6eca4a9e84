import { createHasuraApi, type HasuraApi } from '@commerce-graph/hasura-cli'
import { startEngine } from 'hasura-embedded'
import { pino } from 'pino'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { fillWithDemoShop } from './open-demo-shop.ts'
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

/** Does work with an engine that serves nobody else, and delivers no event. */
export async function withOwnEngine<T>(
  { databaseUrl, adminSecret }: Target,
  work: (sql: Sql, api: HasuraApi) => Promise<T>,
): Promise<T> {
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
