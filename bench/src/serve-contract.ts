/**
 * The gateway over an engine of its own, in a process of its own, which prints its URL in its first line:
 *   DATABASE_URL=… AUTH_URL=… [ROW_SECURITY=on] node serve-contract.ts
 * With row security, its engine tells Postgres of each session; otherwise DATABASE_URL has to be the owner's.
 */
import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer } from '@commerce-graph/data-layer'
import { startGateway } from '@commerce-graph/gateway'
import { sessionSettings } from '@commerce-graph/platform/testing'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { pino } from 'pino'
import { z } from 'zod'
import { startPlatformEngine } from './platform-engine.ts'

const env = z
  .object({ DATABASE_URL: z.string(), AUTH_URL: z.string(), ROW_SECURITY: z.literal('on').optional() })
  .parse(process.env)
const logger = pino({ level: 'silent' })

const engine = await startPlatformEngine(
  env.DATABASE_URL,
  logger,
  env.ROW_SECURITY === 'on' ? { sessionSettings } : {},
)
const authenticator = createAuthenticator({ databaseUrl: env.AUTH_URL, mode: 'live', logger })
while (!authenticator.healthy) await new Promise((resolve) => setTimeout(resolve, 50))
const gateway = await startGateway({
  dataLayer: createEmbeddedDataLayer(engine),
  authenticator,
  rateLimits: await createRateLimits({
    settings: ratesFrom({ LIMIT_RATE_ENTERPRISE: '1000000000/1000000000/1000000000' }),
    logger,
  }),
  logger,
  port: 0,
  host: '127.0.0.1',
  firstQuery: '',
})
console.log(`http://127.0.0.1:${gateway.port}/graphql`)

process.once('SIGTERM', () => void stop())

async function stop(): Promise<void> {
  await gateway.stop()
  await engine.stop()
  await authenticator.close()
  process.exit(0)
}
