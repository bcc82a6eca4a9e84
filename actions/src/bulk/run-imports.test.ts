import postgres from '@commerce-graph/postgres-driver'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sumUpEveryQuarter } from '../testing/sum-up-every-quarter.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { openTestShop, silent, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { fileOfImport } from './file-of-import.ts'
import { runImports } from './run-imports.ts'

let shop: TestShop
let merchant: TestMerchant

beforeAll(async () => {
  shop = await openTestShop()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

interface Job {
  readonly status: string
  readonly rows: number | null
  readonly checked: number
  readonly written: number
  readonly imported: number
  readonly unchanged: number
  readonly refused: number
  readonly failure: string | null
}

interface Fault {
  readonly line: number
  readonly record_type: string | null
  readonly key: string | null
  readonly field: string
  readonly code: string
}

/** Objects become JSON Lines; a text or bytes are CSV. */
async function create(rows: readonly object[] | string | Buffer, options: object = {}): Promise<string> {
  const isCsv = typeof rows === 'string' || Buffer.isBuffer(rows)
  const content = Buffer.from(isCsv ? rows : rows.map((row) => JSON.stringify(row)).join('\n'))
  const answer = await shop.call(merchant, 'createImport', {
    input: { format: isCsv ? 'CSV' : 'JSON_LINES', fileSize: content.length, ...options },
  })
  expect(answer).toMatchObject({ kind: 'done', data: { upload: { url: expect.any(String) as string } } })
  const id = (answer as unknown as { data: { importId: string } }).data.importId
  await shop.files.put(fileOfImport(merchant.merchantId, id), Readable.from([content]), {
    contentType: 'application/x-ndjson',
  })
  expect(await shop.call(merchant, 'startImport', { id })).toMatchObject({ kind: 'done' })
  return id
}

const run = () => runImports({ database: shop.database, files: shop.files, logger: silent })

async function outcomeOf(id: string): Promise<Job & { readonly faults: readonly Fault[] }> {
  const [job] = await shop.database<Job[]>`
    SELECT status, rows, checked, written, imported, unchanged, refused, failure FROM bulk.import
    WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`
  const faults = await shop.database<Fault[]>`
    SELECT line, record_type, key, field, code FROM bulk.import_error
    WHERE merchant_id = ${merchant.merchantId} AND import_id = ${id} ORDER BY line, field`
  if (job === undefined) throw new Error('There is no such import')
  return { ...job, faults: [...faults] }
}

async function importRows(rows: readonly object[] | string | Buffer, options: object = {}) {
  const id = await create(rows, options)
  await run()
  return outcomeOf(id)
}

const order = (number: string, changes: object = {}) => ({
  type: 'order',
  orderNumber: number,
  placedAt: '1996-07-04T10:00:00Z',
  currency: 'USD',
  customer: { email: 'Ann@example.com', name: 'Ann' },
  shippingAddress: { recipientName: 'Bo', company: 'Bo & Co', line1: '1 Road', city: 'Reims', country: 'FR' },
  lines: [
    { sku: 'CHANG', name: 'Chang', quantity: 2, price: 1000, discount: 200 },
    { sku: 'CHANG', name: 'Chang', quantity: 1, price: 1000 },
    { name: 'Gift wrapping', quantity: 1, price: 55 },
  ],
  shipping: 500,
  discount: 55,
  tax: 77,
  total: 3377,
  paidAt: '1996-07-05T10:00:00Z',
  shipments: [{ shippedAt: '1996-07-06T00:00:00Z', carrier: 'UPS', trackingNumber: '1Z' }],
  refunds: [{ amount: 300, refundedAt: '1996-08-01T00:00:00Z', reason: 'One was broken' }],
  ...changes,
})

async function one(query: string): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await shop.database.unsafe<Record<string, unknown>[]>(
    query.replaceAll('$merchant', `'${merchant.merchantId}'`),
  )
  return row ?? {}
}

describe('an imported order', () => {
  afterEach(() => expectShopToAddUp(shop.database, merchant))

  test('is here as it was, with two lines of one SKU, and stand-ins for what is here no more', async () => {
    expect(await importRows([order('10248')])).toMatchObject({
      status: 'SUCCEEDED',
      rows: 1,
      imported: 1,
      refused: 0,
    })
    expect(
      await one(`SELECT o.order_number, o.status, o.subtotal::int, o.discount::int, o.tax::int, o.total::int,
        o.created_at, o.paid_at, c.email, c.has_account, a.recipient_name, a.company, a.city, a.state, a.country, p.method, p.status AS paid
        FROM ordering.order o JOIN crm.customer c ON c.id = o.customer_id
        JOIN ordering.order_address a ON a.id = o.shipping_address_id JOIN payment.payment p ON p.order_id = o.id
        WHERE o.merchant_id = $merchant`),
    ).toEqual({
      order_number: '10248',
      status: 'SHIPPED',
      subtotal: 3055,
      discount: 255,
      tax: 77,
      total: 3377,
      created_at: new Date('1996-07-04T10:00:00Z'),
      paid_at: new Date('1996-07-05T10:00:00Z'),
      email: 'Ann@example.com',
      has_account: false,
      recipient_name: 'Bo',
      company: 'Bo & Co',
      city: 'Reims',
      state: '',
      country: 'FR',
      method: 'EXTERNAL',
      paid: 'PARTIALLY_REFUNDED',
    })
    expect(
      await one(
        `SELECT count(*)::int AS products, min(status) AS status FROM catalog.product WHERE merchant_id = $merchant`,
      ),
    ).toEqual({ products: 2, status: 'ARCHIVED' })
    expect(
      await one(
        `SELECT array_agg(type ORDER BY created_at, id) AS types FROM ordering.history_entry WHERE merchant_id = $merchant`,
      ),
    ).toEqual({
      types: ['PLACED', 'PAYMENT_SUCCEEDED', 'SHIPMENT_SHIPPED', 'REFUND_SUCCEEDED', 'STATUS_CHANGED'],
    })
  })

  test('is in the reports at its own date, to the cent, before and after the roll-ups', async () => {
    await importRows([
      order('1'),
      order('2', { placedAt: '1970-01-01T00:00:00Z', paidAt: '1970-01-02T00:00:00Z', refunds: [] }),
    ])
    const report = async () => {
      const rows = await shop.database<{ metric: string; year: number; value: string }[]>`
        SELECT metric, extract(year FROM start_time AT TIME ZONE 'UTC')::int AS year, value::text
        FROM analytics.report_of(${merchant.merchantId}, '{ORDERS,GROSS_SALES,DISCOUNTS,TAX,SHIPPING,TOTAL_SALES,REFUNDED}',
          '1996-01-01', '1996-12-31', NULL, 'UTC', NULL, 10, NULL, false)`
      return Object.fromEntries(rows.map(({ metric, value }) => [metric, Number(value)]))
    }
    const expected = {
      ORDERS: 1,
      GROSS_SALES: 3055,
      DISCOUNTS: 255,
      TAX: 77,
      SHIPPING: 500,
      TOTAL_SALES: 3377,
      REFUNDED: 300,
    }
    expect(await report()).toEqual(expected)
    await sumUpEveryQuarter(shop.database)
    expect(await report()).toEqual(expected)
    const [old] = await shop.database<{ value: string }[]>`
      SELECT value::text FROM analytics.report_of(${merchant.merchantId}, '{TOTAL_SALES}', '1970-01-01', '1970-12-31', NULL, 'UTC', NULL, 10, NULL, false)`
    expect(old?.value).toBe('3377')
  })

  test('touches no stock, mails nobody, gives no points, and the shop still adds up', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    await shop.database`UPDATE crm.loyalty_program SET enabled = true WHERE merchant_id = ${merchant.merchantId}`
    const lines = [{ sku: product.sku, name: 'Here', quantity: 3, price: 100 }]
    await importRows([order('1', { lines, discount: null, total: 877 })])
    expect(await one(`SELECT product_id FROM ordering.order_item WHERE merchant_id = $merchant`)).toEqual({
      product_id: product.id,
    })
    expect(
      await one(`SELECT (SELECT sum(available)::int FROM inventory.stock_level WHERE merchant_id = $merchant) AS available,
        (SELECT count(*)::int FROM email.delivery WHERE merchant_id = $merchant) AS mails,
        (SELECT count(*)::int FROM crm.loyalty_entry WHERE merchant_id = $merchant) AS points,
        (SELECT count(*)::int FROM inventory.reservation WHERE merchant_id = $merchant) AS reservations`),
    ).toEqual({ available: 5, mails: 0, points: 0, reservations: 0 })
    const [total] = await shop.database`
      SELECT total_spent::int, order_count, last_order_date FROM crm.customer_total t
      JOIN crm.customer c ON c.merchant_id = t.merchant_id AND c.id = t.customer_id
      WHERE t.merchant_id = ${merchant.merchantId} AND c.email = 'ann@example.com'`
    expect(total).toEqual({
      total_spent: 577,
      order_count: 1,
      last_order_date: new Date('1996-07-04T10:00:00Z'),
    })
  })

  test('without a customer gets the stand-in, and one of a customer who is here is theirs', async () => {
    await importRows([
      {
        type: 'customer',
        externalId: 'C1',
        email: 'ann@example.com',
        name: 'Ann',
        addresses: [{ line1: '1', city: 'B', country: 'DE' }],
      },
      order('1'),
      order('2', { customer: null }),
      order('3', { customer: { externalId: 'C1' } }),
    ])
    const rows = await shop.database`
      SELECT o.order_number, c.email, c.has_account FROM ordering.order o
      JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
      WHERE o.merchant_id = ${merchant.merchantId} ORDER BY 1`
    expect([...rows]).toEqual([
      { order_number: '1', email: 'ann@example.com', has_account: true },
      { order_number: '2', email: 'unknown@imported.invalid', has_account: false },
      { order_number: '3', email: 'ann@example.com', has_account: true },
    ])
  })

  test('leaves the numbers of new orders free', async () => {
    await importRows([order('ORD-00004711')])
    const [number] = await shop.database<
      { next: string }[]
    >`SELECT ordering.order_number(1 + ordering.take_order_numbers(${merchant.merchantId}, 1)) AS next`
    expect(number?.next).toBe('ORD-00004712')
  })

  test('can be shipped here, though it holds no stock', async () => {
    await importRows([order('1', { shipments: null, refunds: null })])
    const { id } = await one(`SELECT id FROM ordering.order WHERE merchant_id = $merchant`)
    expect(await shop.call(merchant, 'fulfillOrder', { id, input: {} })).toMatchObject({ kind: 'done' })
    expect(await one(`SELECT status FROM ordering.order WHERE merchant_id = $merchant`)).toEqual({
      status: 'SHIPPED',
    })
  })
})

