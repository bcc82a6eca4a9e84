import { KeepAliveClients } from '@commerce-graph/http-server/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startActions } from './start-actions.ts'
import { openTestShop, silent } from './testing/test-shop.ts'

/** A shop with one merchant, and the actions over it. The test stops them. */
async function openService() {
  const shop = await openTestShop()
  onTestFinished(() => shop.close())
  const merchant = await shop.createMerchant()
  const { databaseUrl, secretBox, cardProcessor } = shop
  const service = await startActions({
    port: 0,
    databaseUrl,
    secret: 'the-secret',
    secretBox,
    files: shop.files,
    cardProcessor,
    logger: silent,
  })
  return { shop, merchant, service }
}

test('a draining stop first answers so on /healthz, and requests on open connections are still answered', async () => {
  const { merchant, service } = await openService()
  const clients = new KeepAliveClients(8, {
    url: `${service.url}/inventory/reserveInventory`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-actions-secret': 'the-secret' },
    body: JSON.stringify({
      action: { name: 'reserveInventory' },
      input: { items: [] },
      session_variables: {
        'x-hasura-role': 'merchant',
        'x-hasura-merchant-id': merchant.merchantId,
        'x-hasura-permissions': '{inventory:write}',
      },
      request_query: '',
    }),
  })
  await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(16)
  expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: 'ok' })
  const stopped = service.stop({ drain: true })
  const health = await fetch(`${service.url}/healthz`)
  expect([health.status, await health.json(), health.headers.get('connection')]).toEqual([
    503,
    { status: 'stopping' },
    'close',
  ])
  const before = clients.outcomes.length
  await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(before + 16)
  expect(await clients.end()).toEqual([200])
  await stopped
}, 60_000)

test('a stop waits for the calls from the process itself, and takes no more', async () => {
  const { shop, merchant, service } = await openService()
  const product = await shop.createProduct(merchant, { stock: [3] })
  const reply = service.findLocal('inventory/reserveInventory')?.({
    headers: {},
    signal: new AbortController().signal,
    body: JSON.stringify({
      action: { name: 'reserveInventory' },
      input: { items: [{ sku: product.sku, quantity: 2 }] },
      session_variables: {
        'x-hasura-role': 'merchant',
        'x-hasura-merchant-id': merchant.merchantId,
        'x-hasura-permissions': '{inventory:write}',
      },
    }),
  })
  const stopped = service.stop()
  expect(service.findLocal('inventory/reserveInventory')).toBeUndefined()
  expect((await reply)?.status).toBe(200)
  await stopped
})
