import { createHttpDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import { freePorts } from '@commerce-graph/local-postgres'
import { testServerUrl } from '@commerce-graph/local-postgres/testing'
import { type OperationDefinitionNode, parse, validate } from 'graphql'
import { type Engine, startEngine } from 'hasura-embedded'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planSubscription } from '../plan/plan-subscription.ts'
import { prepareOperation } from '../plan/prepared-operation.ts'
import { projections } from '../projection/projections.ts'
import { contract } from '../testing/run.ts'
import { fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'
import { bindSubscription, runSubscription } from './run-subscription.ts'

let shop: TestShop
let port: number
let engine: Engine
let overHttp: ReturnType<typeof createHttpDataLayer>

/** A second engine on the shop's database, which finds the metadata there and answers over HTTP. */
async function startHttpEngine(): Promise<void> {
  const [database] = await shop.sql('SELECT current_database() AS name')
  const databaseUrl = new URL(testServerUrl())
  databaseUrl.pathname = `/${String(database?.['name'])}`
  const env = {
    HASURA_GRAPHQL_DATABASE_URL: databaseUrl.href,
    ACTIONS_BASE_URL: 'http://127.0.0.1:9',
    ACTIONS_SECRET: 'secret',
  }
  const logger = pino({ level: 'silent' })
  engine = await startEngine({
    databaseUrl: databaseUrl.href,
    env,
    port,
    adminSecret: 'secret',
    poolSize: 2,
    logger,
  })
}

beforeAll(async () => {
  shop = await openTestShop()
  port = await freePorts(1)
  await startHttpEngine()
  overHttp = createHttpDataLayer({ url: `http://127.0.0.1:${port}`, adminSecret: 'secret' })
})
afterAll(async () => {
  overHttp.close()
  await engine.stop()
  await shop[Symbol.asyncDispose]()
})

/** A subscription whose answers the test reads one by one, directly from the data layer. */
function subscribe(dataLayer: DataLayer, text: string, delays?: readonly number[], merchant: 1 | 2 = 1) {
  const document = parse(text)
  expect(validate(contract.schema, document)).toEqual([])
  const { operation, fragments, responseKeys } = prepareOperation(
    contract.schema,
    document,
    document.definitions[0] as OperationDefinitionNode,
  )
  const variables = {}
  const plan = planSubscription(operation, {
    contract,
    projections,
    role: 'merchant',
    fragments,
    responseKeys,
    variables,
  })
  if (!plan) throw new Error('nothing is selected')
  const request = { variables, principal: keyPrincipal(merchant) }
  const binding = bindSubscription(plan, request)
  if ('errors' in binding) throw new Error(JSON.stringify(binding.errors))
  const leaving = new AbortController()
  const defects: unknown[] = []
  const { principal } = request
  const context = {
    dataLayer,
    principal,
    signal: leaving.signal,
    report: (defect: unknown) => defects.push(defect),
  }
  const answers = runSubscription(plan, request, binding.bound, context, delays)
  return {
    defects,
    next: async () => {
      const { value, done } = await answers.next()
      return done === true ? 'ended' : (JSON.parse(JSON.stringify(value)) as unknown)
    },
    leave: () => leaving.abort(),
  }
}

const productId = fixtureId('product', 1, 1)
const rename = (name: string) =>
  shop.sql(`UPDATE catalog.product SET name = '${name}' WHERE id = '${productId}'`)
const named = (name: string) => ({ data: { product: { name } }, errors: [], shortened: [] })
const product = `subscription { product(id: "${productId}") { name } }`
const orders = 'subscription { orderCreated(after: "1001") { orderNumber } }'
const numbered = (orderNumber: string) => ({
  data: { orderCreated: { orderNumber } },
  errors: [],
  shortened: [],
})

describe.each([
  ['in process', () => shop.dataLayer],
  ['over HTTP', () => overHttp],
] as const)('%s', (_, layer) => {
  test('a live query answers with each change, and ends when it is closed', async () => {
    await rename('Cup')
    const shown = subscribe(layer(), product)
    expect(await shown.next()).toEqual(named('Cup'))
    await rename('Mug')
    expect(await shown.next()).toEqual(named('Mug'))
    const last = shown.next()
    shown.leave()
    expect(await last).toBe('ended')
  })

  test('a stream answers with each row once', async () => {
    const placed = subscribe(layer(), orders)
    expect(await placed.next()).toEqual(numbered('1002'))
    expect(await placed.next()).toEqual(numbered('1003'))
    const third = placed.next()
    expect(await Promise.race([third, sleep(1_300, 'silence')])).toBe('silence')
    placed.leave()
    expect(await third).toBe('ended')
  })

  test('another merchant’s record is not found', async () => {
    const shown = subscribe(layer(), product, undefined, 2)
    expect(await shown.next()).toEqual({ data: { product: null }, errors: [], shortened: [] })
    shown.leave()
  })
})

test(
  'after an interruption of the engine, a subscription continues after the last answer',
  { timeout: 30_000 },
  async () => {
    await rename('Cup')
    const shown = subscribe(overHttp, product)
    const placed = subscribe(overHttp, orders)
    expect(await shown.next()).toEqual(named('Cup'))
    expect([await placed.next(), await placed.next()]).toEqual([numbered('1002'), numbered('1003')])
    await engine.stop()
    const next = [shown.next(), placed.next()]
    await rename('Mug')
    await shop.sql(
      `INSERT INTO ordering."order" (merchant_id, order_number, customer_id, currency, subtotal, tax, shipping, discount, total, shipping_address_id)
     SELECT merchant_id, '1004', customer_id, currency, 0, 0, 0, 0, 0, shipping_address_id FROM ordering."order" WHERE id = '${fixtureId('order', 1, 1)}'`,
    )
    await sleep(500)
    await startHttpEngine()
    expect(await Promise.all(next)).toEqual([named('Mug'), numbered('1004')])
    shown.leave()
    placed.leave()
  },
)

test('an engine that stays away is reported as unavailable, and its refusals as internal errors', async () => {
  const nowhere = createHttpDataLayer({ url: 'http://127.0.0.1:1', adminSecret: 'secret' })
  const shown = subscribe(nowhere, product, [10, 10])
  expect(await shown.next()).toMatchObject({
    data: null,
    errors: [{ id: 'SVC_SRV_001', status: 503 }],
  })
  expect(await shown.next()).toBe('ended')
  const failing: DataLayer = {
    ...shop.dataLayer,
    async *subscribe() {
      yield await Promise.resolve({ kind: 'errors' as const, errors: [{ message: 'secret' }] })
    },
  }
  const refused = subscribe(failing, product)
  expect(await refused.next()).toMatchObject({ data: null, errors: [{ id: 'SVC_SRV_001', status: 500 }] })
  expect(refused.defects).toHaveLength(1)
  expect(await refused.next()).toBe('ended')
})
