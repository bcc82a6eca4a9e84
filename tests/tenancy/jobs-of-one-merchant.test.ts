import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDemoDatabase } from '../support/demo-database.ts'
import { partUrlsOf } from '../support/part-urls.ts'
import { startTestWorkers } from './start-test-workers.ts'

const merchant = '01a1f000-0001-7000-8000-000000000001'
const other = '0198c0de-0000-7000-8000-00000000beef'
const id = '0198c0de-0000-7000-8000-00000000feed'

/** What ends the work on a row, and the condition in it that names the merchant, or the worker's claim. */
const endings = [
  'bulk.finish_import',
  'bulk.give_export_back',
  'files.reject_image',
  'email.advance_campaign',
  'merchant.record_sender_check',
  'notification.claim_payment_reminders',
]
/** The tables whose rows they change. */
const changed = [
  'bulk.import',
  'bulk.export',
  'files.file',
  'email.campaign',
  'merchant.sender',
  'ordering.order',
]
const conditions = /\w+\.(merchant_id = p_merchant_id|claim = p_claim)\b/g

/** A job finds its work across merchants, and does it in the scope of one. */
describe('a job whose last statement has forgotten the merchant', { timeout: 60_000 }, () => {
  const started = new AsyncDisposableStack()
  let owner: Sql
  let workerUrl: string

  beforeAll(async () => {
    const database = await createDemoDatabase()
    started.defer(() => database.drop())
    owner = postgres(database.url, { max: 1, onnotice: () => undefined })
    started.defer(() => owner.end())
    workerUrl = (await partUrlsOf(database.url)).worker ?? ''
    await owner`INSERT INTO merchant.merchant (id, name, email) VALUES (${other}, 'Another', 'another@example.com')`
    // They would write rows of the other merchant's in further tables, which have row security of their own.
    for (const table of ['email.campaign', 'merchant.sender', 'ordering.order'])
      await owner.unsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    for (const name of endings) {
      const [found] = await owner<{ source: string }[]>`
        SELECT pg_get_functiondef(${name}::regproc) AS source`
      const broken = found?.source.replaceAll(conditions, 'TRUE') ?? ''
      expect(broken).not.toBe(found?.source)
      await owner.unsafe(broken)
    }
  }, 60_000)
  afterAll(() => started.disposeAsync())

  /** Work of one merchant that fails at its begin, or is due; the other one's has the same ids, and another worker is at it, or its time hasn't come. */
  beforeEach(async () => {
    for (const table of [
      'bulk.import',
      'bulk.export',
      'files.file',
      'email.campaign',
      'inventory.reservation',
    ])
      await owner`DELETE FROM ${owner.unsafe(table)} WHERE id = ${id}`
    await owner`DELETE FROM merchant.sender`
    await addReminders()
    for (const [of, busy] of [
      [merchant, null],
      [other, new Date(Date.now() + 3_600_000)],
    ] as const) {
      await owner`
        INSERT INTO bulk.import (merchant_id, id, status, format, record_type, claimed_until, started_at)
        VALUES (${of}, ${id}, 'CHECKING', 'JSON_LINES', 'CUSTOMER', ${busy}, now())`
      await owner`
        INSERT INTO bulk.export (merchant_id, id, kind, status, format, query, page_size, holder_kind, holder_id, permissions, claimed_until)
        VALUES (${of}, ${id}, 'QUERY', 'RUNNING', 'JSON_LINES', '{ products { nodes { id } } }', 10, 'KEY', ${id}, '{products:read}', ${busy})`
      await owner`
        INSERT INTO files.file (merchant_id, id, purpose, status, file_name, content_type, size, stored_bytes, token, upload_expires_at, next_attempt_at)
        VALUES (${of}, ${id}, 'IMAGE', 'PROCESSING', 'a.png', 'image/png', 1, 1, ${'a'.repeat(32)}, now(), ${busy ?? new Date(0)})`
      await owner`
        INSERT INTO email.campaign (merchant_id, id, name, subject, html, text, status, scheduled_at, addressed)
        VALUES (${of}, ${id}, 'a', 'a', 'a', 'a', ${busy === null ? 'SCHEDULED' : 'DRAFT'}, now(), TRUE)`
      await owner`
        INSERT INTO merchant.sender (merchant_id, address, domain, token, next_check_at)
        VALUES (${of}, 'a@shop.example', 'shop.example', ${of}, ${busy ?? new Date(0)})`
    }
  })

  /** An unpaid order of each merchant, of which one is about to be cancelled. */
  async function addReminders(): Promise<void> {
    await owner.begin(async (sql) => {
      // The other merchant has no customer and no address for its order to refer to.
      await sql`SET LOCAL session_replication_role = replica`
      await sql`DELETE FROM ordering.order WHERE id = ${id}`
      for (const of of [merchant, other])
        await sql`
          INSERT INTO ordering.order (merchant_id, id, order_number, customer_id, currency, subtotal, tax, shipping, discount, total, shipping_address_id, created_at)
          SELECT ${of}, ${id}, 'a', customer_id, currency, 100, 0, 0, 0, 100, shipping_address_id, now() - interval '1 day'
          FROM ordering.order WHERE merchant_id = ${merchant} LIMIT 1`
      await sql`
        INSERT INTO inventory.reservation (merchant_id, id, order_id, expires_at)
        VALUES (${merchant}, ${id}, ${id}, now() + interval '1 hour')`
    })
  }

  interface Ends {
    readonly import: string
    readonly tries: number
    readonly file: string
    readonly campaign: string
    readonly isChecked: boolean
    readonly isReminded: boolean
  }
  async function endsOf(merchantId: string): Promise<Ends | undefined> {
    const [row] = await owner<Ends[]>`
      SELECT i.status AS import, e.attempts AS tries, f.status AS file, c.status AS campaign,
        s.checked_at IS NOT NULL AS "isChecked", o.reminded_of IS NOT NULL AS "isReminded"
      FROM bulk.import i JOIN bulk.export e USING (merchant_id, id) JOIN files.file f USING (merchant_id, id)
        JOIN email.campaign c USING (merchant_id, id) JOIN ordering.order o USING (merchant_id, id)
        JOIN merchant.sender s USING (merchant_id)
      WHERE merchant_id = ${merchantId} AND id = ${id}`
    return row
  }

  async function runJobs(): Promise<void> {
    const intervals = {
      'run-imports': 100,
      'run-exports': 100,
      'process-images': 100,
      'advance-campaigns': 100,
      'check-senders': 100,
      'remind-of-payments': 100,
    }
    const workers = await startTestWorkers(workerUrl, intervals)
    try {
      await expect
        .poll(
          async () => {
            const ends = await endsOf(merchant)
            return { ...ends, tries: (ends?.tries ?? 0) > 0 }
          },
          { timeout: 20_000 },
        )
        .toEqual({
          import: 'FAILED',
          tries: true,
          file: 'REJECTED',
          campaign: 'SENT',
          isChecked: true,
          isReminded: true,
        })
    } finally {
      await workers.stop()
    }
  }

  const untouched: Ends = {
    import: 'CHECKING',
    tries: 0,
    file: 'PROCESSING',
    campaign: 'DRAFT',
    isChecked: false,
    isReminded: false,
  }

  test('changes no row of another merchant', async () => {
    await runJobs()
    expect(await endsOf(other)).toEqual(untouched)
  })

  test('would change each of them without row security', async () => {
    for (const table of changed) await owner.unsafe(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      await runJobs()
      expect(await endsOf(other)).toMatchObject({
        import: 'FAILED',
        file: 'REJECTED',
        campaign: 'SENT',
        isChecked: true,
        isReminded: true,
      })
      expect((await endsOf(other))?.tries).toBeGreaterThan(0)
    } finally {
      for (const table of changed) await owner.unsafe(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })
})
