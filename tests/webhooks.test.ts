import { randomUUID } from 'node:crypto'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import { openPayloads } from '@commerce-graph/actions/webhook-payloads'
import { startWebhookReceiver, type WebhookReceiver } from '@commerce-graph/actions/testing/webhook-receiver'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { createSubscriptionClient } from './support/subscription-client.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const encryptionKeys = [newEncryptionKey()]
let platform: TestPlatform
let shop: Client
let sql: Sql
let receiver: WebhookReceiver
beforeAll(async () => {
  platform = await startTestPlatform({ webhookTimes: { timeout: 2_000 }, encryptionKeys })
  shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => undefined })
}, 60_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
})
beforeEach(async () => {
  await sql`DELETE FROM events.endpoint`
  receiver = await startWebhookReceiver()
  return () => receiver.close()
})

interface Endpoint {
  readonly id: string
  readonly secret: string | null
  readonly status: string
  readonly topics: readonly string[]
}

interface Errors {
  readonly errors: readonly { readonly field: string; readonly message: string; readonly code: string }[]
}

const selection =
  '{ webhookEndpoint { id url secret status topics filter query failingSince createdAt } errors { field message code } }'

async function create(input: object, client = shop) {
  const { createWebhookEndpoint: created } = succeeded(
    await client<{ createWebhookEndpoint: Errors & { webhookEndpoint: Endpoint | null } }>(
      `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) ${selection} }`,
      { input: { url: receiver.url, ...input } },
    ),
  )
  return created
}

async function endpoint(input: object): Promise<Endpoint> {
  const { webhookEndpoint, errors } = await create(input)
  if (webhookEndpoint === null) throw new Error(JSON.stringify(errors))
  return webhookEndpoint
}

async function update(id: string, input: object, client = shop) {
  const { updateWebhookEndpoint: updated } = succeeded(
    await client<{ updateWebhookEndpoint: Errors & { webhookEndpoint: Endpoint | null } }>(
      `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(id: $id, input: $input) ${selection} }`,
      { id, input },
    ),
  )
  return updated
}

let names = 0

/** @returns the new customer's id */
async function createCustomer(): Promise<string> {
  names += 1
  const { createCustomer: created } = succeeded(
    await shop<{ createCustomer: { customer: { id: string } } }>(
      'mutation ($input: CustomerInput!) { createCustomer(input: $input) { customer { id } errors { message } } }',
      { input: { email: `webhook${names}@example.com`, name: `Ada ${names}` } },
    ),
  )
  return created.customer.id
}

const rename = async (id: string, name: string) =>
  succeeded(
    await shop(
      'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { errors { message } } }',
      { id, input: { name } },
    ),
  )

const until = (count: number) =>
  expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count)

/** A client with a key of its own that has these permissions. */
async function keyWith(permissions: readonly string[]): Promise<Client> {
  const { createApiKey } = succeeded(
    await shop<{ createApiKey: { key: string } }>(
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key errors { message } } }',
      { input: { name: 'narrow', mode: 'LIVE', permissions } },
    ),
  )
  return createClient(platform.graphqlUrl, bearer(createApiKey.key))
}

const replay = async (input: object, client = shop) =>
  succeeded(
    await client<{ replayWebhookDeliveries: Errors & { count: number; replayedUntil: string | null } }>(
      'mutation ($input: ReplayWebhookDeliveriesInput!) { replayWebhookDeliveries(input: $input) { count replayedUntil errors { field message } } }',
      { input },
    ),
  ).replayWebhookDeliveries

interface Delivery {
  readonly id: string
  readonly status: string
  readonly error: string | null
  readonly attempts: readonly {
    readonly number: number
    readonly responseStatus: number | null
    readonly durationMs: number
  }[]
  readonly body: string
}