describe('an import', () => {
  test('tells the faults of rows by line and field, and writes the others', async () => {
    const { faults, ...job } = await importRows([
      order('1'),
      order('2', { total: 1, placedat: 'x' }),
      order('3', { total: 1 }),
      { type: 'product', sku: 'A', name: 'A', currency: 'dollars' },
      { type: 'unicorn' },
      order('1'),
    ])
    expect(job).toMatchObject({ status: 'SUCCEEDED', rows: 6, written: 6, imported: 1, refused: 5 })
    expect(faults).toEqual([
      { line: 2, record_type: 'ORDER', key: '2', field: 'placedat', code: 'INVALID_VALUE' },
      { line: 3, record_type: 'ORDER', key: '3', field: 'total', code: 'INVALID_VALUE' },
      { line: 4, record_type: 'PRODUCT', key: 'A', field: 'currency', code: 'INVALID_FORMAT' },
      { line: 4, record_type: 'PRODUCT', key: 'A', field: 'price', code: 'REQUIRED_FIELD' },
      { line: 5, record_type: null, key: null, field: 'type', code: 'INVALID_VALUE' },
      { line: 6, record_type: 'ORDER', key: '1', field: 'orderNumber', code: 'ALREADY_EXISTS' },
    ])
  })

  test('of the same file again changes nothing, and refuses an order that differs', async () => {
    const rows = [
      {
        type: 'product',
        sku: 'TEE',
        name: 'Tee',
        price: 1900,
        currency: 'USD',
        stock: 3,
        categories: ['Clothing > Tees'],
        images: ['https://x.example/1.png'],
      },
      { type: 'customer', email: 'bo@example.com', name: 'Bo' },
      { type: 'review', externalId: 'r1', sku: 'TEE', authorName: 'Bo', rating: 5 },
      { type: 'category', path: 'Clothing > Hats', description: 'Hats' },
      {
        type: 'promotion',
        name: 'Ten',
        code: 'TEN',
        discountType: 'PERCENTAGE',
        discountValue: 10,
        startDate: '2020-01-01T00:00:00Z',
        endDate: '2030-01-01T00:00:00Z',
      },
      order('1'),
    ]
    expect(await importRows(rows)).toMatchObject({ imported: 6, unchanged: 0, refused: 0, faults: [] })
    expect(await importRows(rows)).toMatchObject({ imported: 0, unchanged: 6, refused: 0 })
    expect(await importRows([order('1', { notes: 'other' })])).toMatchObject({
      refused: 1,
      faults: [{ field: 'orderNumber', code: 'INVALID_VALUE' }],
    })
  })

  test('that is a dry run writes nothing, and says what the import says', async () => {
    const taken = await shop.createProduct(merchant, { stock: [1] })
    const rows = [
      {
        type: 'product',
        sku: 'NEW',
        name: 'New',
        price: 1,
        currency: 'USD',
        variants: [{ sku: taken.sku, options: { Size: 'M' } }],
      },
      { type: 'product', sku: 'OTHER', name: 'Other', price: 1, currency: 'USD', stock: { NOWHERE: 5 } },
      { type: 'product', sku: 'GOOD', name: 'Good', price: 1, currency: 'USD' },
      { type: 'review', externalId: 'r1', sku: 'GOOD', authorName: 'Bo', rating: 5 },
      { type: 'review', externalId: 'r2', sku: 'NEW', authorName: 'Bo', rating: 5 },
    ]
    const dry = await importRows(rows, { dryRun: true })
    expect(
      await one(`SELECT count(*)::int AS products FROM catalog.product WHERE merchant_id = $merchant`),
    ).toEqual({ products: 1 })
    const { faults, imported, refused } = await importRows(rows)
    expect(dry).toMatchObject({ status: 'SUCCEEDED', rows: 5, written: 0, imported, refused, faults })
    expect({ imported, refused }).toEqual({ imported: 2, refused: 3 })
    expect(faults.map(({ line, field, code }) => [line, field, code])).toEqual([
      [1, 'variants.0.sku', 'ALREADY_EXISTS'],
      [2, 'stock.0.warehouse', 'NOT_FOUND'],
      [5, 'sku', 'NOT_FOUND'],
    ])
  })

  test('with STOP writes nothing when the check refuses a row', async () => {
    expect(await importRows([order('1'), order('2', { total: 1 })], { onRefused: 'STOP' })).toMatchObject({
      status: 'FAILED',
      rows: 2,
      refused: 1,
      written: 0,
    })
    expect(
      await one(`SELECT count(*)::int AS orders FROM ordering.order WHERE merchant_id = $merchant`),
    ).toEqual({ orders: 0 })
  })

  test('goes on after the last batch when its worker died, and doubles nothing', async () => {
    const id = await create(Array.from({ length: 1200 }, (_, index) => order(`${index}`)))
    for (let times = 0; times < 4; times += 1) await runOneBatch(id)
    await run()
    expect(await outcomeOf(id)).toMatchObject({
      status: 'SUCCEEDED',
      rows: 1200,
      checked: 1200,
      written: 1200,
      imported: 1200,
      unchanged: 0,
    })
    expect(
      await one(`SELECT count(*)::int AS orders FROM ordering.order WHERE merchant_id = $merchant`),
    ).toEqual({ orders: 1200 })
  }, 60_000)

  async function runOneBatch(id: string): Promise<void> {
    // A signal that aborts as soon as it is looked at after a batch: as a process that stops.
    let looked = 0
    const signal = {
      get aborted() {
        looked += 1
        return looked > 1
      },
    } as AbortSignal
    await runImports({ database: shop.database, files: shop.files, logger: silent, signal })
    expect((await outcomeOf(id)).status).toMatch(/CHECKING|WRITING|SUCCEEDED/)
  }

  test('divides a batch that takes longer than a statement may, and writes every row once', async () => {
    const rows = Array.from({ length: 8 }, (_, index) => ({
      type: 'customer',
      email: `slow-${index}@example.com`,
      name: 'Slow',
    }))
    const id = await create(rows)
    await shop.database`
      CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END'`
    await shop.database`
      CREATE TRIGGER slow BEFORE INSERT ON crm.customer FOR EACH ROW WHEN (NEW.name = 'Slow') EXECUTE FUNCTION public.slow()`
    const database = postgres(shop.databaseUrl, { max: 1, connection: { statement_timeout: 1000 } })
    try {
      await runImports({ database, files: shop.files, logger: silent })
    } finally {
      await database.end()
      await shop.database`DROP FUNCTION public.slow CASCADE`
    }
    expect(await outcomeOf(id)).toMatchObject({ status: 'SUCCEEDED', checked: 8, imported: 8, refused: 0 })
    expect(
      await one(
        `SELECT count(*)::int AS customers FROM crm.customer WHERE merchant_id = $merchant AND name = 'Slow'`,
      ),
    ).toEqual({ customers: 8 })
  }, 60_000)

  const productNamed = (sku: string, name: string) => ({
    type: 'product',
    sku,
    name,
    price: 100,
    currency: 'USD',
    categories: ['Side > By side'],
  })

  test('tries two batches of products at once, and writes each alone', async () => {
    const id = await create(
      Array.from({ length: 1000 }, (_, index) =>
        productNamed(`BESIDE-${index}`, index % 500 === 0 ? 'Meets another' : 'Alone'),
      ),
    )
    // A sequence shows itself to all transactions: the first row waits until one of another transaction is here.
    await shop.database`CREATE SEQUENCE public.met`
    await shop.database`
      CREATE FUNCTION public.meet() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $meet$
      BEGIN
        PERFORM nextval('public.met');
        FOR turn IN 1..500 LOOP
          EXIT WHEN (SELECT last_value FROM public.met) >= 2;
          PERFORM pg_sleep(0.02);
        END LOOP;
        IF (SELECT last_value FROM public.met) < 2 THEN RAISE EXCEPTION 'no other batch is tried'; END IF;
        RETURN NEW;
      END $meet$`
    await shop.database`
      CREATE TRIGGER meet BEFORE INSERT ON catalog.product FOR EACH ROW WHEN (NEW.name = 'Meets another')
      EXECUTE FUNCTION public.meet()`
    try {
      await run()
    } finally {
      await shop.database`DROP FUNCTION public.meet CASCADE`
      await shop.database`DROP SEQUENCE public.met`
    }
    expect(await outcomeOf(id)).toMatchObject({
      status: 'SUCCEEDED',
      checked: 1000,
      imported: 1000,
      refused: 0,
    })
  }, 60_000)

  test('looks no row up in an inverted index, though Postgres takes the tables for empty', async () => {
    const tables = [
      'catalog.product',
      'catalog.product_variant',
      'inventory.stock_item',
      'inventory.stock_level',
    ]
    const products = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...productNamed(`FLAT-${from + index}`, `Flat ${from + index}`),
        variants: ['S', 'M'].map((value) => ({
          sku: `FLAT-${from + index}-${value}`,
          options: [{ name: 'Size', value }],
          stock: [{ available: 3 }],
        })),
      }))
    const checkRows = (from: number) => importRows(products(from, 500), { dryRun: true })
    const inverted = async () => {
      await shop.database`SELECT pg_stat_force_next_flush()`
      return shop.database<{ index: string; scans: number }[]>`
        SELECT s.indexrelid::regclass::text AS index, s.idx_scan::integer AS scans
        FROM pg_stat_user_indexes s JOIN pg_class c ON c.oid = s.indexrelid JOIN pg_am a ON a.oid = c.relam
        WHERE a.amname = 'gin' AND s.relid = ANY (${tables}::regclass[]::oid[]) ORDER BY 1`
    }
    await importRows(products(0, 30))
    await checkRows(1000)
    // As autovacuum does while a long import is checked: few rows remain, in indexes of many pages.
    for (const table of tables) await shop.database.unsafe(`VACUUM (TRUNCATE off) ${table}`)
    const before = await inverted()
    expect(await checkRows(2000)).toMatchObject({ status: 'SUCCEEDED', checked: 500, refused: 0 })
    expect(await inverted()).toEqual(before)
    expect(before.length).toBeGreaterThan(1)
  }, 60_000)

  test('finds a key that an earlier row has, in the batch before and in one further back', async () => {
    const rows = Array.from({ length: 1600 }, (_, index) => productNamed(`FAR-${index}`, 'Far'))
    rows[700] = productNamed('FAR-400', 'Far')
    rows[1400] = productNamed('FAR-10', 'Far')
    const outcome = await importRows(rows)
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', checked: 1600, imported: 1598, refused: 2 })
    expect(outcome.faults).toMatchObject([
      { line: 701, key: 'FAR-400', field: 'sku' },
      { line: 1401, key: 'FAR-10', field: 'sku' },
    ])
  }, 60_000)

  test('goes on some seconds after an error, not only when a lease has ended', async () => {
    const id = await create([{ type: 'customer', email: 'later@example.com', name: 'Later' }])
    await shop.database`
      CREATE FUNCTION public.broken() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''XX000'', MESSAGE = ''broken''; END'`
    await shop.database`
      CREATE TRIGGER broken BEFORE INSERT ON crm.customer FOR EACH ROW EXECUTE FUNCTION public.broken()`
    await expect(run()).rejects.toThrow('broken')
    await shop.database`DROP FUNCTION public.broken CASCADE`
    expect(
      await one(
        `SELECT claimed_until - now() BETWEEN interval '5 s' AND interval '10 s' AS soon FROM bulk.import
         WHERE merchant_id = $merchant AND id = '${id}'`,
      ),
    ).toEqual({ soon: true })
  })

  test('reads CSV with nested columns, and updates records when it is asked to', async () => {
    const csv = (price: number) =>
      `sku,name,price,currency,status,categories,tags,variants.0.sku,variants.0.options.Size,variants.0.stock,variants.1.sku,variants.1.options.Size\n` +
      `TEE-1,"Plain, tee",${price},USD,ACTIVE,Clothing > Tees|Sale,cotton|basic,TEE-1-M,M,12,TEE-1-L,L\n`
    expect(await importRows(csv(1900), { recordType: 'PRODUCT' })).toMatchObject({ imported: 1, faults: [] })
    expect(await importRows(csv(2100), { recordType: 'PRODUCT' })).toMatchObject({ unchanged: 1 })
    expect(await importRows(csv(2100), { recordType: 'PRODUCT', onExisting: 'UPDATE' })).toMatchObject({
      imported: 1,
    })
    expect(
      await one(`SELECT p.name, p.price::int, p.variant_skus, p.tags,
        (SELECT sum(l.available)::int FROM inventory.stock_level l WHERE l.merchant_id = p.merchant_id) AS stock,
        (SELECT count(*)::int FROM catalog.category c WHERE c.merchant_id = p.merchant_id) AS categories,
        (SELECT count(category_id)::int FROM search.document c WHERE c.merchant_id = p.merchant_id) AS found_categories,
        p.lowest_price::int AS lowest, d.lowest_price::int AS found_lowest, d.in_stock, cardinality(d.facet_keys) AS facets,
        d.words @@ to_tsquery('simple', 'tee & m') AS found
        FROM catalog.product p JOIN search.document d ON d.merchant_id = p.merchant_id AND d.product_id = p.id
        WHERE p.merchant_id = $merchant`),
    ).toEqual({
      lowest: 2100,
      found_lowest: 2100,
      in_stock: true,
      // Two tags, three categories and two values of an option.
      facets: 7,
      found: true,
      name: 'Plain, tee',
      price: 2100,
      variant_skus: 'TEE-1-M\nTEE-1-L',
      tags: ['cotton', 'basic'],
      stock: 12,
      categories: 3,
      found_categories: 3,
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('reads what an export has kept from being a formula', async () => {
    const csv = `email,name,phone,notes\r\nann@example.com,Ann,'+49 30 1234567,'- light and warm\r\n`
    expect(await importRows(csv, { recordType: 'CUSTOMER' })).toMatchObject({ imported: 1, faults: [] })
    expect(
      await one(
        "SELECT phone, notes FROM crm.customer WHERE merchant_id = $merchant AND email = 'ann@example.com'",
      ),
    ).toEqual({ phone: '+49 30 1234567', notes: '- light and warm' })
  })

  test('of a file that is not UTF-8 writes nothing, and says so', async () => {
    const csv = Buffer.from('email,name\nann@example.com,Ann\nj@example.com,Jürgen\n', 'latin1')
    expect(await importRows(csv, { recordType: 'CUSTOMER' })).toMatchObject({
      status: 'FAILED',
      imported: 0,
      failure: 'The file is not UTF-8: save it as UTF-8, in a spreadsheet as "CSV UTF-8"',
    })
  })

  test.each([
    [
      'a column of a million dots',
      `${'.'.repeat(900_000)}\nx`,
      /^The column "\.{100}" of the header has more than 20 names$/,
    ],
    [
      '100,000 columns',
      `${Array.from({ length: 100_000 }, (_, n) => n.toString(36)).join(',')}\n1`,
      'The header has more than 10000 columns',
    ],
    ['a column twice', 'type,sku, sku\nproduct,a,b', 'The header has the column "sku" twice'],
  ])('with a header of %s ends, and says so', async (_, file, failure) => {
    expect(await importRows(file)).toMatchObject({
      status: 'FAILED',
      failure: typeof failure === 'string' ? failure : (expect.stringMatching(failure) as string),
    })
  })

  test('that ends its worker again and again is given up, and a batch that is dealt with counts anew', async () => {
    const id = await create([order('1'), order('2')])
    const claim = async (): Promise<void> => {
      await shop.database`SELECT FROM bulk.claim_import(interval '-1 second')`
    }
    for (let death = 0; death < 10; death += 1) await claim()
    await run()
    expect(await outcomeOf(id)).toMatchObject({
      status: 'FAILED',
      failure: 'It was tried 10 times to go on after row 0, without success',
    })
    const next = await create([order('3')])
    for (let death = 0; death < 9; death += 1) await claim()
    await run()
    expect(await outcomeOf(next)).toMatchObject({ status: 'SUCCEEDED', imported: 1 })
    expect(await shop.database`SELECT attempts FROM bulk.import WHERE id = ${next}`).toEqual([
      { attempts: 0 },
    ])
  })

  test('that is long gives way after its turn, and goes on where it was', async () => {
    const long = await create(Array.from({ length: 1_200 }, (_, n) => order(`LONG-${n}`)))
    const ofLong = merchant
    merchant = await shop.createMerchant()
    const short = await create([order('1')])
    const ofShort = merchant
    const states: string[] = []
    const stateOf = async (id: string, of: TestMerchant) => {
      merchant = of
      return (await outcomeOf(id)).status
    }
    do {
      await runImports({ database: shop.database, files: shop.files, logger: silent, turn: 0 })
      states.push(`${await stateOf(long, ofLong)} ${await stateOf(short, ofShort)}`)
    } while (states.length < 50 && !states.at(-1)?.startsWith('SUCCEEDED SUCCEEDED'))
    expect(states).toContain('CHECKING SUCCEEDED')
    expect(states).toContain('WRITING SUCCEEDED')
    merchant = ofLong
    expect(await outcomeOf(long)).toMatchObject({ status: 'SUCCEEDED', imported: 1_200, refused: 0 })
  }, 60_000)

  test('that is cancelled ends, and its file is gone', async () => {
    const id = await create([order('1')])
    expect(await shop.call(merchant, 'cancelImport', { id })).toMatchObject({ kind: 'done' })
    await run()
    expect(await outcomeOf(id)).toMatchObject({ status: 'CANCELLED', written: 0 })
    expect(await shop.files.head(fileOfImport(merchant.merchantId, id))).toBeNull()
    expect(await shop.call(merchant, 'startImport', { id })).toMatchObject({
      kind: 'invalid',
      errors: [{ field: 'id' }],
    })
  })

  test('whose file is not here does not start', async () => {
    const answer = await shop.call(merchant, 'createImport', { input: { format: 'CSV', fileSize: 10 } })
    const { importId: id } = (answer as unknown as { data: { importId: string } }).data
    expect(await shop.call(merchant, 'startImport', { id })).toMatchObject({
      kind: 'invalid',
      errors: [{ field: 'id' }],
    })
  })
})

describe('a row of a category', () => {
  const categories = () => shop.database`
    SELECT c.name, p.name AS parent, c.external_id, c.slug, c.description
    FROM catalog.category c LEFT JOIN catalog.category p ON p.merchant_id = c.merchant_id AND p.id = c.parent_id
    WHERE c.merchant_id = ${merchant.merchantId} ORDER BY c.level, c.name, c.created_at`

  /** As a merchant makes them in the admin. */
  async function makeHats(): Promise<void> {
    await shop.database`
      WITH root AS (
        INSERT INTO catalog.category (merchant_id, name) VALUES (${merchant.merchantId}, 'Clothing') RETURNING id
      )
      INSERT INTO catalog.category (merchant_id, parent_id, name, slug, description)
      SELECT ${merchant.merchantId}, id, 'Hats', 'my-hats', 'Ours' FROM root`
  }

  test('leaves a category as it is that was made here, unless records are updated', async () => {
    await makeHats()
    const rows = [{ type: 'category', path: 'Clothing > Hats', slug: 'hats', description: 'Theirs' }]
    const clothing = {
      name: 'Clothing',
      parent: null,
      external_id: null,
      slug: 'clothing',
      description: null,
    }
    const hats = { name: 'Hats', parent: 'Clothing', external_id: null, slug: 'my-hats', description: 'Ours' }
    expect(await importRows(rows)).toMatchObject({ imported: 0, unchanged: 1, refused: 0 })
    expect(await categories()).toEqual([clothing, hats])
    expect(await importRows(rows, { onExisting: 'UPDATE' })).toMatchObject({ imported: 1, unchanged: 0 })
    expect(await categories()).toEqual([clothing, { ...hats, slug: 'hats', description: 'Theirs' }])
  })

  test('fills a category that a path of the same file has made, once', async () => {
    const product = { type: 'product', sku: 'TEE', name: 'Tee', price: 1, currency: 'USD' }
    expect(
      await importRows([
        { ...product, categories: ['Clothing > Tees'] },
        { type: 'category', path: 'Clothing > Tees > Long', description: 'Long' },
        { type: 'category', externalId: 'c1', path: 'Clothing', description: 'All' },
        { type: 'category', path: 'Clothing > Tees', description: 'Tees' },
        { type: 'category', externalId: 'c2', path: 'Clothing > Tees', description: 'Again' },
      ]),
    ).toMatchObject({ imported: 4, unchanged: 1, refused: 0, faults: [] })
    expect(await categories()).toMatchObject([
      { name: 'Clothing', external_id: 'c1', description: 'All' },
      { name: 'Tees', external_id: null, description: 'Tees' },
      { name: 'Long', description: 'Long' },
    ])
  })

  test('moves the category of its external id to its path, with what is below it', async () => {
    const row = { type: 'category', externalId: 'c1', path: 'Clothing > Hats', slug: 'hats' }
    await importRows([row, { type: 'category', path: 'Clothing > Hats > Caps' }])
    const moved = { ...row, path: 'Men > Headwear' }
    expect(await importRows([moved])).toMatchObject({ imported: 0, unchanged: 1 })
    expect(await importRows([moved], { onExisting: 'UPDATE' })).toMatchObject({ imported: 1, faults: [] })
    expect(await categories()).toMatchObject([
      { name: 'Clothing' },
      { name: 'Men' },
      { name: 'Headwear', parent: 'Men', external_id: 'c1', slug: 'hats' },
      { name: 'Caps', parent: 'Headwear' },
    ])
  })

  test('is refused where it would move a category to the path of another or below itself', async () => {
    const row = { type: 'category', externalId: 'c1', path: 'Clothing > Hats' }
    await importRows([row, { type: 'category', path: 'Clothing > Caps' }])
    const before = await categories()
    const update = { onExisting: 'UPDATE' }
    expect(await importRows([{ ...row, path: 'Clothing > Caps' }], update)).toMatchObject({
      imported: 0,
      faults: [{ key: 'c1', field: 'path', code: 'ALREADY_EXISTS' }],
    })
    expect(await importRows([{ ...row, path: 'Clothing > Hats > New' }], update)).toMatchObject({
      imported: 0,
      faults: [{ key: 'c1', code: 'INVALID_VALUE' }],
    })
    expect(await categories()).toEqual(before)
  })
})

describe('two rows that lead to one record', () => {
  const update = { onExisting: 'UPDATE' }
  const product = (externalId: string, sku: string) => ({
    type: 'product',
    externalId,
    sku,
    name: `${externalId} of ${sku}`,
    price: 1,
    currency: 'USD',
    images: [`https://x.example/${externalId}.png`],
  })
  const customer = (externalId: string, email: string) => ({
    type: 'customer',
    externalId,
    email,
    name: `${externalId} of ${email}`,
  })
  const products = () => shop.database`
    SELECT p.external_id, p.sku, p.name, i.url
    FROM catalog.product p
    LEFT JOIN catalog.product_image i ON i.merchant_id = p.merchant_id AND i.product_id = p.id
    WHERE p.merchant_id = ${merchant.merchantId} ORDER BY p.sku`
  const customers = () => shop.database`
    SELECT external_id, email, name FROM crm.customer
    WHERE merchant_id = ${merchant.merchantId} AND external_id IS NOT NULL ORDER BY email`
  const others = (count: number) => Array.from({ length: count }, (_, n) => product(`o${n}`, `O${n}`))

  test.each([
    ['after it', (rows: readonly object[]) => rows],
    ['before it', (rows: readonly object[]) => rows.toReversed()],
  ])(
    'of products: the one with its external id is written, the one with its former SKU, %s, is refused',
    async (_, ordered) => {
      await importRows([product('e1', 'S1')])
      const rows = ordered([product('e1', 'S2'), product('e2', 'S1')])
      expect(await importRows(rows, update)).toMatchObject({
        imported: 1,
        refused: 1,
        faults: [{ key: 'e2', field: 'sku', code: 'INVALID_VALUE' }],
      })
      const first = {
        external_id: 'e1',
        sku: 'S2',
        name: 'e1 of S2',
        url: 'https://x.example/e1.png',
      }
      expect(await products()).toEqual([first])
      expect(await importRows(rows, update)).toMatchObject({ imported: 1, unchanged: 1, refused: 0 })
      expect(await products()).toEqual([
        { external_id: 'e2', sku: 'S1', name: 'e2 of S1', url: 'https://x.example/e2.png' },
        first,
      ])
    },
  )

  test('of products that are far from each other: the record of the other row is left alone', async () => {
    await importRows([product('e1', 'S1')])
    const rows = [product('e2', 'S1'), ...others(600), product('e1', 'S2')]
    expect(await importRows(rows, update)).toMatchObject({
      imported: 601,
      faults: [{ key: 'e2', field: 'sku', code: 'INVALID_VALUE' }],
    })
    expect(await products()).toContainEqual(expect.objectContaining({ external_id: 'e1', sku: 'S2' }))
    expect(await importRows([product('e2', 'S1')], update)).toMatchObject({ imported: 1, refused: 0 })
  }, 60_000)

  test('of products that are far from each other are both written, if the first frees the SKU', async () => {
    await importRows([product('e1', 'S1')])
    const rows = [product('e1', 'S2'), ...others(600), product('e2', 'S1')]
    expect(await importRows(rows, update)).toMatchObject({ imported: 602, refused: 0, faults: [] })
  }, 60_000)

  test('of customers: the one with its external id is written, the one with its former address is refused', async () => {
    await importRows([customer('e1', 'old@example.com')])
    const rows = [customer('e2', 'old@example.com'), customer('e1', 'new@example.com')]
    expect(await importRows(rows, update)).toMatchObject({
      imported: 1,
      refused: 1,
      faults: [{ key: 'e2', field: 'email', code: 'INVALID_VALUE' }],
    })
    const first = { external_id: 'e1', email: 'new@example.com', name: 'e1 of new@example.com' }
    expect(await customers()).toEqual([first])
    expect(await importRows(rows, update)).toMatchObject({ imported: 1, unchanged: 1, refused: 0 })
    expect(await customers()).toEqual([
      first,
      { external_id: 'e2', email: 'old@example.com', name: 'e2 of old@example.com' },
    ])
  })

  test('of customers that are far from each other: the record of the other row is left alone', async () => {
    await importRows([customer('e1', 'old@example.com')])
    const between = Array.from({ length: 600 }, (_, n) => customer(`o${n}`, `o${n}@example.com`))
    const rows = [customer('e2', 'old@example.com'), ...between, customer('e1', 'new@example.com')]
    expect(await importRows(rows, update)).toMatchObject({
      imported: 601,
      faults: [{ key: 'e2', field: 'email', code: 'INVALID_VALUE' }],
    })
    expect(await customers()).toContainEqual(
      expect.objectContaining({ external_id: 'e1', email: 'new@example.com' }),
    )
  }, 60_000)
})
