import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '@commerce-graph/actions'
import { faultsOf, outcomesOf } from '@commerce-graph/actions/testing/purchase-outcome'
import { verifyRows } from '@commerce-graph/actions/verification'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { bearer, type Client, createClient } from '../support/graphql-client.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { createStockedProduct, payload } from '../support/shop.ts'
import { buy, type ClientOptions, type Purchase, ways } from './purchase.ts'

export interface SoakOptions {
  /** Of the platform, as after its first start. */
  readonly databaseUrl: string
  /** How often the platform is killed. */
  readonly rounds: number
  /** Determines the moments of the kills and what the clients do. */
  readonly seed: number
  /** Of clients that get no answer: the share that never comes back, from 0 to 1. */
  readonly leaving: number
  readonly tell?: (line: string) => void
}

export interface SoakReport {
  readonly purchases: number
  /** By the way to pay. */
  readonly byWay: Readonly<Record<string, number>>
  readonly retries: number
  readonly left: number
  readonly charges: number
  readonly refunds: number
  readonly mails: number
  readonly killedWhileStarting: number
  /** The faults, each with its purchase. */
  readonly faults: readonly string[]
}

const clients = 6
const stock = 900_000
/** Milliseconds. */
const longestLife = 1_500
const patience = 120_000
/** Of accounts at the soak's own processor, which outlives the platform. */
const secretKey = 'sk_test_soak'
const paypal = { clientId: 'soak-sandbox_1', secretKey: 'soak-sandbox_1_secret' }

const unlimited = Object.fromEntries(
  ['FREE', 'STARTER', 'PRO', 'ENTERPRISE'].map((plan) => [
    `LIMIT_RATE_${plan}`,
    'unlimited/100000000/100000000',
  ]),
)

/**
 * Kills the platform with SIGKILL at random moments, while clients buy in all ways and a payment processor, which is not killed, sends
 * its webhooks. Then lets a platform finish everything, and looks at every purchase.
 */
export async function killPayments(options: SoakOptions): Promise<SoakReport> {
  const { databaseUrl } = options
  const random = randomNumbers(options.seed)
  await using started = new AsyncDisposableStack()
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => undefined })
  started.defer(() => sql.end())
  const processor = await startSandbox({ port: 0, databaseUrl })
  started.defer(() => processor.stop())
  const platform = await PlatformProcess.create()
  started.defer(() => platform.remove())
  const env = {
    ...unlimited,
    DATABASE_URL: databaseUrl,
    STRIPE_API_URL: processor.url,
    PAYPAL_API_URL: `${processor.url}/paypal`,
    LOG_LEVEL: 'error',
  }

  const ready = await platform.start(env)
  const productId = await openShop(ready, processor.url)
  const shoppers = startShoppers(
    { key: ready.liveKey, productId, patience, returns: () => random() >= options.leaving },
    random,
  )
  shoppers.goTo(ready.graphqlUrl)
  let killedWhileStarting = 0
  for (let round = 1; round <= options.rounds; round += 1) {
    await sleep(random() * longestLife)
    await platform.kill()
    shoppers.goTo(null)
    if (random() < 0.1 && round < options.rounds) {
      const child = platform.launch(env)
      shoppers.goTo(ready.graphqlUrl)
      await sleep(random() * 3_000)
      if (child.exitCode === null) killedWhileStarting += 1
      continue
    }
    await platform.start(env)
    shoppers.goTo(ready.graphqlUrl)
    if (round % 10 === 0) options.tell?.(`${round} kills, ${shoppers.purchases.length} purchases`)
  }
  await shoppers.stop()
  options.tell?.('the last platform finishes what is open')
  return await judge(sql, shoppers, killedWhileStarting)
}

/** Connects the shop to the processor, with its webhooks. Returns the id of a product. */
async function openShop({ graphqlUrl, liveKey }: Ready, processorUrl: string): Promise<string> {
  const client = createClient(graphqlUrl, bearer(liveKey))
  const connect = async (account: object, createWebhook: (url: string) => Promise<string>): Promise<void> => {
    const { paymentAccount } = await ask<{ paymentAccount: { id: string; webhookPath: string } }>(
      client,
      `($input: ConnectPaymentAccountInput!) {
        connectPaymentAccount(input: $input) { paymentAccount { id webhookPath } errors { field message } }
      }`,
      { input: account },
    )
    await ask(
      client,
      '($id: ID!, $input: UpdatePaymentAccountInput!) { updatePaymentAccount(id: $id, input: $input) { errors { field message } } }',
      {
        id: paymentAccount.id,
        input: { webhookSecret: await createWebhook(new URL(paymentAccount.webhookPath, graphqlUrl).href) },
      },
    )
  }
  await connect({ processor: 'STRIPE', secretKey }, async (url) => {
    const response = await fetch(`${processorUrl}/v1/webhook_endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}` },
      body: new URLSearchParams({ url, 'enabled_events[]': '*' }),
    })
    return ((await response.json()) as { secret: string }).secret
  })
  await connect({ processor: 'PAYPAL', ...paypal }, async (url) => {
    const response = await fetch(`${processorUrl}/paypal/v1/notifications/webhooks`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${paypal.clientId}:${paypal.secretKey}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url, event_types: [{ name: '*' }] }),
    })
    return ((await response.json()) as { id: string }).id
  })
  for (const option of [
    { method: 'SEPA_DEBIT', name: 'Debit' },
    { method: 'PAYPAL', name: 'PayPal' },
    { method: 'LOYALTY_POINTS', name: 'Points' },
  ])
    await ask(
      client,
      '($input: CreatePaymentOptionInput!) { createPaymentOption(input: $input) { errors { field message } } }',
      { input: option },
    )
  await ask(
    client,
    '($input: UpdateLoyaltyProgramInput!) { updateLoyaltyProgram(input: $input) { errors { field message } } }',
    { input: { enabled: true, pointValue: 1 } },
  )
  return (await createStockedProduct(client, stock)).id
}