async function deliveries(endpointId: string): Promise<readonly Delivery[]> {
  const { webhookDeliveries } = succeeded(
    await shop<{ webhookDeliveries: { nodes: Delivery[] } }>(
      `query ($endpointId: ID!) {
        webhookDeliveries(filters: { endpointId: $endpointId }, sortOrder: ASC) {
          nodes { id status error topic body attemptCount attempts { number url responseStatus responseBody requestHeaders durationMs error } }
        }
      }`,
      { endpointId },
    ),
  )
  return webhookDeliveries.nodes
}

describe('a webhook', () => {
  test('arrives signed, with the selection of the record, the changed fields and the version', async () => {
    const { secret, id } = await endpoint({ topics: ['customer.*'], query: '{ id name email orderCount }' })
    expect(secret).toMatch(/^whsec_/)
    const customerId = await createCustomer()
    await rename(customerId, 'Grace')
    await until(2)
    const [created, updated] = receiver.received
    for (const { body, headers } of receiver.received)
      expect(new Webhook(secret ?? '').verify(body, headers)).toMatchObject({ recordId: customerId })
    expect(created?.event).toMatchObject({
      type: 'customer.created',
      recordType: 'Customer',
      data: { id: customerId, orderCount: 0 },
      changes: {},
    })
    expect(updated?.event).toMatchObject({
      type: 'customer.updated',
      changes: { name: { new: 'Grace' } },
      data: { name: 'Grace' },
    })
    expect(String(updated?.event['version']) > String(created?.event['version'])).toBe(true)
    await expect
      .poll(async () => (await deliveries(id)).map(({ status }) => status))
      .toEqual(['DELIVERED', 'DELIVERED'])
    const [first] = await deliveries(id)
    expect(first).toMatchObject({ body: created?.body, attempts: [{ number: 1, responseStatus: 204 }] })
  })

  test('is not sent for topics, records and changes that the endpoint doesn’t ask for', async () => {
    await endpoint({
      topics: ['customer.updated'],
      filter: [{ field: 'name', changed: true, equals: 'Grace' }],
    })
    const customerId = await createCustomer()
    await rename(customerId, 'Ada')
    await rename(customerId, 'Grace')
    await until(1)
    expect(receiver.received.map(({ event }) => event['record'])).toMatchObject([{ name: 'Grace' }])
  })

  test('goes to the merchant alone: another merchant’s events never arrive', async () => {
    const { id } = await endpoint({ topics: ['*'] })
    const twin = createClient(platform.graphqlUrl, bearer(platform.testKey))
    succeeded(
      await twin(
        'mutation { createCustomer(input: { email: "test@example.com", name: "Test" }) { errors { message } } }',
      ),
    )
    const customerId = await createCustomer()
    await until(1)
    expect(receiver.received.map(({ event }) => event.recordId)).toEqual([customerId])
    expect(succeeded(await twin('query ($id: ID!) { webhookEndpoint(id: $id) { id } }', { id }))).toEqual({
      webhookEndpoint: null,
    })
  })

  test('is signed with both secrets while one replaces the other, and with the new one after that', async () => {
    const before = await endpoint({ topics: ['customer.created'] })
    const rotate = async (overlapSeconds: number) => {
      const { rotateWebhookSecret: rotated } = succeeded(
        await shop<{ rotateWebhookSecret: { webhookEndpoint: Endpoint } }>(
          `mutation ($id: ID!, $overlapSeconds: Int) { rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) ${selection} }`,
          { id: before.id, overlapSeconds },
        ),
      )
      return rotated.webhookEndpoint.secret ?? ''
    }
    const verified = (secret: string, index: number) => {
      const { body, headers } = receiver.received[index] ?? { body: '', headers: {} }
      try {
        new Webhook(secret).verify(body, headers)
        return true
      } catch {
        return false
      }
    }
    const second = await rotate(60)
    await createCustomer()
    await until(1)
    const third = await rotate(0)
    await createCustomer()
    await until(2)
    expect([before.secret ?? '', second].map((secret) => verified(secret, 0))).toEqual([true, true])
    expect([before.secret ?? '', second, third].map((secret) => verified(secret, 1))).toEqual([
      false,
      false,
      true,
    ])
    const { webhookEndpoint } = succeeded(
      await shop<{ webhookEndpoint: Endpoint }>('query ($id: ID!) { webhookEndpoint(id: $id) { secret } }', {
        id: before.id,
      }),
    )
    expect(webhookEndpoint.secret).toBeNull()
  })

  test('of a test arrives at once, and a replay has the same id and body', async () => {
    const { id } = await endpoint({ topics: ['customer.created'], query: '{ name }' })
    const sendTest = async (topic?: string) =>
      succeeded(
        await shop<{ sendTestWebhook: { webhookDelivery: { id: string } } }>(
          'mutation ($id: ID!, $topic: String) { sendTestWebhook(id: $id, topic: $topic) { webhookDelivery { id isTest } errors { message } } }',
          { id, topic },
        ),
      ).sendTestWebhook.webhookDelivery.id
    const tested = await sendTest()
    await until(1)
    expect(receiver.received[0]).toMatchObject({ id: tested, event: { type: 'webhook.test' } })
    const customerId = await createCustomer()
    await until(2)
    await sendTest('customer.created')
    await until(3)
    expect(receiver.received[2]?.event).toMatchObject({ recordId: customerId })
    const [, original] = receiver.received
    await expect
      .poll(async () => (await deliveries(id)).every(({ status }) => status === 'DELIVERED'))
      .toBe(true)
    expect(await replay({ endpointId: id, deliveryIds: [original?.id] })).toMatchObject({
      count: 1,
      errors: [],
    })
    await until(4)
    expect(receiver.received[3]).toMatchObject({ id: original?.id, body: original?.body })
    await expect
      .poll(async () => (await deliveries(id)).every(({ status }) => status === 'DELIVERED'))
      .toBe(true)
    const startDate = new Date(Date.now() - 60_000).toISOString()
    expect(await replay({ endpointId: id, startDate, onlyUndelivered: true })).toMatchObject({ errors: [] })
    expect(await replay({ endpointId: id })).toMatchObject({ errors: [{ field: 'deliveryIds' }] })
  })

  test('that was missed while the endpoint was off is sent by a replay of the time', async () => {
    const { id } = await endpoint({ topics: ['customer.created'], enabled: false })
    const startDate = new Date().toISOString()
    const customerId = await createCustomer()
    await expect
      .poll(() => sql`SELECT FROM events.event WHERE record_id = ${customerId}`.then((rows) => rows.length))
      .toBeGreaterThan(0)
    expect(await deliveries(id)).toEqual([])
    await update(id, { enabled: true })
    expect(await replay({ endpointId: id, startDate })).toMatchObject({ errors: [] })
    await until(1)
    expect(receiver.received.map(({ event }) => event.recordId)).toEqual([customerId])
  })
})

