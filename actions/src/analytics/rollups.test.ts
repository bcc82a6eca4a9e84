import postgres from '@commerce-graph/postgres-driver'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Queryable } from '../database.ts'
import { beginHistory, happen, type SalesEvent, type SalesHistory } from '../testing/sales-history.ts'
import { overlap } from '../testing/overlap.ts'
import { sumUpEveryQuarter } from '../testing/sum-up-every-quarter.ts'
import { openTestShop, type TestShop } from '../testing/test-shop.ts'
import { refreshRollups } from './rollups.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

/** In Berlin, the clocks go back in the night of the fifth of these days. */
const shopZone = 'Europe/Berlin'
const start = new Date('2020-10-21T00:00:00Z')
const minutesOfEvents = 12 * 24 * 60
const firstDay = '2020-10-20'
const lastDay = '2020-11-04'

const rolledUpMetrics = [
  'ORDERS_PLACED',
  'ORDERS_CANCELLED',
  'ORDERS',
  'UNITS',
  'GROSS_SALES',
  'DISCOUNTS',
  'REVENUE',
  'SHIPPING',
  'TAX',
  'TOTAL_SALES',
  'AVERAGE_ORDER_VALUE',
  'REFUNDS',
  'REFUNDED',
  'CUSTOMERS',
  'NEW_CUSTOMERS',
  'RETURNING_CUSTOMERS',
  'STOCK_RECEIVED',
  'STOCK_REMOVED',
] as const
type Metric = (typeof rolledUpMetrics)[number]

/** By interval, metric and currency; zeros are omitted. */
type Report = Readonly<Record<string, number>>

/** The report's figures. One query has ten metrics at most, so this sends several. */
async function reported(
  sql: Queryable,
  { merchant }: SalesHistory,
  interval: string | null,
): Promise<Report> {
  const parts = [rolledUpMetrics.slice(0, 8), rolledUpMetrics.slice(8, 16), rolledUpMetrics.slice(16)]
  const found: Record<string, number> = {}
  for (const metrics of parts) {
    const rows = await sql<{ day: string; metric: string; currency: string | null; value: string | null }[]>`
      SELECT to_char(r.start_time AT TIME ZONE ${shopZone}, 'YYYY-MM-DD') AS day, r.metric, r.currency, r.value
      FROM analytics.report_of(
        ${merchant.merchantId}, ${metrics}, ${firstDay}, ${lastDay}, ${interval}, ${shopZone}, NULL, 10, NULL, false
      ) r`
    for (const { day, metric, currency, value } of rows)
      if (Number(value) !== 0) found[[day, metric, currency ?? ''].join(' ')] = Number(value)
  }
  return found
}

interface RawOrder {
  readonly id: string
  readonly customer: string
  readonly currency: string
  readonly placed: Date
  readonly paid: Date | null
  readonly cancelled: Date | null
  readonly gross: number
  readonly discount: number
  readonly shipping: number
  readonly tax: number
  readonly units: number
}

const dayOf = (at: Date) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: shopZone, dateStyle: 'short' }).format(at)

