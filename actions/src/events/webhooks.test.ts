import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestShop, silent, dataOf, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { type Behaviour, startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts'
import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import type { WebhookRetries } from './deliver-webhooks.ts'
import { sequenceEvents } from './sequence.ts'
import { startWebhookWorker, type WebhookWorker } from './webhook-worker.ts'

let shop: TestShop
let merchant: TestMerchant
let tokenIssuer: TokenIssuer
beforeAll(async () => {
  shop = await openTestShop()
  tokenIssuer = createTokenIssuer({ databaseUrl: shop.databaseUrl, secretBox: shop.secretBox })
})
afterAll(async () => {
  await tokenIssuer.close()
  await shop.close()
})

let receiver: WebhookReceiver
let worker: WebhookWorker | undefined
beforeEach(async () => {
  receiver = await startWebhookReceiver()
  merchant = await shop.createMerchant()
  await sequenceEvents(shop.database)
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  await receiver.close()
  await shop.database`DELETE FROM events.endpoint`
})

function start(retries: Partial<WebhookRetries> = {}, secretBox = shop.secretBox): WebhookWorker {
  worker = startWebhookWorker({
    database: shop.database,
    secretBox,
    tokenIssuer,
    logger: silent,
    webhooks: {
      live: false,
      refusedNetworks: [],
      graphqlUrl: 'http://127.0.0.1:9/graphql',
      timeout: 700,
      retries: { delays: [0, 0, 0], switchOffAfter: 3_600, ...retries },
    },
  })
  return worker
}

async function endpoint(
  url = receiver.url,
  topics: readonly string[] = ['warehouse.updated'],
): Promise<string> {
  const { webhookEndpoint } = dataOf(
    await shop.call(merchant, 'createWebhookEndpoint', { input: { url, topics } }),
  )
  return (webhookEndpoint as { id: string }).id
}

/** Changes a record: an event. */
const rename = (warehouse: number, name: string) => shop.database`
  UPDATE inventory.warehouse SET name = ${name} WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.warehouseIds[warehouse] ?? ''}`

const namesAt = ({ received }: WebhookReceiver) =>
  received.map(({ event }) => (event['record'] as { name: string }).name)

interface Logged {
  readonly status: string
  readonly attempts: number
  readonly error: string | null
  readonly response_status: number | null
}

const log = (endpointId: string) => shop.database<Logged[]>`
  SELECT status, attempts, error, response_status FROM events.delivery WHERE endpoint_id = ${endpointId} ORDER BY position`

const settled = (endpointId: string, count: number, timeout = 10_000) =>
  expect
    .poll(
      async () => (await log(endpointId)).filter(({ status }) => /DELIVERED|FAILED/.test(status)).length,
      { timeout },
    )
    .toBe(count)

const failures: readonly (readonly [string, Behaviour, RegExp])[] = [
  ['answers 500', (response) => response.writeHead(500).end('no'), /answered 500/],
  [
    'redirects',
    (response) => response.writeHead(302, { location: receiver.url }).end(),
    /redirects are not followed/,
  ],
  ['closes the connection', (response) => response.destroy(), /hang up|reset/],
  ['never answers', () => undefined, /No answer within 0.7 seconds/],
  ['says garbage', (response) => response.socket?.end('garbage\r\n\r\n'), /Parse Error|Expected HTTP/],
]

describe('a receiver', () => {
  test.each(failures)(
    'that %s is tried again, until the delivery has failed, and the log says why',
    async (_how, behaviour, error) => {
      receiver.behave(behaviour)
      const id = await endpoint()
      await rename(0, 'North')
      start({ delays: [0] })
      await settled(id, 1)
      const [delivery] = await log(id)
      expect(delivery).toMatchObject({
        status: 'FAILED',
        attempts: 2,
        error: expect.stringMatching(error) as unknown,
      })
      const ids = receiver.received.map((one) => one.id)
      expect(new Set(ids).size).toBe(1)
    },
  )

  test('that answers without an end, or with a large answer, has taken the webhook: the status counts', async () => {
    receiver.behave((response) => {
      response.writeHead(200)
      response.write('x'.repeat(1_000_000))
    })
    const id = await endpoint()
    await rename(0, 'North')
    start()
    await settled(id, 1)
    const [attempt] = await shop.database<{ response_body: string; response_status: number }[]>`
      SELECT a.response_body, a.response_status FROM events.attempt a JOIN events.delivery d ON d.id = a.delivery_id
      WHERE d.endpoint_id = ${id}`
    expect(attempt?.response_status).toBe(200)
    expect(attempt?.response_body).toHaveLength(4096)
  })

  test('with a certificate that nobody vouches for gets nothing', async () => {
    const server = createTlsServer({}, (_request, response) => response.end())
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    try {
      const id = await endpoint(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await rename(0, 'North')
      start({ delays: [] })
      await settled(id, 1)
      expect((await log(id))[0]?.error).toMatch(/SSL|handshake|certificate/i)
    } finally {
      server.close()
    }
  })

  test('that asks to wait gets the next attempt later', async () => {
    receiver.behave((response) => response.writeHead(429, { 'retry-after': '3600' }).end())
    const id = await endpoint()
    await rename(0, 'North')
    start()
    await expect.poll(async () => (await log(id))[0]?.response_status).toBe(429)
    const [row] = await shop.database<{ wait: number }[]>`
      SELECT extract(epoch FROM next_attempt_at - now())::integer AS wait FROM events.delivery WHERE endpoint_id = ${id}`
    expect(row?.wait).toBeGreaterThan(3_500)
  })

  test('is tried again after growing delays, none of which is the same', async () => {
    receiver.behave((response) => response.writeHead(500).end())
    const ids = await Promise.all(Array.from({ length: 5 }, () => endpoint()))
    await rename(0, 'North')
    start({ delays: [300, 3_000] })
    const waits = () => shop.database<{ wait: string }[]>`
      SELECT extract(epoch FROM next_attempt_at - now()) AS wait FROM events.delivery WHERE endpoint_id = ANY (${ids}) AND attempts = 1 AND status = 'PENDING'`
    await expect.poll(async () => (await waits()).length).toBe(5)
    const seconds = (await waits()).map(({ wait }) => Number(wait))
    for (const wait of seconds) expect(wait).toBeGreaterThan(295)
    for (const wait of seconds) expect(wait).toBeLessThan(361)
    expect(new Set(seconds.map((wait) => Math.round(wait * 10))).size).toBeGreaterThan(1)
  })
})

describe('the order', () => {
  test('within a record is kept: a later event waits until the earlier is taken', async () => {
    let refusals = 3
    receiver.behave((response) => response.writeHead(refusals-- > 0 ? 500 : 204).end())
    const id = await endpoint()
    for (const name of ['One', 'Two', 'Three', 'Four']) await rename(0, name)
    start()
    await settled(id, 4)
    expect(namesAt(receiver)).toEqual(['One', 'One', 'One', 'One', 'Two', 'Three', 'Four'])
  })

  test('goes on after an event that was given up, and holds no other record up meanwhile', async () => {
    receiver.behave((response, { event }) =>
      response.writeHead((event['record'] as { name: string }).name === 'Poison' ? 500 : 204).end(),
    )
    const id = await endpoint()
    await rename(0, 'Poison')
    await rename(0, 'After')
    await rename(1, 'Other')
    start({ delays: [1] })
    await expect.poll(() => namesAt(receiver), { timeout: 5_000 }).toContain('Other')
    expect(namesAt(receiver)).not.toContain('After')
    await settled(id, 3)
    expect(namesAt(receiver).at(-1)).toBe('After')
  })
})

test('an endpoint that hangs delays no other', async () => {
  const slow = await startWebhookReceiver()
  slow.behave(() => undefined)
  await endpoint(slow.url)
  await endpoint(slow.url)
  await endpoint()
  for (let index = 0; index < 20; index += 1) await rename(index % 2, `Name ${index}`)
  start({ delays: [60] })
  await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(20)
  expect(slow.received.length).toBeLessThan(12)
  await slow.close()
})

describe('an endpoint is switched off', () => {
  const mails = () => shop.database<{ kind: string; facts: { endpoint: { reason: string } } }[]>`
    SELECT kind, facts FROM email.delivery WHERE merchant_id = ${merchant.merchantId} AND kind = 'WEBHOOK_DISABLED'`
  const statusOf = async (id: string) => {
    const [row] = await shop.database<{ status: string; disabled_reason: string | null }[]>`
      SELECT status, disabled_reason FROM events.endpoint WHERE id = ${id}`
    return row
  }

  test('when it says 410, with a mail; what waits is sent when it is switched on again', async () => {
    receiver.behave((response) => response.writeHead(410).end())
    const id = await endpoint()
    await rename(0, 'North')
    start()
    await expect.poll(() => statusOf(id)).toEqual({ status: 'DISABLED', disabled_reason: 'GONE' })
    expect(await mails()).toMatchObject([{ facts: { endpoint: { reason: 'GONE' } } }])
    receiver.behave((response) => response.writeHead(204).end())
    dataOf(await shop.call(merchant, 'updateWebhookEndpoint', { id, input: { enabled: true } }))
    await settled(id, 1)
    expect((await log(id))[0]?.status).toBe('DELIVERED')
  })

  test('after a long failure, with one mail, and not after a success in between', async () => {
    let answer = 500
    receiver.behave((response) => response.writeHead(answer).end())
    const id = await endpoint()
    await rename(0, 'North')
    start({ switchOffAfter: 1, delays: [0, 1, 1, 1, 1] })
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    answer = 204
    await settled(id, 1)
    const [row] = await shop.database`SELECT failing_since FROM events.endpoint WHERE id = ${id}`
    expect(row).toEqual({ failing_since: null })
    answer = 500
    await rename(0, 'South')
    await rename(1, 'West')
    await expect
      .poll(() => statusOf(id), { timeout: 10_000 })
      .toEqual({ status: 'DISABLED', disabled_reason: 'FAILING' })
    expect(await mails()).toHaveLength(1)
  })
})

test('a webhook whose secret can’t be opened is tried again like one that was not taken, and the log says why', async () => {
  const id = await endpoint()
  await rename(0, 'North')
  start({ delays: [0] }, createSecretBox([newEncryptionKey()]))
  await settled(id, 1)
  expect(await log(id)).toMatchObject([
    { status: 'FAILED', attempts: 2, error: expect.stringContaining('could not be signed') as unknown },
  ])
  expect(receiver.received).toEqual([])
})

test('a test is sent to an endpoint that is switched off, and nothing else', async () => {
  const id = await endpoint()
  await rename(0, 'North')
  await sequenceEvents(shop.database)
  dataOf(await shop.call(merchant, 'updateWebhookEndpoint', { id, input: { enabled: false } }))
  dataOf(await shop.call(merchant, 'sendTestWebhook', { id }))
  dataOf(await shop.call(merchant, 'sendTestWebhook', { id, topic: 'warehouse.updated' }))
  start()
  await settled(id, 2)
  expect(receiver.received.map(({ event }) => event.type).sort()).toEqual([
    'warehouse.updated',
    'webhook.test',
  ])
  expect((await log(id)).map(({ status }) => status).sort()).toEqual(['DELIVERED', 'DELIVERED', 'PENDING'])
})

test('what a process had begun when it was killed is sent again, with the same id', async () => {
  const id = await endpoint()
  await rename(0, 'North')
  await sequenceEvents(shop.database)
  // As a killed process leaves it: claimed, and in no hands any more.
  await shop.database`
    UPDATE events.delivery SET status = 'SENDING', attempts = 1, tries = 1, body = '{"type":"warehouse.updated"}', permissions_version = 1,
      claimed_until = now() - interval '1 second' WHERE endpoint_id = ${id}`
  start()
  await settled(id, 1)
  expect((await log(id))[0]).toMatchObject({ status: 'DELIVERED', attempts: 2 })
})

test('two workers send each webhook once, and in order', async () => {
  const id = await endpoint()
  for (let index = 0; index < 30; index += 1) await rename(0, `Name ${index}`)
  const second = start()
  start()
  await settled(id, 30)
  expect(namesAt(receiver)).toEqual(Array.from({ length: 30 }, (_, index) => `Name ${index}`))
  await second.stop()
  await sleep(1)
})

test('a merchant has 100 endpoints at most', async () => {
  await Promise.all(Array.from({ length: 100 }, () => endpoint()))
  expect(
    await shop.call(merchant, 'createWebhookEndpoint', { input: { url: receiver.url, topics: ['*'] } }),
  ).toMatchObject({ kind: 'invalid', errors: [{ field: 'url' }] })
})