const ask = async <Payload extends object>(
  client: Client,
  query: string,
  variables: object,
): Promise<Payload> =>
  payload(await client<Record<string, Payload & { errors: [] }>>(`mutation ${query}`, { ...variables }))

interface Shoppers {
  readonly purchases: readonly Purchase[]
  readonly failures: readonly string[]
  /** Where the following requests are sent; null: nowhere for now. */
  goTo(graphqlUrl: string | null): void
  /** Ends when the last purchases have ended. */
  stop(): Promise<void>
}

function startShoppers(options: Omit<ClientOptions, 'graphqlUrl'>, random: () => number): Shoppers {
  const purchases: Purchase[] = []
  const failures: string[] = []
  let target: string | null = null
  let stopping = false
  const shop = async (): Promise<void> => {
    while (!stopping) {
      const way = ways[Math.floor(random() * ways.length)] ?? 'card'
      try {
        purchases.push(await buy({ ...options, graphqlUrl: () => target }, way))
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
        await sleep(100)
      }
    }
  }
  const shopping = Array.from({ length: clients }, shop)
  return {
    purchases,
    failures,
    goTo(graphqlUrl) {
      target = graphqlUrl
    },
    async stop() {
      stopping = true
      await Promise.all(shopping)
    },
  }
}

/** The payments and refunds that wait for the platform, and not for a customer, a bank or a merchant. */
const unfinished = (sql: postgres.Sql) => sql<{ what: string }[]>`
  SELECT 'payment ' || id AS what FROM payment.payment WHERE status = 'PENDING' AND NOT awaited
  UNION ALL SELECT 'refund ' || id FROM payment.refund WHERE status = 'PENDING'
  UNION ALL
  SELECT 'payment ' || p.id FROM payment.payment p
  JOIN sandbox_processor.payment_intent i ON i.id = p.processor_payment_intent_id
  WHERE p.status = 'PROCESSING' AND i.body ->> 'status' IN ('processing', 'succeeded')
  UNION ALL
  SELECT 'payment ' || p.id FROM payment.payment p
  JOIN sandbox_processor.paypal_order o ON o.body #>> '{purchase_units,0,custom_id}' = p.id::text
  WHERE p.status = 'PROCESSING' AND o.body ->> 'status' IN ('APPROVED', 'COMPLETED')
  UNION ALL SELECT 'event ' || id FROM hdb_catalog.event_log WHERE NOT delivered AND NOT error
  UNION ALL SELECT 'job ' || id FROM bullmq.job WHERE queue = 'events' AND state IN ('waiting', 'active', 'delayed')`

async function untilFinished(sql: postgres.Sql): Promise<readonly string[]> {
  const deadline = Date.now() + patience
  for (;;) {
    const open = (await unfinished(sql)).map(({ what }) => what)
    if (open.length === 0 || Date.now() > deadline) return open
    await sleep(200)
  }
}

async function judge(
  sql: postgres.Sql,
  shoppers: Shoppers,
  killedWhileStarting: number,
): Promise<SoakReport> {
  const open = await untilFinished(sql)
  const { purchases } = shoppers
  const faults = [...shoppers.failures, ...open.map((what) => `not finished: ${what}`)]
  const counts = { charges: 0, refunds: 0, mails: 0 }
  for (const { way, customerId, orderId, end } of purchases) {
    if (customerId === null) continue
    const outcomes = await outcomesOf(sql, customerId)
    const name = `the purchase of customer ${customerId} by ${way}, ${end}`
    faults.push(...faultsOf(outcomes).map((fault) => `${name}: ${fault}`))
    if (orderId !== null && outcomes.length !== 1) faults.push(`${name}: its order has disappeared`)
    for (const { charges, refunds, mails, payments } of outcomes) {
      counts.charges += charges.filter(({ captured }) => captured > 0).length
      counts.refunds += refunds.length
      counts.mails += mails.length
      const expected = endOf[way]
      if (end === 'done' && payments[0]?.status !== expected)
        faults.push(`${name}: the payment is ${payments[0]?.status} and not ${expected}`)
    }
  }
  faults.push(...(await faultsOfRows(sql)))
  return {
    purchases: purchases.length,
    byWay: Object.fromEntries(ways.map((way) => [way, purchases.filter((one) => one.way === way).length])),
    retries: purchases.reduce((sum, { retries }) => sum + retries, 0),
    left: purchases.filter(({ end }) => end === 'left').length,
    ...counts,
    killedWhileStarting,
    faults,
  }
}

/** The final state of a payment, by its client's way to pay. */
const endOf: Readonly<Record<Purchase['way'], string>> = {
  card: 'SUCCEEDED',
  declined: 'FAILED',
  '3-D Secure': 'SUCCEEDED',
  captured: 'SUCCEEDED',
  voided: 'CANCELLED',
  debit: 'SUCCEEDED',
  paypal: 'SUCCEEDED',
  points: 'SUCCEEDED',
  refunded: 'PARTIALLY_REFUNDED',
  cancelled: 'REFUNDED',
}

async function faultsOfRows(sql: postgres.Sql): Promise<readonly string[]> {
  const verdicts = await Array.fromAsync(verifyRows(sql, { mostShown: 100 }))
  return verdicts.flatMap(({ rule, shown }) =>
    shown.map(({ subject, disagreement }) => `${rule}: ${subject}: ${disagreement}`),
  )
}
