import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import * as events from '../sql/generated/events.ts'
import type { Session } from '../action/session.ts'
import {
  dataOf,
  openTestShop,
  silent,
  staff,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { openPayloads } from './payloads.ts'
import { renderPayloads } from './render-payloads.ts'
import { sequenceEvents } from './sequence.ts'
import { slots } from './slots.ts'

let shop: TestShop
let tokenIssuer: TokenIssuer
beforeAll(async () => {
  shop = await openTestShop()
  tokenIssuer = createTokenIssuer({ databaseUrl: shop.databaseUrl, secretBox: shop.secretBox })
})
afterAll(async () => {
  await tokenIssuer.close()
  await shop.close()
})

let merchant: TestMerchant
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await sequenceEvents(shop.database)
})
afterEach(() => shop.database`DELETE FROM events.endpoint`)

async function endpoint(of: TestMerchant, query: string | null = null): Promise<string> {
  const [added] = await shop.database<[{ id: string }]>`
    INSERT INTO events.endpoint (merchant_id, url, topics, query, permissions)
    VALUES (${of.merchantId}, 'http://127.0.0.1:9/', '{warehouse.updated}', ${query}, '{inventory:read}') RETURNING id`
  return added.id
}

/** An event, and with it a delivery to each endpoint of the merchant. */
async function rename({ merchantId, warehouseIds: [id = ''] }: TestMerchant, name: string): Promise<void> {
  await shop.database`
    UPDATE inventory.warehouse SET name = ${name} WHERE merchant_id = ${merchantId} AND id = ${id}`
  await sequenceEvents(shop.database)
}

async function claimed(): Promise<ReadonlySet<string>> {
  const rows = await events.claimRenderings(shop.database, { limit: 16, batch: 10, lease: 60 })
  return new Set(rows.map(({ endpointId }) => endpointId))
}

test('what one merchant has to render leaves room for another merchant’s, however much it is', async () => {
  const busy = await endpoint(merchant)
  await rename(merchant, 'North')
  await shop.database`
    INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, is_test, topic, record_id, position)
    SELECT d.merchant_id, d.endpoint_id, d.event_id, TRUE, d.topic, d.record_id, d.position
    FROM events.delivery d, generate_series(1, 10000) WHERE d.endpoint_id = ${busy}`
  const other = await shop.createMerchant()
  const quiet = await endpoint(other)
  await rename(other, 'South')
  expect(await claimed()).toEqual(new Set([busy, quiet]))
})

test('what was rendered while the endpoint lost a permission is not sent, but rendered again', async () => {
  const id = await endpoint(merchant)
  await shop.database`
    INSERT INTO events.endpoint_secret (merchant_id, endpoint_id, secret) VALUES (${merchant.merchantId}, ${id}, '')`
  await shop.database`UPDATE events.endpoint SET permissions = permissions || '{orders:read}' WHERE id = ${id}`
  await rename(merchant, 'North')
  const [rendering] = await events.claimRenderings(shop.database, { limit: 1, batch: 1, lease: 60 })
  const { merchantId } = merchant
  const narrow: Session = { ...staff(merchant), permissions: new Set(['inventory:read', 'webhooks:write']) }
  const change = { id, input: { url: 'http://127.0.0.1:9/elsewhere' } }
  dataOf(await shop.call(merchant, 'updateWebhookEndpoint', change, { session: narrow }))
  await events.keepRendering(shop.database, {
    merchantId,
    id: rendering?.id ?? '',
    body: '{}',
    permissionsVersion: rendering?.permissionsVersion ?? 0,
    delay: 0,
  })
  const claimDeliveries = () => events.claimDeliveries(shop.database, { limit: 1, atOnce: 1, lease: 60 })
  expect(await claimDeliveries()).toEqual([])
  const payloads = openPayloads('http://127.0.0.1:9/graphql', tokenIssuer)
  const running = slots(1)
  await renderPayloads({ database: shop.database, payloads, slots: running, logger: silent })
  await running.idle()
  expect(await claimDeliveries()).toMatchObject([{ id: rendering?.id, url: 'http://127.0.0.1:9/elsewhere' }])
})

test('nothing is rendered for a suspended merchant until it is reinstated', async () => {
  const id = await endpoint(merchant)
  await rename(merchant, 'North')
  const become = (status: string) =>
    shop.database`UPDATE merchant.merchant SET status = ${status} WHERE id = ${merchant.merchantId}`
  await become('SUSPENDED')
  expect(await claimed()).toEqual(new Set())
  await become('ACTIVE')
  expect(await claimed()).toEqual(new Set([id]))
})

test('a query that can’t be answered is given up, and the webhook says so instead of waiting for ever', async () => {
  const id = await endpoint(merchant, '{ name }')
  await rename(merchant, 'North')
  const payloads = openPayloads('http://127.0.0.1:9/graphql', tokenIssuer)
  const render = async () => {
    const running = slots(1)
    await renderPayloads({ database: shop.database, payloads, slots: running, logger: silent })
    await running.idle()
    const [row] = await shop.database<[{ body: string | null }]>`
      SELECT body FROM events.delivery WHERE endpoint_id = ${id}`
    return row.body
  }
  expect(await render()).toBeNull()
  await shop.database`
    UPDATE events.delivery SET rendering_attempts = 179, next_attempt_at = now() WHERE endpoint_id = ${id}`
  expect(JSON.parse((await render()) ?? '')).toMatchObject({
    record: { name: 'North' },
    data: null,
    errors: ['The query could not be answered'],
  })
})