describe('an endpoint is checked when it is saved', () => {
  test.each([
    [{ topics: ['order.eaten'] }, 'topics.0'],
    [{ topics: ['order.created', 'cake.*'] }, 'topics.1'],
    [{ topics: ['order.created'], url: 'http://127.0.0.1:1/#there' }, 'url'],
    [{ topics: ['order.created'], query: '{ id nonsense }' }, 'query'],
    [{ topics: ['order.created'], query: '{ id' }, 'query'],
    [{ topics: ['order.created'], query: 'mutation { id }' }, 'query'],
    [{ topics: ['order.created'], query: 'query ($a: ID) { id }' }, 'query'],
    [{ topics: ['order.created', 'customer.created'], query: '{ id orderNumber }' }, 'query'],
    [
      {
        topics: ['order.created'],
        query: `{ customer ${'{ orders(first: 100) { nodes { customer '.repeat(5)} { id } ${'} } }'.repeat(5)} }`,
      },
      'query',
    ],
    [{ topics: ['order.created'], filter: [{ field: 'nonsense', equals: 'x' }] }, 'filter.0.field'],
    [{ topics: ['order.created'], filter: [{ field: 'status' }] }, 'filter.0'],
  ])('%j is refused at %s', async (input, field) => {
    const { webhookEndpoint, errors } = await create(input)
    expect([webhookEndpoint, [...new Set(errors.map((error) => error.field))]]).toEqual([null, [field]])
  })

  test('with several types of records, a selection of fragments is taken', async () => {
    const { id } = await endpoint({
      topics: ['order.created', 'customer.created'],
      query: 'query Payload { ... on Order { orderNumber } ...Person } fragment Person on Customer { name }',
    })
    await createCustomer()
    await until(1)
    expect(receiver.received[0]?.event['data']).toEqual({ name: `Ada ${names}` })
    expect(id).not.toBe('')
  })

  test('with the permissions of its creator, and of who changes it', async () => {
    const narrow = await keyWith(['webhooks:read', 'webhooks:write', 'products:read'])
    expect(await create({ topics: ['order.created'] }, narrow)).toMatchObject({
      errors: [{ field: 'topics.0' }],
    })
    const query = '{ name analytics { views } totalSold }'
    const refused = await create({ topics: ['product.updated'], query }, narrow)
    expect([...new Set(refused.errors.map(({ field }) => field))]).toEqual(['query'])
    const wide = await endpoint({ topics: ['customer.created'], query: '{ email }' })
    // Another address would be told what the key itself may not see.
    expect(await update(wide.id, { url: `${receiver.url}/elsewhere` }, narrow)).toMatchObject({
      webhookEndpoint: null,
      errors: [{ field: 'topics.0' }],
    })
    expect(await update(wide.id, { description: 'ours' }, narrow)).toMatchObject({ errors: [] })
    await createCustomer()
    await until(1)
  })
})