/** The same figures, calculated from the rows by a simple program. */
async function recomputed(
  sql: Queryable,
  { merchant }: SalesHistory,
  intervalOf: (day: string) => string,
): Promise<Report> {
  const orders = await sql<RawOrder[]>`
    SELECT o.id, o.customer_id AS customer, o.currency, o.created_at AS placed, o.paid_at AS paid, o.cancelled_at AS cancelled,
      sum(i.subtotal)::float AS gross, sum(i.discount)::float AS discount, (o.shipping - o.shipping_discount)::float AS shipping,
      o.tax::float AS tax, sum(i.quantity)::float AS units
    FROM ordering.order o JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
    WHERE o.merchant_id = ${merchant.merchantId}
    GROUP BY o.merchant_id, o.id`
  const refunds = await sql<{ currency: string; at: Date; amount: number }[]>`
    SELECT p.currency, r.succeeded_at AS at, r.amount::float AS amount
    FROM payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
    JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    WHERE r.merchant_id = ${merchant.merchantId} AND r.status = 'SUCCEEDED' AND o.paid_at IS NOT NULL AND NOT r.before_paid`
  const movements = await sql<{ at: Date; delta: number }[]>`
    SELECT created_at AS at, on_hand_delta AS delta FROM inventory.stock_movement
    WHERE merchant_id = ${merchant.merchantId} AND reason = 'Counted'`
  const sums: Record<string, number> = {}
  const add = (at: Date, metric: Metric, currency: string, value: number) => {
    const key = [intervalOf(dayOf(at)), metric, currency].join(' ')
    sums[key] = (sums[key] ?? 0) + value
  }
  const totals = new Map<string, { total: number; orders: number }>()
  const buyers = new Map<string, Set<string>>()
  for (const order of orders) {
    add(order.placed, 'ORDERS_PLACED', '', 1)
    if (order.cancelled) add(order.cancelled, 'ORDERS_CANCELLED', '', 1)
    if (!order.paid) continue
    const { paid, currency, gross, discount, shipping, tax } = order
    const total = gross - discount + shipping + tax
    add(paid, 'ORDERS', '', 1)
    add(paid, 'UNITS', '', order.units)
    add(paid, 'GROSS_SALES', currency, gross)
    add(paid, 'DISCOUNTS', currency, discount)
    add(paid, 'REVENUE', currency, gross - discount)
    add(paid, 'SHIPPING', currency, shipping)
    add(paid, 'TAX', currency, tax)
    add(paid, 'TOTAL_SALES', currency, total)
    const interval = intervalOf(dayOf(paid))
    const key = [interval, 'AVERAGE_ORDER_VALUE', currency].join(' ')
    const so = totals.get(key) ?? { total: 0, orders: 0 }
    totals.set(key, { total: so.total + total, orders: so.orders + 1 })
    buyers.set(interval, (buyers.get(interval) ?? new Set()).add(order.customer))
  }
  for (const [key, { total, orders: count }] of totals) sums[key] = Math.round(total / count)
  for (const { currency, at, amount } of refunds) {
    add(at, 'REFUNDS', '', 1)
    add(at, 'REFUNDED', currency, amount)
  }
  for (const { at, delta } of movements)
    add(at, delta > 0 ? 'STOCK_RECEIVED' : 'STOCK_REMOVED', '', Math.abs(delta))
  const known = new Set<string>()
  for (const [interval, customers] of [...buyers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const old = [...customers].filter((customer) => known.has(customer)).length
    sums[`${interval} CUSTOMERS `] = customers.size
    sums[`${interval} NEW_CUSTOMERS `] = customers.size - old
    sums[`${interval} RETURNING_CUSTOMERS `] = old
    for (const customer of customers) known.add(customer)
  }
  return Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== 0))
}

const intervals = [
  [null, () => firstDay],
  ['DAY', (day: string) => day],
  ['MONTH', (day: string) => (day < '2020-11' ? firstDay : '2020-11-01')],
] as const

async function expectReportsToAgree(sql: Queryable, history: SalesHistory): Promise<void> {
  for (const [interval, intervalOf] of intervals) {
    expect(await reported(sql, history, interval)).toEqual(await recomputed(sql, history, intervalOf))
  }
}

const at = fc.integer({ min: 0, max: minutesOfEvents })
const order = fc.nat({ max: 20 })
const event: fc.Arbitrary<SalesEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      at,
      currency: fc.constantFrom('USD', 'EUR'),
      customer: fc.nat({ max: 2 }),
      quantities: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      discount: fc.integer({ min: 0, max: 100 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), at, order }) },
  fc.record({ kind: fc.constant('cancel' as const), at, order }),
  fc.record({ kind: fc.constantFrom('ship', 'delete'), order }),
  fc.record({ kind: fc.constant('hand over' as const), order, customer: fc.nat({ max: 2 }) }),
  fc.record({
    kind: fc.constant('move' as const),
    at,
    product: fc.nat({ max: 2 }),
    delta: fc.integer({ min: -9, max: 9 }).filter((delta) => delta !== 0),
  }),
  fc.record({ kind: fc.constant('refund' as const), at, order, percent: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant('correct' as const), order, quantity: fc.integer({ min: 1, max: 9 }) }),
)

/**
 * How the job runs relative to the event: not at all, after it, at the same time, twice at the same time, or
 * interrupted.
 */
const job = fc.constantFrom('none', 'after', 'meanwhile', 'twice', 'cut off' as const)

class CutOff extends Error {}

