import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Attempt, AuditTrail } from '@commerce-graph/audit'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres from '@commerce-graph/postgres-driver'
import { pino } from 'pino'
import { z } from 'zod'
import { median } from './src/median.ts'
import { readOptions } from './src/read-options.ts'

const usage = `npm run bench:audit -- [--rounds 5] [--mutations 2000]

What the audit log costs a mutation: a change of a row with and without its entry, and the wait before an action begins. Uses one client,
in a new database on the server of TEST_DATABASE_URL.`

const { rounds, mutations } = readOptions(usage, {
  rounds: z.coerce.number().int().min(1).max(100).default(5),
  mutations: z.coerce.number().int().min(1).max(100_000).default(2_000),
})
const migrations = new URL('../migrations/default/', import.meta.url)

const database = await createTestDatabase()
const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
try {
  for (const folder of readdirSync(migrations).sort())
    await sql.unsafe(readFileSync(new URL(`${folder}/up.sql`, migrations), 'utf8'))
  const [merchant] = await sql<[{ id: MerchantId }]>`
    INSERT INTO merchant.merchant (name, email) VALUES ('Bench', 'bench@example.com') RETURNING id`
  const caller = { 'x-hasura-role': 'merchant', 'x-hasura-key-id': randomUUID() }
  const change = (session: object) => async () => {
    // The setting and the change are one statement, because the engine sends both in one round trip.
    await sql`
      UPDATE merchant.settings w SET tax_rate = w.tax_rate
      FROM (SELECT set_config('hasura.user', ${JSON.stringify(session)}, true) OFFSET 0) s
      WHERE w.merchant_id = ${merchant.id}`
  }
  const attempt: Attempt = {
    merchantId: merchant.id,
    kind: 'KEY',
    id: randomUUID(),
    clientAddress: '192.0.2.1',
    requestId: 'bench',
    source: 'CONTRACT',
    operationName: null,
    operation: 'addCartItem',
  }
  const trail = new AuditTrail(sql, pino({ level: 'silent' }))
  const begin = async () => {
    await trail.begin(attempt, [merchant.id])
  }
  const ways = {
    // The triggers record nothing for a session without a merchant.
    'a change of a row, unrecorded': change(caller),
    'a change of a row, recorded': change({ ...caller, 'x-hasura-merchant-id': merchant.id }),
    'an action before it begins': begin,
  }
  await measure(ways, 200)
  for (let round = 0; round < rounds; round += 1) await measure(ways, mutations, console.log)
  await trail.close()
  const [{ bytes, entries }] = await sql<[{ bytes: number; entries: number }]>`
    SELECT (SELECT sum(pg_total_relation_size(inhrelid))::float FROM pg_inherits WHERE inhparent = 'audit.entry'::regclass) AS bytes,
      (SELECT count(*)::integer FROM audit.entry) AS entries`
  console.log(`an entry takes ${Math.round(bytes / entries)} bytes with its indexes, over ${entries}`)
} finally {
  await sql.end()
  await database.drop()
}

/**
 * Runs the variants in turns, so that other load of the machine affects all of them equally. Passes their medians in
 * microseconds to `tell`.
 */
async function measure(
  ways: Readonly<Record<string, () => Promise<void>>>,
  times: number,
  tell: (line: string) => void = () => undefined,
): Promise<void> {
  const all = Object.entries(ways).map(([name, run]) => ({ name, run, took: [] as number[] }))
  for (let i = 0; i < times; i += 1) {
    for (const { run, took } of all) {
      const started = performance.now()
      await run()
      took.push((performance.now() - started) * 1000)
    }
  }
  tell(all.map(({ name, took }) => `${name}: ${median(took).toFixed(0)} µs`).join('; '))
}
