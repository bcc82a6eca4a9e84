import { type Actions, startActions } from '@commerce-graph/actions'
import type { FileStorage } from '@commerce-graph/file-storage'
import { createSecretBox, parseEncryptionKeys } from '@commerce-graph/secret-box'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDemoDatabase } from '../support/demo-database.ts'
import { partUrlsOf } from '../support/part-urls.ts'
import { encryptionKeys } from '../support/role-processes.ts'

const merchant = '01a1f000-0001-7000-8000-000000000001'
const other = '0198c0de-0000-7000-8000-00000000beef'
const customer = '0198c0de-0000-7000-8000-00000000feed'

/** The page finds the merchant of a mail's token across merchants, and changes the customer in the scope of that merchant. */
describe('the unsubscribe page, when its statement has forgotten the merchant', { timeout: 60_000 }, () => {
  const started = new AsyncDisposableStack()
  let owner: Sql
  let actions: Actions
  let token: string

  beforeAll(async () => {
    const database = await createDemoDatabase()
    started.defer(() => database.drop())
    owner = postgres(database.url, { max: 1, onnotice: () => undefined })
    started.defer(() => owner.end())
    actions = await startActions({
      databaseUrl: (await partUrlsOf(database.url)).actions ?? '',
      secret: 'of the test',
      host: '127.0.0.1',
      port: 0,
      cardProcessor: null,
      secretBox: createSecretBox(parseEncryptionKeys(encryptionKeys)),
      files: {} as FileStorage,
      logger: pino({ level: 'silent' }),
    })
    started.defer(() => actions.stop())
    await owner`INSERT INTO merchant.merchant (id, name, email) VALUES (${other}, 'Another', 'another@example.com')`
    const [found] = await owner<[{ source: string }]>`
      SELECT pg_get_functiondef('email.unsubscribe'::regproc) AS source`
    const broken = found.source.replaceAll('c.merchant_id = p_merchant_id', 'TRUE')
    expect(broken).not.toBe(found.source)
    await owner.unsafe(broken)
    // Its triggers would write rows of the other merchant's in further tables, which have row security of their own.
    await owner`ALTER TABLE crm.customer DISABLE TRIGGER USER`
  }, 60_000)
  afterAll(() => started.disposeAsync())

  beforeEach(async () => {
    await owner`DELETE FROM email.delivery WHERE customer_id = ${customer}`
    await owner`DELETE FROM crm.customer WHERE id = ${customer}`
    for (const of of [merchant, other])
      await owner`
        INSERT INTO crm.customer (merchant_id, id, email, name, marketing_opt_in)
        VALUES (${of}, ${customer}, 'reader@example.com', 'A reader', TRUE)`
    token = randomUUID()
    await owner`
      WITH mailed AS (
        INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, customer_id, facts)
        VALUES (${merchant}, 'STOCK_ALERT', 'a', 'reader@example.com', ${customer}, '{}')
        RETURNING merchant_id, id
      )
      INSERT INTO email.unsubscribe_token (merchant_id, delivery_id, token) SELECT merchant_id, id, ${token}::uuid FROM mailed`
  })

  async function unsubscribe(): Promise<Readonly<Record<string, boolean>>> {
    const response = await fetch(`${actions.url}/unsubscribe/${token}`, { method: 'POST' })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('unsubscribed')
    const rows = await owner<{ merchant: string; optsIn: boolean }[]>`
      SELECT merchant_id AS merchant, marketing_opt_in AS "optsIn" FROM crm.customer WHERE id = ${customer}`
    return Object.fromEntries(rows.map((row) => [row.merchant, row.optsIn]))
  }

  test('changes no customer of another merchant', async () => {
    expect(await unsubscribe()).toEqual({ [merchant]: false, [other]: true })
  })

  test('would change both without row security', async () => {
    await owner`ALTER TABLE crm.customer DISABLE ROW LEVEL SECURITY`
    try {
      expect(await unsubscribe()).toEqual({ [merchant]: false, [other]: false })
    } finally {
      await owner`ALTER TABLE crm.customer ENABLE ROW LEVEL SECURITY`
    }
  })
})
