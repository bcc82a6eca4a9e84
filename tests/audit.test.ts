import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AddWarehouseDocument,
  AddWarehouseTwiceDocument,
  AuditLogDocument,
  AuditLogOfRequestDocument,
  RevokeApiKeyDocument,
} from './support/generated/hasura-operations.ts'
import { createClient, type Client } from './support/graphql-client.ts'
import { createCustomer, createStockedProduct, payload, shippingAddress, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const tables = new URL('../metadata/databases/default/tables/', import.meta.url)

let platform: TestPlatform
let sql: postgres.Sql
let owner: Client
let requests = 0

beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  owner = as(platform.liveKey)
})
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

const as = (credential: string, requestId?: string, url = platform.graphqlUrl) =>
  createClient(url, {
    authorization: `Bearer ${credential}`,
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  })

const hasura = (credential: string, requestId: string) =>
  as(credential, requestId, `${platform.hasuraUrl}/v1/graphql`)

const newRequestId = () => `audit-test-${(requests += 1)}`

interface Entry {
  readonly outcome: string
  readonly [field: string]: unknown
}

const entriesQuery = `query ($filters: AuditEntryFilters) {
  auditEntries(first: 100, sortOrder: ASC, filters: $filters) {
    totalCount
    edges { node {
      id createdAt actorKind actorId actorName clientAddress requestId source operationName operation record change
      targetIds outcome codes occurrences
    } }
  }
}`

async function entries(filters: Readonly<Record<string, unknown>>): Promise<readonly Entry[]> {
  const { auditEntries } = succeeded(
    await owner<{ auditEntries: { totalCount: number; edges: readonly { node: Entry }[] } }>(entriesQuery, {
      filters,
    }),
  )
  expect(auditEntries.totalCount).toBe(auditEntries.edges.length)
  return auditEntries.edges.map(({ node }) => node)
}

/** The audit log writes entries for requests that changed nothing within half a second. */
async function soon(filters: Readonly<Record<string, unknown>>, expected: readonly object[]): Promise<void> {
  await expect.poll(() => entries(filters), { timeout: 5_000, interval: 100 }).toMatchObject(expected)
}

const newKey = async (permissions: readonly string[]) =>
  payload(
    await owner<
      Record<
        string,
        { key: string; apiKey: { id: string }; errors: readonly { field: string; message: string }[] }
      >
    >(
      `mutation ($input: CreateApiKeyInput!) {
        createApiKey(input: $input) { key apiKey { id } errors { field message } }
      }`,
      { input: { name: 'Audited', permissions } },
    ),
  )

const createWarehouse = `mutation Open($input: CreateWarehouseInput!) {
  createWarehouse(input: $input) { warehouse { id } errors { field message code } }
}`
const warehouse = (code: string) => ({ input: { name: 'Audited', code, location: shippingAddress } })

