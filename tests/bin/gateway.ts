/**
 * Starts a gateway with its own engine and authenticator on the database of a platform that runs or has run:
 *   DATABASE_URL=… REDIS_URL=… LIMIT_…=… node tests/bin/gateway.ts    (prints its URL, logs to standard error)
 */
import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer } from '@commerce-graph/data-layer'
import { startGateway } from '@commerce-graph/gateway'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { startEngine } from 'hasura-embedded'
import { pino } from 'pino'
import { z } from 'zod'

const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = z
  .object({ DATABASE_URL: z.string(), REDIS_URL: z.string().optional() })
  .parse(process.env)
const logger = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }))
const stack = new AsyncDisposableStack()
const engine = await startEngine({
  databaseUrl,
  env: {
    HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
    ACTIONS_BASE_URL: 'http://127.0.0.1:9',
    ACTIONS_SECRET: 'none',
  },
  poolSize: 4,
  events: { delivery: 'when-asked' },
  logger,
})
stack.defer(() => engine.stop())
const rateLimits = await createRateLimits({ settings: ratesFrom(process.env), redisUrl, logger })
stack.defer(() => rateLimits.close())
const authenticator = createAuthenticator({ databaseUrl, mode: 'live', logger })
stack.defer(() => authenticator.close())
const gateway = await startGateway({
  dataLayer: createEmbeddedDataLayer(engine),
  authenticator,
  rateLimits,
  logger,
  port: 0,
  host: '127.0.0.1',
  firstQuery: '',
})
stack.defer(() => gateway.stop({ graceMilliseconds: 0 }))
process.once('SIGTERM', () => void stack.disposeAsync().then(() => process.exit(0)))
console.log(`http://127.0.0.1:${gateway.port}`)
