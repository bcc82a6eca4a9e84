import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultRetryPolicy, deliverPushes } from '../messaging/outbox/index.ts'
import {
  createWebhookTransport,
  noPushTransport,
  parseWebhookSecrets,
  type Push,
} from '../messaging/transports/index.ts'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { announceConfirmedOrder } from '../testing/announce-confirmed-order.ts'

let shop: TestShop
let merchant: TestMerchant
let relay: Server
let relayUrl: string
let answer = 200
/** The requests that the relay has received, unchanged. */
const posts: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
const pushes: Push[] = []
beforeAll(async () => {
  shop = await openTestShop()
  relay = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ headers: request.headers, body })
      pushes.push(JSON.parse(body) as Push)
      response.writeHead(answer, { location: relayUrl }).end()
    })
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  relayUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}/send`
})
afterAll(async () => {
  relay.close()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
  answer = 200
  pushes.length = 0
  posts.length = 0
})

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const [secret, nextSecret] = [newSecret(), newSecret()]
const secrets = parseWebhookSecrets(`${nextSecret}, ${secret}`)

const deliver = (pusher = createWebhookTransport(relayUrl, secrets)) =>
  deliverPushes(shop.database, { pusher, retryPolicy: defaultRetryPolicy })

async function announceOrder(): Promise<void> {
  const product = await shop.createProduct(merchant, { stock: [5] })
  const items = [{ productId: product.id, quantity: 1 }]
  const input = { customerId: merchant.customerId, items, shippingAddress: address }
  const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
  for (let announced = 0; announced < 3; announced += 1) {
    await announceConfirmedOrder(shop.database, merchant.merchantId, String(orderId))
  }
}

const asShopper = (name: string, input: object) =>
  shop.call(merchant, name, input, { session: shopper(merchant, merchant.customerId) })

const setPreference = (input: object) => asShopper('setNotificationPreference', { input })

async function messages() {
  const { merchantId } = merchant
  const rows = await shop.database<{ channel: string; status: string }[]>`
    SELECT 'EMAIL' AS channel, status FROM email.delivery WHERE merchant_id = ${merchantId} AND kind = 'ORDER_CONFIRMATION'
    UNION ALL SELECT 'IN_APP', 'WRITTEN' FROM notification.notification WHERE merchant_id = ${merchantId}
    UNION ALL SELECT 'PUSH', status FROM notification.push_delivery WHERE merchant_id = ${merchantId}
    ORDER BY 1`
  return rows.map(({ channel, status }) => `${channel} ${status}`)
}

const device = { platform: 'IOS', token: 'token-of-a-phone' }

describe('an event', () => {
  test('causes one message per channel, even if it is announced several times', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    await announceOrder()
    expect(await messages()).toEqual(['EMAIL QUEUED', 'IN_APP WRITTEN', 'PUSH QUEUED'])
    await Promise.all([deliver(), deliver()])
    expect(pushes).toMatchObject([{ platform: 'IOS', token: device.token, kind: 'ORDER_CONFIRMATION' }])
    expect(await messages()).toEqual(['EMAIL QUEUED', 'IN_APP WRITTEN', 'PUSH SENT'])
  })

  test('causes no message on a channel that is switched off for its kind; receipts by e-mail can’t be switched off', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    for (const channel of ['PUSH', 'IN_APP']) {
      const answered = await setPreference({ kind: 'ORDER_CONFIRMATION', channel, enabled: false })
      expect(dataOf(answered)).toMatchObject({ preference: { channel, enabled: false, required: false } })
    }
    dataOf(await setPreference({ kind: 'ORDER_SHIPPED', channel: 'EMAIL', enabled: false }))
    expect(
      await setPreference({ kind: 'ORDER_CONFIRMATION', channel: 'EMAIL', enabled: false }),
    ).toMatchObject({
      errors: [{ field: 'enabled', code: 'INVALID_VALUE' }],
    })
    await announceOrder()
    expect(await messages()).toEqual(['EMAIL QUEUED'])
  })

  test('that is switched off for e-mail is in the log as suppressed', async () => {
    dataOf(
      await shop.call(merchant, 'setNotificationPreference', {
        input: { kind: 'LOW_STOCK_ALERT', channel: 'EMAIL', enabled: false },
      }),
    )
    await shop.database`
      SELECT notification.announce(${merchant.merchantId}, 'LOW_STOCK_ALERT', 'x', NULL, 'a@example.com', NULL, 'Low', 'Low', '{}', '{}')`
    const rows =
      await shop.database`SELECT status, reason FROM email.delivery WHERE merchant_id = ${merchant.merchantId}`
    expect(rows).toEqual([{ status: 'SUPPRESSED', reason: 'Switched off in the preferences' }])
  })
})

describe('a preference', () => {
  test('applies to its owner’s kinds only, and a shopper can’t set another’s', async () => {
    expect(await setPreference({ kind: 'LOW_STOCK_ALERT', channel: 'PUSH', enabled: false })).toMatchObject({
      errors: [{ field: 'kind', code: 'INVALID_VALUE' }],
    })
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const theirs = { kind: 'ORDER_SHIPPED', channel: 'PUSH', enabled: false, customerId }
    expect(await setPreference(theirs)).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
    expect(await shop.call(merchant, 'setNotificationPreference', { input: theirs })).toMatchObject({
      kind: 'done',
    })
  })
})

describe('a device', () => {
  test('that the push service no longer knows gets nothing until it is registered again', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    answer = 410
    await announceOrder()
    await deliver()
    expect(await messages()).toContain('PUSH BOUNCED')
    await announceOrder()
    expect((await messages()).filter((line) => line.startsWith('PUSH'))).toEqual(['PUSH BOUNCED'])
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    answer = 200
    await announceOrder()
    await deliver()
    expect(await messages()).toContain('PUSH SENT')
  })

  test('gets its push later if the relay is down', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    answer = 503
    await announceOrder()
    await deliver()
    expect(await messages()).toContain('PUSH QUEUED')
    const rows = await shop.database`
      SELECT attempts, reason, next_attempt_at > now() AS waits FROM notification.push_delivery WHERE merchant_id = ${merchant.merchantId}`
    expect(rows).toEqual([{ attempts: 1, reason: 'The push webhook answered 503', waits: true }])
  })
})

describe('a push', () => {
  const delivery = async () => {
    const rows = await shop.database<{ id: string; status: string; reason: string | null }[]>`
      SELECT id, status, reason, attempts, transport, sent_at FROM notification.push_delivery WHERE merchant_id = ${merchant.merchantId}`
    return found(rows[0])
  }

  test('is signed according to Standard Webhooks with every current secret, and a repetition has the same id', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    answer = 503
    await announceOrder()
    await deliver()
    await shop.database`UPDATE notification.push_delivery SET next_attempt_at = now() WHERE merchant_id = ${merchant.merchantId}`
    answer = 200
    await deliver()
    const { id, status } = await delivery()
    expect(status).toBe('SENT')
    expect(posts).toHaveLength(2)
    for (const { headers, body } of posts) {
      expect(headers['webhook-id']).toBe(id)
      for (const known of [secret, nextSecret])
        expect(new Webhook(known).verify(body, headers as Record<string, string>)).toMatchObject({ id })
      const verify = (payload: string, by: string) => () =>
        new Webhook(by).verify(payload, headers as Record<string, string>)
      expect(verify(body.replace('Order', 'order'), secret)).toThrow('No matching signature')
      expect(verify(body, newSecret())).toThrow('No matching signature')
    }
  })

  test('that waits is not sent to the person who signs in on the device next', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    answer = 503
    await announceOrder()
    await deliver()
    const session = shopper(merchant, await createCustomer(shop.database, merchant.merchantId))
    dataOf(await shop.call(merchant, 'registerNotificationDevice', { input: device }, { session }))
    await shop.database`UPDATE notification.push_delivery SET next_attempt_at = now() WHERE merchant_id = ${merchant.merchantId}`
    answer = 200
    await deliver()
    expect(posts).toHaveLength(1)
    expect(await delivery()).toMatchObject({
      status: 'SUPPRESSED',
      reason: 'Another person has signed in on the device',
    })
  })

  test('is SUPPRESSED with a reason if the deployment has no transport', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    await announceOrder()
    await deliver(noPushTransport)
    expect(await delivery()).toMatchObject({
      status: 'SUPPRESSED',
      reason: expect.stringContaining('no transport is configured (PUSH_WEBHOOK_URL)') as string,
      attempts: 1,
      transport: null,
      sent_at: null,
    })
    expect(await deliver()).toBe(0)
  })

  test.each([
    [302, 'QUEUED'],
    [401, 'QUEUED'],
    [404, 'QUEUED'],
    [429, 'QUEUED'],
    [400, 'FAILED'],
    [413, 'FAILED'],
    [410, 'BOUNCED'],
  ])('whose relay answers %i is %s, and a redirect is not followed', async (status, expected) => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    answer = status
    await announceOrder()
    await deliver()
    expect(await delivery()).toMatchObject({
      status: expected,
      reason: `The push webhook answered ${status}`,
    })
    expect(posts).toHaveLength(1)
  })

  test('is tried again later if the relay can’t be reached, and records the error', async () => {
    dataOf(await asShopper('registerNotificationDevice', { input: device }))
    await announceOrder()
    await deliver(createWebhookTransport('http://127.0.0.1:9/', secrets))
    expect(await delivery()).toMatchObject({
      status: 'QUEUED',
      reason: expect.stringMatching(/^The push webhook could not be reached: .+/) as string,
    })
  })
})

test.each([
  ['no prefix', Buffer.alloc(32, 7).toString('base64')],
  ['too short', `whsec_${randomBytes(23).toString('base64')}`],
  ['too long', `whsec_${randomBytes(65).toString('base64')}`],
  ['not base64', `whsec_${'-'.repeat(44)}`],
  ['one of two wrong', `${secret},`],
  ['too many', Array.from({ length: 6 }, newSecret).join(',')],
])('a webhook’s secret is refused: %s', (_, secretText) => {
  const read = () => parseWebhookSecrets(secretText)
  expect(read).toThrow(/^must be/)
  expect(read).not.toThrow(secretText)
})

test('a shopper can mark only its own notifications as read', async () => {
  await announceOrder()
  const [row] = await shop.database<{ id: string }[]>`
    SELECT id FROM notification.notification WHERE merchant_id = ${merchant.merchantId}`
  const other = await createCustomer(shop.database, merchant.merchantId)
  const mark = (customerId: typeof other) =>
    shop.call(merchant, 'markNotificationRead', { id: row?.id }, { session: shopper(merchant, customerId) })
  expect(await mark(other)).toMatchObject({ errors: [{ field: 'id', code: 'NOT_FOUND' }] })
  expect(await shop.call(merchant, 'markNotificationRead', { id: row?.id })).toMatchObject({
    kind: 'invalid',
  })
  expect(await asShopper('markAllNotificationsRead', {})).toMatchObject({ data: { count: 1 } })
  expect(await asShopper('markAllNotificationsRead', {})).toMatchObject({ data: { count: 0 } })
  expect(await mark(merchant.customerId)).toMatchObject({ kind: 'done' })
})