async function run(
  history: SalesHistory,
  what: SalesEvent,
  how: 'none' | 'after' | 'meanwhile' | 'twice' | 'cut off',
) {
  const { database } = shop
  switch (how) {
    case 'meanwhile':
      // The job runs from its first to its last statement while the event's transaction is open.
      await database.begin(async (sql) => {
        await happen(sql, history, what)
        await refreshRollups(database)
      })
      return
    case 'cut off':
      await happen(database, history, what)
      await database
        .begin(async (sql) => {
          await sql`SELECT analytics.refresh(${history.merchant.merchantId}, 2, now())`
          throw new CutOff()
        })
        .catch((error: unknown) => {
          if (!(error instanceof CutOff)) throw error
        })
      return
    case 'twice':
      await happen(database, history, what)
      await Promise.all([refreshRollups(database), refreshRollups(database)])
      return
    case 'after':
      await happen(database, history, what)
      await refreshRollups(database)
      return
    case 'none':
      await happen(database, history, what)
  }
}

describe('a report', () => {
  test('equals the rows after any history, with the job in any state', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(event, job), { minLength: 1, maxLength: 30 }), async (steps) => {
        const history = await beginHistory(shop, start)
        for (const [index, [what, how]] of steps.entries()) {
          await run(history, what, how)
          if (index % 7 === 6) await expectReportsToAgree(shop.database, history)
        }
        await expectReportsToAgree(shop.database, history)
        await refreshRollups(shop.database)
        await expectReportsToAgree(shop.database, history)
      }),
      { numRuns: 25 },
    )
  })

  test('counts new customers right though their orders were paid, and went to others, at the same time', async () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('pay' as const), at: fc.integer({ min: 0, max: 900 }), order }),
      fc.record({ kind: fc.constant('hand over' as const), order, customer: fc.nat({ max: 1 }) }),
      fc.record({ kind: fc.constant('delete' as const), order }),
    )
    const place = { kind: 'place', currency: 'USD', quantities: [1], discount: 0 } as const
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 8 }), async (changes) => {
        const history = await beginHistory(shop, start)
        for (const at of [0, 5, 10])
          for (const customer of [0, 1]) await happen(shop.database, history, { ...place, at, customer })
        await Promise.all(
          changes.map((what) => shop.database.begin(async (sql) => happen(sql, history, what))),
        )
        await expectReportsToAgree(shop.database, history)
        expect(
          await shop.database`SELECT * FROM verification.first_purchases WHERE merchant_id = ${history.merchant.merchantId}`,
        ).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  test('looks for a first purchase, when it has gone, among those that are being paid', async () => {
    const history = await beginHistory(shop, start)
    const place = {
      kind: 'place',
      at: 0,
      currency: 'USD',
      customer: 0,
      quantities: [1],
      discount: 0,
    } as const
    for (let orders = 0; orders < 2; orders += 1) await happen(shop.database, history, place)
    await happen(shop.database, history, { kind: 'pay', at: 10, order: 0 })
    await overlap<unknown>(
      shop.database,
      async (sql) => {
        await happen(sql, history, { kind: 'pay', at: 900, order: 1 })
        await sql`SET CONSTRAINTS ALL IMMEDIATE`
      },
      async () => happen(shop.database, history, { kind: 'hand over', order: 0, customer: 1 }),
    )
    const { merchantId } = history.merchant
    expect(
      await shop.database`SELECT FROM analytics.first_purchase WHERE merchant_id = ${merchantId}`,
    ).toHaveLength(2)
    expect(
      await shop.database`SELECT * FROM verification.first_purchases WHERE merchant_id = ${merchantId}`,
    ).toEqual([])
  })

  test('comes from the roll-up after a run of the job, and another run has nothing to do', async () => {
    const history = await beginHistory(shop, start)
    await happen(shop.database, history, {
      kind: 'place',
      at: 0,
      currency: 'USD',
      customer: 0,
      quantities: [2],
      discount: 10,
    })
    await happen(shop.database, history, { kind: 'pay', at: 30, order: 0 })
    // The shop itself was filled now.
    expect(await sumUpEveryQuarter(shop.database)).toBeGreaterThan(1)
    expect(await sumUpEveryQuarter(shop.database)).toBe(0)
    const { merchantId } = history.merchant
    expect(
      await shop.database`SELECT FROM analytics.stale_bucket WHERE merchant_id = ${merchantId}`,
    ).toHaveLength(0)
    // Without triggers, this change does not reach the roll-up: so the report does not read the rows.
    await shop.database.begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`
      await sql`UPDATE ordering.order SET paid_at = NULL, status = 'PENDING' WHERE merchant_id = ${merchantId}`
    })
    expect(await reported(shop.database, history, null)).toMatchObject({ [`${firstDay} ORDERS `]: 1 })
  })

  test('counts an order of this quarter of an hour from its rows, until the quarter is over', async () => {
    const now = new Date()
    const history = await beginHistory(shop, now)
    const { merchantId } = history.merchant
    const marks = () => shop.database`
      SELECT FROM analytics.stale_bucket WHERE merchant_id = ${merchantId} AND bucket = analytics.bucket_of(${now})`
    const order = { kind: 'place', at: 0, currency: 'USD', customer: 0, discount: 0 } as const
    for (const quantity of [1, 2, 3])
      await happen(shop.database, history, { ...order, quantities: [quantity] })
    expect((await marks()).length).toBeGreaterThan(1)
    await refreshRollups(shop.database, now)
    expect(await marks()).toHaveLength(1)
    const rolledUp = () => shop.database<{ placed: string }[]>`
      SELECT sum(placed) AS placed FROM analytics.sales_rollup WHERE merchant_id = ${merchantId}`
    expect(await rolledUp()).toEqual([{ placed: null }])
    await refreshRollups(shop.database, new Date(now.getTime() + 15 * 60_000))
    expect(await marks()).toHaveLength(0)
    expect(await rolledUp()).toEqual([{ placed: '3' }])
  })

  test('sums up fewer quarters of an hour at once where many take too long', async () => {
    const quarters = 16
    const history = await beginHistory(shop, new Date(Date.now() - (quarters + 1) * 15 * 60_000))
    const { merchantId } = history.merchant
    for (let at = 0; at < quarters; at += 1)
      await happen(shop.database, history, {
        kind: 'place',
        at: at * 15,
        currency: 'USD',
        customer: 0,
        discount: 0,
        quantities: [1],
      })
    const hurried = postgres(shop.databaseUrl, { max: 1, connection: { statement_timeout: 350 } })
    await shop.database.unsafe(`
      CREATE FUNCTION public.dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.03); RETURN NEW; END';
      CREATE TRIGGER dawdle BEFORE INSERT ON analytics.sales_rollup FOR EACH ROW EXECUTE FUNCTION public.dawdle()`)
    try {
      await refreshRollups(hurried)
    } finally {
      await shop.database.unsafe('DROP FUNCTION public.dawdle() CASCADE')
      await hurried.end()
    }
    const [summed] = await shop.database<{ placed: string; quarters: number }[]>`
      SELECT sum(placed) AS placed, count(DISTINCT bucket)::integer AS quarters
      FROM analytics.sales_rollup WHERE merchant_id = ${merchantId}`
    expect(summed).toEqual({ placed: String(quarters), quarters })
    expect(
      await shop.database`SELECT FROM analytics.stale_bucket WHERE merchant_id = ${merchantId} AND bucket < analytics.bucket_of(now())`,
    ).toEqual([])
  })

  /** Row security hides from an index what could tell of other rows, and then the index yields all movements since. */
  test('is summed up by the worker from the movements of the quarter of an hour alone', async () => {
    const { merchantId } = await shop.createMerchant()
    const plans: string[] = []
    const sql = postgres(shop.databaseUrl, {
      max: 1,
      onnotice: ({ message }) => plans.push(message ?? ''),
    })
    await sql.unsafe(`LOAD 'auto_explain'`)
    await sql.begin(async (transaction) => {
      await transaction`SET LOCAL session_replication_role = replica`
      await transaction`
        INSERT INTO inventory.stock_movement
          (merchant_id, stock_item_id, warehouse_id, product_id, kind, on_hand_delta, reserved_delta, on_hand, reserved, reason, created_at)
        SELECT ${merchantId}, platform.uuid_v7(), platform.uuid_v7(), platform.uuid_v7(), 'ADJUSTMENT', 1, 0, 1, 0, 'counted',
          ${start}::timestamptz + n * interval '1 minute'
        FROM generate_series(1, 5000) n`
    })
    await sql`ANALYZE inventory.stock_movement`
    await sql.begin(async (transaction) => {
      await transaction`SELECT analytics.mark_stale(${merchantId}, ARRAY[${start}]::timestamptz[])`
      await transaction`
        SELECT set_config(name, value, TRUE)
        FROM (
          VALUES
            ('auto_explain.log_min_duration', '0'),
            ('auto_explain.log_nested_statements', 'on'),
            ('client_min_messages', 'log'),
            -- The other tests' merchants have few movements. A plan for any merchant reads all rows of one.
            ('plan_cache_mode', 'force_custom_plan'),
            ('commerce.merchant_id', ${merchantId}),
            ('role', 'commerce_worker')
        ) AS setting (name, value)`
      await transaction`SELECT analytics.refresh(${merchantId}, 10, now())`
    })
    await sql.end()
    const [plan, ...others] = plans.filter((text) => text.includes('INSERT INTO analytics.stock_rollup'))
    expect(others).toEqual([])
    expect(plan).toMatch(/Index Cond: .*created_at >= .*created_at < /)
  })

  test('has 25 hours on the day when clocks go back, and 23 on the day when they go forward', async () => {
    const { merchantId } = await shop.createMerchant()
    const hours = async (day: string, zone: string) => {
      const [row] = await shop.database<{ hours: number; length: number }[]>`
        SELECT count(*)::integer AS hours, extract(epoch FROM max(end_time) - min(start_time))::float / 3600 AS length
        FROM analytics.report_of(${merchantId}, '{ORDERS}', ${day}, ${day}, 'HOUR', ${zone}, NULL, 10, NULL, false)`
      return row
    }
    expect(await hours('2020-10-25', 'Europe/Berlin')).toEqual({ hours: 25, length: 25 })
    expect(await hours('2020-03-29', 'Europe/Berlin')).toEqual({ hours: 23, length: 23 })
    expect(await hours('2020-10-24', 'Asia/Kathmandu')).toEqual({ hours: 24, length: 24 })
    // There, clocks go from 1:00 to 0:00: the day has two midnights and begins with the first one.
    expect(await hours('2020-11-01', 'America/Havana')).toEqual({ hours: 25, length: 25 })
    // There, the clock changes by half an hour.
    expect(await hours('2020-04-05', 'Australia/Lord_Howe')).toEqual({ hours: 25, length: 24.5 })
  })

  test('compares with the previous period, whose intervals add up to it', async () => {
    const history = await beginHistory(shop, start)
    const random = [3, 700, 1500, 1501, 2900, 4000, 5000, 6100, 7000, 9000, 12_000, 14_000]
    for (const [index, minutes] of random.entries()) {
      await happen(shop.database, history, {
        kind: 'place',
        at: minutes,
        currency: 'USD',
        customer: index,
        quantities: [1],
        discount: 0,
      })
      await happen(shop.database, history, { kind: 'pay', at: minutes, order: index })
    }
    for (const interval of ['HOUR', 'DAY', null]) {
      const [row] = await shop.database<{ now: number; before: number; earlier: number }[]>`
        SELECT sum(r.value)::integer AS now, sum(r.previous_value)::integer AS before,
          (
            SELECT count(*)::integer FROM ordering.order o
            WHERE o.merchant_id = ${history.merchant.merchantId}
              AND (o.paid_at AT TIME ZONE ${shopZone})::date BETWEEN '2020-10-20' AND '2020-10-25'
          ) AS earlier
        FROM analytics.report_of(
          ${history.merchant.merchantId}, '{ORDERS}', '2020-10-26', '2020-10-31', ${interval}, ${shopZone}, NULL, 10, NULL, true
        ) r`
      expect(row?.before).toBe(row?.earlier)
      expect(row?.before).toBeGreaterThan(3)
      expect(row?.now).toBeGreaterThan(0)
    }
  })

  test('of stock shows the level at the end of each day, also on days without a movement', async () => {
    const history = await beginHistory(shop, start)
    const days = (day: number) => day * 24 * 60
    for (const [day, delta] of [
      [0, 5],
      [1, -2],
      [1, 7],
      [4, -4],
    ] as const) {
      await happen(shop.database, history, { kind: 'move', at: days(day), product: day, delta })
      if (day === 1) await refreshRollups(shop.database)
    }
    const levels = await shop.database<{ value: number }[]>`
      SELECT value::float FROM analytics.report_of(
        ${history.merchant.merchantId}, '{STOCK_LEVEL}', '2020-10-20', '2020-10-26', 'DAY', 'UTC', NULL, 10, NULL, false
      ) ORDER BY start_time`
    expect(levels.map(({ value }) => value)).toEqual([0, 5, 10, 10, 10, 6, 6])
  })

  test('ranks its groups by the merchant’s currency, or by the requested one, and not by the largest number', async () => {
    const history = await beginHistory(shop, start)
    const { merchantId } = history.merchant
    const [first, second] = history.productIds
    for (const [order, [currency, quantities]] of (
      [
        ['EUR', [9]],
        ['USD', [1, 1]],
      ] as const
    ).entries()) {
      await happen(shop.database, history, {
        kind: 'place',
        at: 0,
        currency,
        customer: 0,
        quantities,
        discount: 0,
      })
      await happen(shop.database, history, { kind: 'pay', at: 0, order })
    }
    const ranked = async (limit: number, currency: string | null) => {
      const rows = await shop.database<{ product_id: string; currency: string; value: number }[]>`
        SELECT product_id, currency, value::integer FROM analytics.report_of(
          ${merchantId}, '{REVENUE}', ${firstDay}, ${lastDay}, NULL, ${shopZone}, 'PRODUCT', ${limit}, ${currency}, false
        ) ORDER BY group_rank, currency`
      return rows.map(({ product_id: id, currency, value }) => [id, currency, value])
    }
    expect(await ranked(10, null)).toEqual([
      [second, 'USD', 1033],
      [first, 'EUR', 6300],
      [first, 'USD', 700],
    ])
    expect(await ranked(1, null)).toEqual([[second, 'USD', 1033]])
    expect(await ranked(1, 'EUR')).toEqual([[first, 'EUR', 6300]])
  })

  test('by product, category and status adds up to the total', async () => {
    const history = await beginHistory(shop, start)
    const { merchantId } = history.merchant
    const [category] = await shop.database<{ id: string }[]>`
      INSERT INTO catalog.category (merchant_id, name) VALUES (${merchantId}, 'All') RETURNING id`
    await shop.database`
      INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
      SELECT ${merchantId}, unnest(${history.productIds as string[]}::uuid[]), ${category?.id ?? null}`
    for (const index of [0, 1, 2, 3, 4]) {
      await happen(shop.database, history, {
        kind: 'place',
        at: index * 500,
        currency: 'USD',
        customer: index,
        quantities: [1, 2, 3],
        discount: 10 * index,
      })
      await happen(shop.database, history, { kind: 'pay', at: index * 500, order: index })
      if (index === 2) await refreshRollups(shop.database)
    }
    await happen(shop.database, history, { kind: 'cancel', at: 5000, order: 1 })
    const revenue = async (groupBy: string | null) => {
      const rows = await shop.database<{ value: number }[]>`
        SELECT value::float FROM analytics.report_of(
          ${merchantId}, '{REVENUE}', ${firstDay}, ${lastDay}, NULL, ${shopZone}, ${groupBy}, 100, NULL, false
        )`
      return rows.reduce((sum, { value }) => sum + value, 0)
    }
    const whole = await revenue(null)
    expect(whole).toBeGreaterThan(10_000)
    for (const groupBy of ['PRODUCT', 'CATEGORY', 'STATUS', 'CURRENCY'])
      expect(await revenue(groupBy)).toBe(whole)
    const [product] = await shop.database<{ revenue: number; units: number }[]>`
      SELECT sum(revenue)::float AS revenue, sum(total_sold)::float AS units FROM analytics.product_sales WHERE merchant_id = ${merchantId}`
    expect(product).toEqual({ revenue: whole, units: 30 })
  })
})

test('many views of a product make few rows, and shoppers can view only products on sale', async () => {
  const merchant = await shop.createMerchant()
  const product = await shop.createProduct(merchant, {})
  const draft = await shop.createProduct(merchant, { status: 'DRAFT' })
  await Promise.all(
    Array.from({ length: 20 }, () => shop.call(merchant, 'recordProductView', { productId: product.id })),
  )
  const rows = await shop.database`
    SELECT sum(views)::integer AS views, count(*)::integer < 3 AS few FROM analytics.product_view WHERE merchant_id = ${merchant.merchantId}`
  expect(rows).toEqual([{ views: 20, few: true }])
  const [analytics] = await shop.database`
    SELECT views::integer, conversions, revenue::integer FROM analytics.product_analytics WHERE product_id = ${product.id}`
  expect(analytics).toEqual({ views: 20, conversions: 0, revenue: 0 })
  const { merchantId, customerId } = merchant
  const session = {
    role: 'customer' as const,
    merchantId,
    customerId,
    permissions: new Set(['products:read']),
  }
  const unknown = await shop.call(merchant, 'recordProductView', { productId: draft.id }, { session })
  expect(unknown).toMatchObject({ kind: 'invalid', errors: [{ field: 'productId', code: 'NOT_FOUND' }] })
})