describe('a key that gives an endpoint another address', () => {
  let own: WebhookReceiver
  beforeEach(async () => {
    own = await startWebhookReceiver()
    return () => own.close()
  })

  /** As if the time until the next attempt were over. */
  const dueNow = (id: string) =>
    sql`UPDATE events.delivery SET next_attempt_at = now() WHERE endpoint_id = ${id} AND status = 'PENDING'`

  test('gets no event that it may not see, neither waiting ones nor by a replay', async () => {
    const startDate = new Date().toISOString()
    receiver.behave((response) => response.writeHead(500).end())
    const { id } = await endpoint({ topics: ['customer.created'], query: '{ email phone }' })
    await createCustomer()
    await expect.poll(async () => (await deliveries(id))[0]?.attempts.length).toBe(1)
    const narrow = await keyWith(['webhooks:read', 'webhooks:write', 'products:read'])
    const changed = { url: own.url, topics: ['product.updated'], query: null }
    expect(await update(id, changed, narrow)).toMatchObject({ errors: [] })
    await dueNow(id)
    const [waiting] = await deliveries(id)
    await expect
      .poll(async () => (await deliveries(id)).map(({ status, error, body }) => ({ status, error, body })))
      .toEqual([{ status: 'FAILED', error: expect.stringContaining('no permission') as unknown, body: null }])
    expect(await replay({ endpointId: id, deliveryIds: [waiting?.id] }, narrow)).toMatchObject({ count: 0 })
    expect(await replay({ endpointId: id, startDate }, narrow)).toMatchObject({ count: 0 })
    expect(own.received).toEqual([])
  })

  test('gets events that it may see without what was read with wider permissions, also by a replay', async () => {
    const startDate = new Date().toISOString()
    const { id } = await endpoint({ topics: ['product.updated'], query: '{ analytics { views } }' })
    const updateProduct = async (name: string) => {
      const [product] = await sql<{ id: string }[]>`
        UPDATE catalog.product SET name = ${name} WHERE merchant_id = ${platform.merchantId} AND id = (
          SELECT min(id::text)::uuid FROM catalog.product WHERE merchant_id = ${platform.merchantId}) RETURNING id`
      return product?.id
    }
    await updateProduct('Taken')
    await until(1)
    receiver.behave((response) => response.writeHead(500).end())
    await updateProduct('Refused')
    await until(2)
    for (const { event } of receiver.received) expect(event['data']).toMatchObject({ analytics: {} })
    await expect
      .poll(async () => (await deliveries(id)).map(({ status }) => status))
      .toEqual(['DELIVERED', 'PENDING'])
    const narrow = await keyWith(['webhooks:read', 'webhooks:write', 'products:read'])
    expect(await update(id, { url: own.url, query: '{ name }' }, narrow)).toMatchObject({ errors: [] })
    await dueNow(id)
    await expect.poll(() => own.received.length).toBe(1)
    await expect.poll(async () => (await deliveries(id)).at(-1)?.status).toBe('DELIVERED')
    expect(await replay({ endpointId: id, startDate }, narrow)).toMatchObject({ count: 2 })
    await expect.poll(() => own.received.length).toBe(3)
    expect(own.received.map(({ event }) => event['data'])).toEqual(
      Array.from({ length: 3 }, () => ({ name: 'Refused' })),
    )
  })
})