describe('the audit log', () => {
  test('has an entry for a committed change of rows, with the actor, the operation, the address and the ids', async () => {
    const key = await newKey(['inventory:write', 'inventory:read'])
    const requestId = newRequestId()
    const created = await as(key.key, requestId)<
      Record<string, { warehouse: { id: string }; errors: readonly [] }>
    >(createWarehouse, warehouse('AUD-1'))
    const ofOne = await entries({ requestId })
    expect(ofOne.map(({ record }) => record).sort()).toEqual(['Warehouse', 'WarehouseAddress'])
    expect(ofOne.filter(({ record }) => record === 'Warehouse')).toEqual([
      {
        id: expect.any(String) as string,
        createdAt: expect.any(String) as string,
        actorKind: 'KEY',
        actorId: key.apiKey.id,
        actorName: 'Audited',
        clientAddress: '127.0.0.1',
        requestId,
        source: 'CONTRACT',
        operationName: 'Open',
        operation: 'createWarehouse',
        record: 'Warehouse',
        change: 'CREATED',
        targetIds: [payload(created).warehouse.id],
        outcome: 'DONE',
        codes: [],
        occurrences: 1,
      },
    ])
  })

  test('has an entry for a change that was refused for its input, with the codes and without the input', async () => {
    const requestId = newRequestId()
    await as(platform.liveKey, requestId)(createWarehouse, warehouse('AUD-1'))
    await soon({ requestId }, [
      {
        operation: 'createWarehouse',
        outcome: 'INVALID',
        codes: ['ALREADY_EXISTS'],
        record: null,
        targetIds: [],
      },
    ])
  })

  test('has an entry for an action, with the ids from its input and its answer', async () => {
    const requestId = newRequestId()
    const { id: productId } = await createStockedProduct(owner, 10)
    const created = payload(
      await as(platform.liveKey, requestId)<Record<string, { cart: { id: string }; errors: readonly [] }>>(
        `mutation Start($input: CreateCartInput!) { createCart(input: $input) { cart { id } errors { field message } } }`,
        { input: { items: [{ productId, quantity: 1 }] } },
      ),
    )
    await soon({ requestId }, [
      {
        operation: 'createCart',
        operationName: 'Start',
        outcome: 'DONE',
        source: 'CONTRACT',
        clientAddress: '127.0.0.1',
        targetIds: [productId, created.cart.id],
      },
    ])
    await soon({ targetId: created.cart.id, operation: 'createCart' }, [{ requestId }])
  })

  test('has the entry of an order from the order’s own transaction, and one of each time it was asked for again', async () => {
    const { id: productId } = await createStockedProduct(owner, 10)
    const customerId = await createCustomer(owner)
    const input = { customerId, items: [{ productId, quantity: 1 }], shippingAddress }
    const place = (requestId: string, headers: Readonly<Record<string, string>> = {}) =>
      createClient(platform.graphqlUrl, {
        authorization: `Bearer ${platform.liveKey}`,
        'x-request-id': requestId,
        ...headers,
      })<Record<string, { order: { id: string } | null; errors: readonly [] }>>(
        `mutation Buy($input: CreateOrderInput!) { createOrder(input: $input) { order { id } errors { field message } } }`,
        { input },
      )
    // Orders that come together are placed together; each has its own entry.
    const requestIds = [newRequestId(), newRequestId(), newRequestId()]
    const placed = await Promise.all(requestIds.map((requestId) => place(requestId)))
    for (const [index, answer] of placed.entries()) {
      const orderId = payload(answer).order?.id ?? ''
      expect(await entries({ requestId: requestIds[index] })).toMatchObject([
        {
          operation: 'createOrder',
          operationName: 'Buy',
          outcome: 'DONE',
          actorKind: 'KEY',
          clientAddress: '127.0.0.1',
          targetIds: [orderId, customerId, productId],
        },
      ])
      const together = await sql`
        SELECT FROM ordering.order o JOIN audit.entry e ON e.request_id = ${requestIds[index] ?? ''} AND e.xmin = o.xmin
        WHERE o.id = ${orderId}`
      expect(together).toHaveLength(1)
    }
    const [first, again] = [newRequestId(), newRequestId()]
    const key = { 'idempotency-key': randomUUID() }
    const order = payload(await place(first, key)).order
    expect(payload(await place(again, key)).order).toEqual(order)
    await soon({ requestId: again }, [{ operation: 'createOrder', outcome: 'DONE' }])
    expect(await entries({ requestId: first })).toHaveLength(1)
  })

  test('has an entry of an order that was refused, with the codes', async () => {
    const requestId = newRequestId()
    await as(platform.liveKey, requestId)(
      `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order { id } errors { code } } }`,
      {
        input: {
          customerId: randomUUID(),
          items: [{ productId: randomUUID(), quantity: 1 }],
          shippingAddress,
        },
      },
    )
    await soon({ requestId }, [{ operation: 'createOrder', outcome: 'INVALID', codes: ['NOT_FOUND'] }])
  })

  test('has entries for rows and actions that came through Hasura’s own API', async () => {
    const [rows, action] = [newRequestId(), newRequestId()]
    succeeded(await hasura(platform.liveKey, rows)(AddWarehouseDocument, { name: 'Hasura', code: 'AUD-2' }))
    await hasura(platform.liveKey, action)(RevokeApiKeyDocument, {
      id: '01a1f000-0000-7000-8000-000000000000',
    })
    expect(await entries({ requestId: rows })).toMatchObject([
      {
        source: 'HASURA',
        operation: 'insert_inventory_warehouse',
        record: 'Warehouse',
        change: 'CREATED',
        outcome: 'DONE',
      },
    ])
    await soon({ requestId: action }, [
      { source: 'HASURA', operation: 'revokeApiKey', outcome: 'INVALID', codes: ['NOT_FOUND'] },
    ])
  })

  test('has no entry for a transaction that was rolled back', async () => {
    const requestId = newRequestId()
    const answer = await hasura(platform.liveKey, requestId)(AddWarehouseTwiceDocument, {
      name: 'Hasura',
      code: 'AUD-3',
    })
    expect(answer.errors).toHaveLength(1)
    expect(await entries({ requestId })).toEqual([])
  })

  test('has entries for requests that a key may not make, and for requests with a revoked key', async () => {
    const key = await newKey(['products:read'])
    const requestId = newRequestId()
    const client = as(key.key, requestId)
    for (let i = 0; i < 20; i += 1) await client(createWarehouse, warehouse('AUD-4'))
    await soon({ actorId: key.apiKey.id }, [
      {
        requestId,
        operation: 'createWarehouse',
        outcome: 'REFUSED',
        codes: ['SVC_AUTH_003'],
        occurrences: 1,
      },
    ])
    await owner(`mutation ($id: ID!) { revokeApiKey(id: $id) { errors { message } } }`, { id: key.apiKey.id })
    await expect.poll(async () => (await client('{ viewer { id } }')).status).toBe(401)
    await soon({ actorId: key.apiKey.id, outcome: 'REFUSED' }, [
      { codes: ['SVC_AUTH_003'] },
      { operation: null, outcome: 'REFUSED', codes: ['SVC_AUTH_001'], clientAddress: '127.0.0.1' },
    ])
  })

  test('never holds a secret or any other value of an input', async () => {
    const password = 'a password of the audit'
    const email = 'unlogged@example.com'
    await owner(
      'mutation ($input: RegisterCustomerInput!) { registerCustomer(input: $input) { errors { message } } }',
      { input: { email, name: 'Unlogged Inthelog', password } },
    )
    await owner(
      'mutation ($input: SignInInput!) { signInCustomer(input: $input) { accessToken refreshToken errors { message } } }',
      {
        input: { email, password },
      },
    )
    await soon({ operation: 'registerCustomer' }, [{ outcome: 'DONE' }])
    const rows = await sql<{ text: string }[]>`SELECT e::text AS text FROM audit.entry e`
    expect(rows.length).toBeGreaterThan(10)
    const all = rows.map(({ text }) => text).join('\n')
    expect(all).not.toMatch(/password|unlogged|cg_live_|eyJ/i)
  })

  test('is hidden from callers without audit:read, in both APIs', async () => {
    const { key } = await newKey(['inventory:read'])
    const answer = await as(key)('{ auditEntries { totalCount } }')
    expect(answer.errors[0]?.extensions).toMatchObject({
      id: 'SVC_AUTH_003',
      details: { permission: 'audit:read' },
    })
    expect(succeeded(await hasura(key, newRequestId())(AuditLogDocument))).toEqual({
      audit_log: [],
    })
  })

  test('shows each merchant its own entries and no others, in both APIs', async () => {
    const requestId = newRequestId()
    const other = '01a1f000-0001-7000-8000-000000000002'
    const ofBoth = [other, platform.merchantId].map((merchant_id) => ({
      merchant_id,
      actor_kind: 'KEY',
      source: 'CONTRACT',
      outcome: 'DONE',
      request_id: requestId,
      operation: merchant_id === other ? 'foreign' : 'own',
    }))
    await sql`SELECT audit.append(${sql.json(ofBoth)})`
    expect(await entries({ requestId })).toMatchObject([{ operation: 'own' }])
    const answer = await hasura(platform.liveKey, newRequestId())(AuditLogOfRequestDocument, {
      id: requestId,
    })
    expect(succeeded(answer)).toEqual({
      audit_log: [{ operation: 'own' }],
      audit_log_aggregate: { aggregate: { count: 1 } },
    })
  })

  test('can’t be written through Hasura’s own API by any caller', async () => {
    const answer = await hasura(
      platform.liveKey,
      newRequestId(),
    )<{ __schema: object }>('{ __schema { mutationType { fields { name } } } }')
    expect(JSON.stringify(succeeded(answer))).not.toMatch(/audit/i)
  })
})

test('every table that a role may write through Hasura has audit triggers', async () => {
  const watched = await sql<{ table: string; events: string[] }[]>`
    SELECT format('%s.%s', n.nspname, c.relname) AS table, array_agg(t.tgname ORDER BY t.tgname) AS events
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE t.tgfoid = 'audit.record_rows'::regproc GROUP BY 1 ORDER BY 1`
  const writable = readdirSync(tables)
    .map((file) => readFileSync(new URL(file, tables), 'utf8'))
    .filter((text) => /^(insert|update|delete)_permissions:/m.test(text))
    .map((text) => `${/^ {2}schema: (\S+)/m.exec(text)?.[1]}.${/^ {2}name: "?(\w+)/m.exec(text)?.[1]}`)
  expect(watched.map(({ table }) => table)).toEqual(writable.sort())
  for (const { events } of watched)
    expect(events).toEqual(['record_delete', 'record_insert', 'record_update'])
})
