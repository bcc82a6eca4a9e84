import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type PlatformConfig, readConfiguration, startPlatform } from '@commerce-graph/platform'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { z } from 'zod'
import { createDemoDatabase } from './demo-database.ts'
import { partUrlsOf } from './part-urls.ts'

export interface TestPlatform {
  readonly graphqlUrl: string
  readonly hasuraUrl: string
  readonly databaseUrl: string
  /** Null in a live deployment. */
  readonly paymentSandboxUrl: string | null
  readonly adminSecret: string
  readonly merchantId: string
  readonly liveKey: string
  readonly testKey: string
  readonly publishableKey: string
  /** The demo shop's owner. */
  readonly userEmail: string
  readonly userPassword: string
  stop(): Promise<void>
}

/** As few for the workers as the tests' environment says (vitest.config.ts). */
const { connections } = readConfiguration({
  DATABASE_CONNECTIONS_WORKER: process.env['DATABASE_CONNECTIONS_WORKER'],
})

const dataLayer = z.enum(['embedded', 'http']).default('embedded').parse(process.env['DATA_LAYER'])

/**
 * The whole platform as `npm start` runs it, with the demo shop, on its own database and ports. With
 * `DATA_LAYER=http` it calls its engine over HTTP, like an official Hasura.
 */
export async function startTestPlatform(
  config: Pick<
    PlatformConfig,
    | 'webhookTimes'
    | 'smtpUrl'
    | 'signUpUrl'
    | 'place'
    | 'pushWebhookUrl'
    | 'rates'
    | 'limits'
    | 'encryptionKeys'
    | 'filesBucket'
    | 'metrics'
    | 'tracing'
    | 'admin'
    | 'docs'
  > &
    Partial<Pick<PlatformConfig, 'mode'>> = {},
): Promise<TestPlatform> {
  const database = await createDemoDatabase()
  const dataDir = await mkdtemp(path.join(tmpdir(), 'commerce-graph-test-'))
  const platform = await startPlatform({
    ports: { kind: 'free' },
    host: '127.0.0.1',
    dataDir,
    databaseUrl: database.url,
    partUrls: await partUrlsOf(database.url),
    mode: 'test',
    demoShop: true,
    dataLayer,
    // A test sends as many requests in a second as a shopper in an hour.
    rates: ratesFrom({
      LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '1000000',
      LIMIT_GUESSES_PER_MINUTE: '1000000',
      LIMIT_COUPON_GUESSES_PER_HOUR: '1000000',
    }),
    connections,
    logLevel: 'error',
    ...config,
  })
  if (platform.demoShop === undefined) throw new Error('the demo shop is missing')
  return {
    graphqlUrl: platform.urls.graphql,
    hasuraUrl: platform.urls.hasura,
    databaseUrl: platform.databaseUrl,
    paymentSandboxUrl: platform.urls.paymentSandbox,
    adminSecret: platform.adminSecret,
    ...platform.demoShop,
    async stop() {
      await platform.stop()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