describe('a merchant that is suspended', () => {
  let suspended: MerchantId
  beforeEach(async () => {
    const [twin] = await sql<{ id: MerchantId }[]>`
      SELECT id FROM merchant.merchant WHERE twin_of = ${platform.merchantId}`
    if (twin === undefined) throw new Error('the test data is missing')
    suspended = twin.id
    return () => become('ACTIVE')
  })
  const become = async (status: string) => {
    await sql`UPDATE merchant.merchant SET status = ${status} WHERE id = ${suspended}`
  }

  test('gets the webhooks of that time when it is reinstated, with their data', async () => {
    const input = { topics: ['customer.created'], query: '{ name }' }
    await endpoint(input)
    await create(input, createClient(platform.graphqlUrl, bearer(platform.testKey)))
    await become('SUSPENDED')
    // The other merchant's webhook arrives, so the worker has looked at both.
    await sql`
      INSERT INTO crm.customer (merchant_id, email, name) VALUES
        (${suspended}, 'late@example.com', 'Late'), (${platform.merchantId}, 'soon@example.com', 'Soon')`
    await until(1)
    await become('ACTIVE')
    await until(2)
    expect(receiver.received.map(({ event }) => event['data'])).toEqual([{ name: 'Soon' }, { name: 'Late' }])
  })

  test('is no refusal of a query: its records are read later', async () => {
    const secretBox = createSecretBox(encryptionKeys)
    const tokenIssuer = createTokenIssuer({ databaseUrl: platform.databaseUrl, secretBox })
    const payloads = openPayloads(platform.graphqlUrl, tokenIssuer)
    const id = randomUUID()
    const read = () =>
      payloads.read(
        { merchantId: suspended, endpointId: id, permissions: ['customers:read'], isDraft: true },
        'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }',
        [{ type: 'Customer', id }],
      )
    expect(await read()).toMatchObject({ kind: 'read' })
    await become('SUSPENDED')
    expect(await read()).toMatchObject({ kind: 'unreachable' })
    await tokenIssuer.close()
  })
})

test('the subscription goes on after the last position that a client has seen, and misses no event', async () => {
  const client = createSubscriptionClient(platform.graphqlUrl, bearer(platform.liveKey))
  const [last] = await sql<{ position: string }[]>`SELECT max(position) AS position FROM events.event`
  const first = await createCustomer()
  const second = await createCustomer()
  const stream = client.iterate<{ events: { recordId: string; topic: string } }>({
    query: 'subscription ($after: String) { events(after: $after) { position topic recordId } }',
    variables: { after: last?.position },
  })
  const seen: string[] = []
  for await (const { data, errors } of stream) {
    if (errors) throw new Error(JSON.stringify(errors))
    if (data?.events.topic === 'customer.created') seen.push(data.events.recordId)
    if (seen.length === 2) break
  }
  expect(seen).toEqual([first, second])
  await client.dispose()
})
