import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createMigratedDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fingerprint } from './tenancy/tenants.ts'

const root = path.resolve(import.meta.dirname, '..')
const outfitter = '01a1f000-0001-7000-8000-000000000001'
const roaster = '01a1f000-0001-7000-8000-000000000002'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createMigratedDatabase({ migrations: path.join(root, 'migrations/default') })
  sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  await seed()
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

// One request per file, as run_sql sends it: each file is one transaction.
async function run(file: string): Promise<void> {
  await sql.unsafe(await readFile(file, 'utf8'))
}

async function seed(): Promise<void> {
  const seeds = path.join(root, 'demo/shop/seeds/default')
  for (const name of (await readdir(seeds)).sort()) await run(path.join(seeds, name))
}

describe('the demo shops', () => {
  test('do not change when the seeds run again', async () => {
    const before = [await fingerprint(sql, outfitter), await fingerprint(sql, roaster)]
    await seed()
    expect([await fingerprint(sql, outfitter), await fingerprint(sql, roaster)]).toEqual(before)
  })

  test('have no keys: the repository contains no credential', async () => {
    expect(await sql`SELECT FROM merchant.api_key`).toHaveLength(0)
    expect(await sql`SELECT FROM identity.signing_key`).toHaveLength(0)
  })

  test('have an order in every state', async () => {
    const states = await sql<{ status: string }[]>`SELECT DISTINCT status FROM ordering.order ORDER BY status`
    expect(states.map(({ status }) => status)).toEqual([
      'CANCELLED',
      'CONFIRMED',
      'DELIVERED',
      'PENDING',
      'PROCESSING',
      'REFUNDED',
      'SHIPPED',
    ])
  })

  test('obey the rules of stock: the reserved units are those of open reservations, order by order', async () => {
    const levels = await sql`
      SELECT l.stock_item_id, l.reserved, coalesce(h.quantity, 0) AS held
      FROM inventory.stock_level l
      LEFT JOIN (
        SELECT h.merchant_id, h.stock_item_id, h.warehouse_id, sum(h.quantity) AS quantity
        FROM inventory.reservation_line h
        JOIN inventory.reservation r ON r.merchant_id = h.merchant_id AND r.id = h.reservation_id
        WHERE r.status IN ('ACTIVE', 'COMMITTED')
        GROUP BY 1, 2, 3
      ) h USING (merchant_id, stock_item_id, warehouse_id)
      WHERE l.reserved <> coalesce(h.quantity, 0)`
    expect(levels).toEqual([])

    const lines = await sql`
      SELECT o.order_number, s.sku
      FROM ordering.order o
      JOIN ordering.order_item s ON s.merchant_id = o.merchant_id AND s.order_id = o.id
      LEFT JOIN inventory.reservation r ON r.merchant_id = o.merchant_id AND r.order_id = o.id
        AND r.status = CASE
          WHEN o.status = 'PENDING' THEN 'ACTIVE'
          WHEN o.status IN ('CONFIRMED', 'PROCESSING') THEN 'COMMITTED'
          WHEN o.status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN 'CONSUMED'
          ELSE 'RELEASED'
        END
      LEFT JOIN inventory.stock_item i ON i.merchant_id = o.merchant_id AND i.sku = s.sku
      LEFT JOIN inventory.reservation_line h
        ON h.merchant_id = r.merchant_id AND h.reservation_id = r.id AND h.stock_item_id = i.id
      WHERE h.quantity IS DISTINCT FROM s.quantity`
    expect(lines).toEqual([])
  })

  test('have a payment for every paid order, and refunds that add up', async () => {
    const wrong = await sql`
      SELECT o.order_number
      FROM ordering.order o
      LEFT JOIN payment.payment p
        ON p.merchant_id = o.merchant_id AND p.order_id = o.id AND p.status IN ('SUCCEEDED', 'REFUNDED', 'PARTIALLY_REFUNDED')
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(f.amount), 0) AS refunded FROM payment.refund f
        WHERE f.merchant_id = p.merchant_id AND f.payment_id = p.id AND f.status = 'SUCCEEDED'
      ) f ON true
      WHERE (p.id IS NOT NULL) <> (o.status NOT IN ('PENDING', 'CANCELLED'))
        OR p.amount <> o.total OR p.refunded_amount <> f.refunded`
    expect(wrong).toEqual([])
  })

  test('have appointments within working hours only', async () => {
    const appointments = await sql<{ id: string; within: boolean }[]>`
      SELECT a.id, tstzrange(a.start_time, a.end_time) <@ booking.working_hours(a.merchant_id, a.staff_id, a.start_time, a.end_time) AS within
      FROM booking.appointment a`
    expect(appointments.length).toBeGreaterThan(5)
    expect(appointments.filter(({ within }) => !within)).toEqual([])
  })

  test('have appointments with the resources that their services need', async () => {
    const needs = await sql<{ id: string; needed: number; has: number }[]>`
      SELECT a.id, q.quantity AS needed, (
        SELECT count(*)::int FROM booking.appointment_resource x
        JOIN booking.resource r ON r.merchant_id = x.merchant_id AND r.id = x.resource_id AND r.kind = q.kind
        WHERE x.merchant_id = a.merchant_id AND x.appointment_id = a.id
      ) AS has
      FROM booking.appointment a
      JOIN booking.resource_requirement q ON q.merchant_id = a.merchant_id AND q.service_id = a.service_id`
    expect(needs.length).toBeGreaterThan(3)
    expect(needs.filter(({ needed, has }) => has !== needed)).toEqual([])
  })

  test('continue their order numbers', async () => {
    const [row] = await sql<[{ next: string; taken: boolean }]>`
      SELECT n.next, EXISTS (SELECT FROM ordering.order o WHERE o.order_number = n.next) AS taken
      FROM (SELECT ordering.order_number(1 + ordering.take_order_numbers(${outfitter}, 1)) AS next) n`
    expect(row).toEqual({ next: 'ORD-00001012', taken: false })
  })
})
