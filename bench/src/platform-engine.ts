import { type Engine, type EngineOptions, startEngine } from 'hasura-embedded'
import type { Logger } from 'pino'

/** An engine in this process over a platform's database, with the platform's metadata. Its actions have no handler. */
export const startPlatformEngine = (
  databaseUrl: string,
  logger: Logger,
  options: Pick<EngineOptions, 'sessionSettings' | 'tracer'> = {},
): Promise<Engine> =>
  startEngine({
    databaseUrl,
    env: {
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      ACTIONS_BASE_URL: 'http://127.0.0.1:9',
      ACTIONS_SECRET: 'none',
    },
    logger,
    ...options,
  })
