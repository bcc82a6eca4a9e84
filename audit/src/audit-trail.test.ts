import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createMerchant,
  createMerchantDatabase,
  type MerchantDatabase,
} from '../../auth-webhook/test/merchant-database.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { AuditTrail } from './audit-trail.ts'
import type { Attempt } from './entry.ts'

let database: MerchantDatabase
let merchantId: MerchantId
let attempt: Attempt
const log: string[] = []
const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) })

beforeAll(async () => {
  database = await createMerchantDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  merchantId = await createMerchant(database.sql)
  attempt = {
    merchantId,
    kind: 'KEY',
    id: '01a1f000-00ff-7000-8000-000000000001',
    clientAddress: '192.0.2.1',
    requestId: 'request-1',
    source: 'CONTRACT',
    operationName: 'Order',
    operation: 'createOrder',
  }
})

const targetId = '01a1f000-0000-7000-8000-000000000001'
const done = { outcome: 'DONE', codes: [], targetIds: [targetId] } as const
const entries = () => database.sql`
  SELECT operation, outcome, codes, target_ids, occurrences FROM audit.log WHERE merchant_id = ${merchantId} ORDER BY created_at, id`

describe('an action', () => {
  test('is in the log before it runs, and once with its outcome afterwards', async () => {
    const trail = new AuditTrail(database.sql, logger)
    const id = await trail.begin(attempt, [targetId])
    const entry = { operation: 'createOrder', codes: [], target_ids: [targetId], occurrences: 1 }
    expect(await entries()).toEqual([{ ...entry, outcome: 'STARTED' }])
    trail.ended(attempt, id, done)
    await trail.close()
    expect(await entries()).toEqual([{ ...entry, outcome: 'DONE' }])
  })

  test('that can’t be recorded fails before it begins', async () => {
    const trail = new AuditTrail(database.sql, logger)
    await database.sql`ALTER FUNCTION audit.append(jsonb) RENAME TO append_away`
    await expect(trail.begin(attempt, [])).rejects.toThrow('audit.append')
    await database.sql`ALTER FUNCTION audit.append_away(jsonb) RENAME TO append`
    await trail.close()
  })
})

test('entries that could not be written are written when the database is back', async () => {
  const trail = new AuditTrail(database.sql, logger)
  await database.sql`ALTER FUNCTION audit.append(jsonb) RENAME TO append_away`
  trail.record(attempt, { outcome: 'INVALID', codes: ['NOT_FOUND', 'NOT_FOUND'], targetIds: [] })
  await trail.flush()
  expect(log.at(-1)).toContain('the audit log could not be written')
  await database.sql`ALTER FUNCTION audit.append_away(jsonb) RENAME TO append`
  await trail.close()
  expect(await entries()).toMatchObject([{ outcome: 'INVALID', codes: ['NOT_FOUND'] }])
})

test('repeated refusals of a caller are two entries; those of an unknown caller are in the operator’s log', async () => {
  const trail = new AuditTrail(database.sql, logger)
  const { kind, id, operation, clientAddress, requestId, source } = attempt
  const origin = { clientAddress, requestId, source, operation, code: 'SVC_AUTH_003' }
  for (let i = 0; i < 500; i += 1) trail.refused({ actor: { merchantId, kind, id }, ...origin })
  for (let i = 0; i < 500; i += 1) trail.refused({ actor: null, ...origin })
  log.length = 0
  await trail.close()
  expect(await entries()).toMatchObject([
    { outcome: 'REFUSED', codes: ['SVC_AUTH_003'], occurrences: 1 },
    { outcome: 'REFUSED', codes: ['SVC_AUTH_003'], occurrences: 499 },
  ])
  expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
    { id: 'SVC_AUTH_003', clientAddress: '192.0.2.1', occurrences: 1 },
    { id: 'SVC_AUTH_003', clientAddress: '192.0.2.1', occurrences: 499 },
  ])
})

describe('an entry', () => {
  test.each([
    'UPDATE audit.entry SET outcome = outcome',
    'DELETE FROM audit.entry',
    'TRUNCATE audit.entry',
    `DO $$ BEGIN EXECUTE (SELECT 'TRUNCATE ' || tableoid::regclass FROM audit.entry LIMIT 1); END $$`,
    `DO $$ BEGIN EXECUTE (SELECT 'DELETE FROM ' || tableoid::regclass FROM audit.entry LIMIT 1); END $$`,
    'SET LOCAL session_replication_role = replica; DELETE FROM audit.entry',
  ])('can’t be changed or deleted: %s', async (statement) => {
    const trail = new AuditTrail(database.sql, logger)
    await trail.begin(attempt, [])
    await trail.close()
    await expect(database.sql.begin((sql) => sql.unsafe(statement))).rejects.toThrow(
      'neither changed nor deleted',
    )
    expect(await entries()).toHaveLength(1)
  })

  test('is deleted with its month, and only as a whole month that is over', async () => {
    const trail = new AuditTrail(database.sql, logger)
    await trail.begin(attempt, [])
    await trail.close()
    await database.sql`
      CREATE TABLE audit.entry_2020_01 PARTITION OF audit.entry FOR VALUES FROM ('2020-01-01Z') TO ('2020-02-01Z')`
    const drop = (before: string) => database.sql`SELECT audit.drop_months_before(${before}) AS name`
    expect(await drop('2020-01-31Z')).toEqual([])
    expect(await drop('2020-02-01Z')).toEqual([{ name: 'entry_2020_01' }])
    expect(await drop(new Date().toISOString())).toEqual([])
    expect(await entries()).toHaveLength(1)
  })
})

test('partitions for the next months are created once, and an entry without one is kept as well', async () => {
  expect(await database.sql`SELECT audit.prepare_months() AS made`).toEqual([{ made: 0 }])
  await database.sql.begin(async (sql) => {
    await sql`DROP TABLE ${sql((await sql`SELECT to_char(now() AT TIME ZONE 'UTC', '"audit"."entry_"YYYY_MM') AS name`)[0]?.name as string)}`
    await sql`
      INSERT INTO audit.entry (merchant_id, actor_kind, source, outcome) VALUES (${merchantId}, 'KEY', 'CONTRACT', 'REFUSED')`
    expect(await sql`SELECT audit.prepare_months() AS made`).toEqual([{ made: 0 }])
  })
  expect(await entries()).toHaveLength(1)
})
