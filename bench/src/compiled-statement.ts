import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import type { Ready } from '@commerce-graph/platform/testing'
import { createSession, type ExplainedStatement } from 'hasura-embedded'
import { pino } from 'pino'
import { startLocalGateway } from './local-gateway.ts'
import { startPlatformEngine } from './platform-engine.ts'

/**
 * The statement into which a request to /graphql is compiled. Sends the request through a gateway and an engine in this
 * process, and asks the engine to explain the gateway's operation.
 */
export async function compiledStatement(platform: Ready, body: string): Promise<ExplainedStatement> {
  const logger = pino({ level: 'silent' })
  await using started = new AsyncDisposableStack()
  const engine = await startPlatformEngine(platform.databaseUrl, logger)
  started.defer(() => engine.stop())
  const authenticator = createAuthenticator({ databaseUrl: platform.databaseUrl, mode: 'live', logger })
  started.defer(() => authenticator.close())
  const rateLimits = await createRateLimits({ settings: ratesFrom({}), logger })

  let statements: readonly ExplainedStatement[] = []
  const embedded = createEmbeddedDataLayer(engine)
  const dataLayer: DataLayer = {
    ...embedded,
    execute(operation, session, options) {
      statements = engine.explain(operation, createSession('merchant', session))
      return embedded.execute(operation, session, options)
    },
  }
  const url = await startLocalGateway(started, { dataLayer, authenticator, rateLimits, logger })
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.liveKey}`, 'content-type': 'application/json' },
    body,
  })
  const [statement, ...others] = statements
  if (!response.ok || statement === undefined || others.length > 0) {
    throw new Error(
      `expected one statement behind the request, got ${statements.length}: ${await response.text()}`,
    )
  }
  return statement
}
