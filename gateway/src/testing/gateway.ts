import { createAuthenticator, generateApiKey, hashApiKey } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import { testServerUrl } from '@commerce-graph/local-postgres/testing'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { pino } from 'pino'
import { type Gateway, startGateway } from '../index.ts'
import { type Limits, limitsFrom } from '../settings.ts'
import { fixtureId, openTestShop, type TestShop } from './shop.ts'

/** The gateway with a test shop's real engine and authentication, on its own port. */
export interface TestGateway extends AsyncDisposable {
  readonly shop: TestShop
  readonly port: number
  readonly url: string
  /** The gateway's log, line by line. */
  readonly log: readonly string[]
  /** A new key of a merchant. */
  readonly createKey: (options: KeyOptions) => Promise<string>
  readonly stop: Gateway['stop']
  readonly keptAnswers: Gateway['keptAnswers']
}

interface KeyOptions {
  readonly merchant?: 1 | 2
  readonly mode?: 'live' | 'test'
  readonly permissions: readonly string[]
  readonly revoked?: boolean
}

export interface TestGatewayOptions {
  readonly limits?: Partial<Limits>
  /** `LIMIT_RATE_…`. The shops are on the plan PRO, whose rate no test reaches unless it sets a lower one. */
  readonly rates?: Readonly<Record<string, string>>
  /** Wraps the shop's data layer, to delay or watch its operations. */
  readonly around?: (inner: DataLayer) => DataLayer
  readonly keepsAnswers?: boolean
}

export { everyPermission } from './shop.ts'

/** A live deployment with all its checks. */
export async function openTestGateway({
  limits = {},
  rates = { LIMIT_RATE_PRO: 'unlimited/1000000/1000000', LIMIT_GUESSES_PER_MINUTE: '1000000' },
  around = (inner) => inner,
  keepsAnswers = false,
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const shop = await openTestShop()
  const [database] = await shop.sql('SELECT current_database() AS name')
  const databaseUrl = new URL(testServerUrl())
  databaseUrl.pathname = `/${String(database?.['name'])}`
  const log: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) })
  const rateLimits = await createRateLimits({ settings: ratesFrom(rates), logger })
  const authenticator = createAuthenticator({ databaseUrl: databaseUrl.href, mode: 'live', logger })
  const gateway = await startGateway({
    dataLayer: around(shop.dataLayer),
    authenticator,
    rateLimits,
    logger,
    port: 0,
    host: '127.0.0.1',
    limits: { ...limitsFrom({}), ...limits },
    allowedOrigins: '*',
    firstQuery: '{ products { totalCount } }',
    keepsAnswers,
  })
  return {
    shop,
    port: gateway.port,
    url: `http://127.0.0.1:${gateway.port}/graphql`,
    log,
    createKey: (options) => createKey(shop, options),
    stop: (options) => gateway.stop(options),
    keptAnswers: gateway.keptAnswers,
    [Symbol.asyncDispose]: async () => {
      await gateway.stop({ graceMilliseconds: 0 })
      await authenticator.close()
      await shop[Symbol.asyncDispose]()
    },
  }
}

async function createKey(
  shop: TestShop,
  { merchant = 1, mode = 'live', permissions, revoked = false }: KeyOptions,
): Promise<string> {
  const { key, prefix } = generateApiKey(mode)
  const hash = hashApiKey(key).toString('hex')
  await shop.sql(
    `WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions, revoked_at)
       VALUES ('${fixtureId('merchant', merchant, 0)}', 'Test', '${mode}', '${prefix}', '{${permissions.join()}}', ${revoked ? 'now()' : 'NULL'})
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, '\\x${hash}' FROM key`,
  )
  return key
}

export interface ErrorOfAnswer {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions: {
    readonly code: string
    readonly id: string
    readonly statusCode: number
    readonly requestId: string
    readonly details: Readonly<Record<string, unknown>>
  }
}

export interface AnswerOf<Data> {
  readonly status: number
  readonly data: Data
  readonly errors: readonly ErrorOfAnswer[]
  readonly text: string
  readonly headers: Headers
}

/** Sends a document as a client would. */
export async function send<Data = Record<string, unknown>>(
  { url }: Pick<TestGateway, 'url'>,
  key: string,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<AnswerOf<Data>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  const text = await response.text()
  const { data, errors = [] } = JSON.parse(text) as { data: Data; errors?: readonly ErrorOfAnswer[] }
  return { status: response.status, data, errors, text, headers: response.headers }
}
