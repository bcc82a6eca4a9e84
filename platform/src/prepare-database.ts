import { createHasuraApi } from '@commerce-graph/hasura-cli'
import { startEngine } from 'hasura-embedded'
import { pino } from 'pino'
import postgres from '@commerce-graph/postgres-driver'
import { fillWithDemoShop } from './open-demo-shop.ts'
import { prepareSchema } from './prepare-schema.ts'

/**
 * Brings an empty database to the state after the platform's first start, without starting a service: schema,
 * metadata, and the demo shop without its keys. Throws PlatformError.
 */
export async function prepareDatabase({
  databaseUrl,
  adminSecret,
}: {
  readonly databaseUrl: string
  readonly adminSecret: string
}): Promise<void> {
  const engine = await startEngine({
    databaseUrl,
    adminSecret,
    port: 0,
    // Metadata refers to these; nothing is sent to them before the platform starts.
    env: {
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      ACTIONS_BASE_URL: 'http://127.0.0.1:9',
      ACTIONS_SECRET: '-',
    },
    events: { delivery: 'when-asked' },
    logger: pino({ level: 'silent' }),
  })
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    const api = createHasuraApi({ endpoint: engine.url ?? '', adminSecret })
    await prepareSchema(sql, api, () => undefined)
    await fillWithDemoShop(sql, api)
  } finally {
    await sql.end({ timeout: 5 })
    await engine.stop()
  }
}
