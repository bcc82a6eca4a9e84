import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { startEngine } from 'hasura-embedded'
import { pino } from 'pino'
import { createHasuraApi, type HasuraApi } from '../src/index.ts'

export const adminSecret = 'a secret of the test'

export interface RunningEngine {
  readonly api: HasuraApi
  readonly url: string
  readonly databaseUrl: string
  readonly stop: () => Promise<void>
}

/** Starts an engine with HTTP on an empty database. */
export async function runEngine(): Promise<RunningEngine> {
  const database = await createTestDatabase()
  const engine = await startEngine({
    databaseUrl: database.url,
    adminSecret,
    port: 0,
    env: {
      HASURA_GRAPHQL_DATABASE_URL: database.url,
      ACTIONS_BASE_URL: 'http://127.0.0.1:9',
      ACTIONS_SECRET: '-',
    },
    logger: pino({ level: 'silent' }),
  })
  const url = engine.url ?? ''
  return {
    url,
    databaseUrl: database.url,
    api: createHasuraApi({ endpoint: url, adminSecret }),
    stop: async () => {
      await engine.stop()
      await database.drop()
    },
  }
}
