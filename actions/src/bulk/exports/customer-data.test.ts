import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../../testing/test-shop.ts'
import { notExported } from './personal-tables.ts'
import { purgeExports, runExports } from './run-exports.ts'

let shop: TestShop
let merchant: TestMerchant
let tokenIssuer: TokenIssuer
beforeAll(async () => {
  shop = await openTestShop()
  tokenIssuer = createTokenIssuer(shop)
})
afterAll(async () => {
  await tokenIssuer.close()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

interface Line {
  readonly record: string
  readonly customerId: string
}

const run = () =>
  runExports({
    database: shop.database,
    files: shop.files,
    tokenIssuer,
    graphqlUrl: 'http://127.0.0.1:9/graphql',
  })

async function keyOf(id: string): Promise<string> {
  const [row] = await shop.database<{ url: string | null; failure: string | null }[]>`
    SELECT url, failure FROM bulk.export WHERE id = ${id}`
  if (row?.url == null) throw new Error(`the export has no file: ${String(row?.failure)}`)
  const { pathname } = new URL(row.url)
  return pathname.slice(pathname.indexOf(merchant.merchantId))
}

/** The lines and the text of an export of the customer's data. */
async function exported(
  customerId: CustomerId,
  options = {},
): Promise<{ lines: readonly Line[]; text: string; key: string }> {
  const { exportId } = dataOf(await shop.call(merchant, 'exportCustomerData', { customerId }, options))
  await run()
  const key = await keyOf(String(exportId))
  const file = found((await shop.files.get(key)) ?? undefined)
  let text = ''
  for await (const chunk of file.content as AsyncIterable<Buffer>) text += chunk.toString()
  const lines = text.split('\n').filter((line) => line !== '')
  return { lines: lines.map((line) => JSON.parse(line) as Line), text, key }
}

/** A customer with a record of each kind that can be had here. */
async function livedIn(): Promise<{ readonly customerId: CustomerId; readonly email: string }> {
  const { merchantId } = merchant
  const customerId = await createCustomer(shop.database, merchantId)
  const sql = shop.database
  const email = `ada.${customerId}@example.com`
  await sql`
    UPDATE crm.customer SET email = ${email}, phone = '+1 555 0100', notes = 'Secret wish of Ada', tags = '{vip}'
    WHERE id = ${customerId}`
  await sql`UPDATE crm.customer SET email_verified = true WHERE id = ${customerId}`
  const entry = {
    merchant_id: merchantId,
    actor_kind: 'CUSTOMER',
    actor_id: customerId,
    source: 'CONTRACT',
    operation: 'updateCustomer',
    outcome: 'DONE',
  }
  await sql`SELECT audit.append(${sql.json([entry])})`
  const product = await shop.createProduct(merchant, { stock: [9] })
  const items = [{ productId: product.id, quantity: 1 }]
  const { orderId } = dataOf(
    await shop.call(merchant, 'createOrder', {
      input: { customerId, items, shippingAddress: address, notes: 'Ring at Ada' },
    }),
  )
  dataOf(await shop.call(merchant, 'createCart', { input: { customerId, items } }))
  await sql`
    INSERT INTO crm.address (merchant_id, customer_id, line1, city, state, postal_code, country)
    VALUES (${merchantId}, ${customerId}, 'Ada Lane 1', 'Springfield', 'IL', '62701', 'US')`
  await sql`INSERT INTO crm.contact (merchant_id, customer_id, name) VALUES (${merchantId}, ${customerId}, 'Grace of Ada')`
  await sql`
    INSERT INTO crm.interaction (merchant_id, customer_id, type, subject) VALUES (${merchantId}, ${customerId}, 'NOTE', 'Call Ada')`
  await sql`
    INSERT INTO catalog.review (merchant_id, product_id, customer_id, author_name, rating)
    VALUES (${merchantId}, ${product.id}, ${customerId}, 'Ada L.', 5)`
  await sql`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, status, facts, text)
    VALUES (${merchantId}, 'ORDER_SHIPPED', 'x', ${email}, 'Ada', ${customerId}, 'FAILED', ${sql.json({ email })}, 'Hello Ada')`
  await sql`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, status, facts)
    VALUES (${merchantId}, 'STOCK_ALERT', 'y', ${email}, 'FAILED', ${sql.json({ email })})`
  await sql`
    INSERT INTO identity.credential (merchant_id, customer_id, password_hash) VALUES (${merchantId}, ${customerId}, 'hash-of-ada')`
  await sql`
    INSERT INTO identity.sign_in_attempt (merchant_id, subject, email, client) VALUES (${merchantId}, 'CUSTOMER', ${email}, '192.0.2.1')`
  await sql`
    INSERT INTO notification.notification (merchant_id, customer_id, kind, subject_key, title, body)
    VALUES (${merchantId}, ${customerId}, 'ORDER_SHIPPED', 'x', 'Shipped, Ada', 'Shipped')`
  await sql`
    INSERT INTO notification.device (merchant_id, customer_id, platform, token) VALUES (${merchantId}, ${customerId}, 'WEB', 'token-of-ada')`
  await sql`
    INSERT INTO inventory.stock_alert (merchant_id, stock_item_id, email)
    SELECT merchant_id, id, ${email} FROM inventory.stock_item WHERE merchant_id = ${merchantId} LIMIT 1`
  dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Moving away' }))
  return { customerId, email }
}

test('every table that refers to a customer or an e-mail address is exported, or an exception with a reason', async () => {
  // By foreign keys, directly or over other tables; by the name or type of a column.
  const personal = await shop.database<{ name: string }[]>`
    WITH RECURSIVE referring AS (
      SELECT 'crm.customer'::regclass::oid AS oid
      UNION
      SELECT c.conrelid FROM pg_constraint c JOIN referring r ON c.confrelid = r.oid WHERE c.contype = 'f'
    ),
    named AS (
      SELECT a.attrelid AS oid FROM pg_attribute a
      JOIN pg_class k ON k.oid = a.attrelid
      JOIN pg_namespace n ON n.oid = k.relnamespace
      WHERE k.relkind IN ('r', 'p') AND NOT k.relispartition AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attname ~ '^(customer_ids?|email|recipient|actor_id)$' AND n.nspname !~ '^(pg_|information_schema|hdb_|bullmq)'
    )
    SELECT DISTINCT format('%s.%s', n.nspname, k.relname) AS name
    FROM (SELECT oid FROM referring UNION SELECT oid FROM named) p
    JOIN pg_class k ON k.oid = p.oid JOIN pg_namespace n ON n.oid = k.relnamespace
    WHERE NOT k.relispartition ORDER BY 1`
  const exportedTables = await shop.database<{ name: string }[]>`
    SELECT DISTINCT format('%s.%s', table_schema, table_name) AS name FROM information_schema.view_table_usage
    WHERE view_schema = 'bulk' AND view_name = 'customer_record'`
  const covered = new Set([...exportedTables.map(({ name }) => name), ...Object.keys(notExported)])
  expect(personal.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([])
  expect(
    Object.keys(notExported).filter((name) => exportedTables.some((table) => table.name === name)),
  ).toEqual([])
})

test('a person’s file has their records of all domains, and no secret', async () => {
  const { customerId, email } = await livedIn()
  const { lines, text } = await exported(customerId)
  expect(new Set(lines.map(({ record }) => record))).toEqual(
    new Set([
      ...[
        'address',
        'auditEntry',
        'cart',
        'cartLine',
        'contact',
        'customer',
        'device',
        'email',
        'export',
        'fulfillment',
        'interaction',
      ],
      ...[
        'notification',
        'order',
        'orderAddress',
        'orderHistoryEntry',
        'orderLine',
        'password',
        'review',
        'signInAttempt',
      ],
      'stockAlert',
    ]),
  )
  for (const shown of [email, 'Secret wish of Ada', 'Ada Lane 1', 'Ring at Ada', '192.0.2.1', 'Moving away'])
    expect(text).toContain(shown)
  for (const secret of ['hash-of-ada', 'token-of-ada', 'secretHash', 'unsubscribeToken'])
    expect(text).not.toContain(secret)
})

test('purchases as a guest with the same e-mail address are there; for a shopper only if it is verified', async () => {
  const { customerId, email } = await livedIn()
  const guest = await createCustomer(shop.database, merchant.merchantId)
  await shop.database`
    UPDATE crm.customer SET email = ${email}, has_account = false, name = 'Ada as a guest' WHERE id = ${guest}`
  const session = { session: shopper(merchant, customerId) }
  const people = async (options = {}) =>
    new Set((await exported(customerId, options)).lines.map((line) => line.customerId))
  expect(await people()).toEqual(new Set([customerId, guest]))
  expect(await people(session)).toEqual(new Set([customerId, guest]))
  await shop.database`UPDATE crm.customer SET email_verified = false WHERE id = ${customerId}`
  const { lines, text } = await exported(customerId, session)
  expect(new Set(lines.map((line) => line.customerId))).toEqual(new Set([customerId]))
  expect(text).not.toContain('192.0.2.1')
})

test('a shopper exports no other customer’s data', async () => {
  const other = await createCustomer(shop.database, merchant.merchantId)
  const session = shopper(merchant, merchant.customerId)
  expect(await shop.call(merchant, 'exportCustomerData', { customerId: other }, { session })).toMatchObject({
    kind: 'refused',
    status: 403,
  })
})

/** The merchant's tables that contain a text. */
async function tablesThatTell(text: string): Promise<readonly string[]> {
  const tables = await shop.database<{ name: string }[]>`
    SELECT format('%I.%I', c.table_schema, c.table_name) AS name
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.column_name = 'merchant_id' AND t.table_type = 'BASE TABLE' ORDER BY 1`
  const told: string[] = []
  for (const { name } of tables) {
    const rows = await shop.database.unsafe(
      `SELECT FROM ${name} t WHERE merchant_id = $1 AND strpos(to_jsonb(t)::text, $2) > 0`,
      [merchant.merchantId, text],
    )
    if (rows.length > 0) told.push(name)
  }
  return told
}

test('after an erasure nothing personal of the file is stored, nor of the person’s purchases as a guest, nor the file', async () => {
  const { customerId, email } = await livedIn()
  const guest = await createCustomer(shop.database, merchant.merchantId)
  await shop.database`
    UPDATE crm.customer SET email = ${email}, has_account = false, name = 'Ada as a guest', phone = '+1 555 0101' WHERE id = ${guest}`
  await shop.database`
    UPDATE ordering.order SET metadata = '{"app": {"gift": "for Ada Lovelace"}}' WHERE customer_id = ${customerId}`
  const { key } = await exported(customerId)
  dataOf(await shop.call(merchant, 'anonymizeCustomer', { id: customerId }))
  await purgeExports(shop.database, shop.files)
  expect(await shop.files.head(key)).toBeNull()
  const personal = [
    ...[
      email,
      'Secret wish of Ada',
      'Ada Lane 1',
      'Grace of Ada',
      'Ring at Ada',
      'Call Ada',
      'Ada L.',
      'Hello Ada',
    ],
    ...[
      'Shipped, Ada',
      'token-of-ada',
      'hash-of-ada',
      '192.0.2.1',
      '+1 555 0100',
      '+1 555 0101',
      'Ada as a guest',
    ],
    'for Ada Lovelace',
  ]
  for (const text of personal) expect([text, await tablesThatTell(text)]).toEqual([text, []])
})
