import { createHash } from 'node:crypto'
import { connectDatabase, type Database, type JsonValue, type Queryable } from '../../database.ts'
import type { PaymentIntent } from './stripe-objects.ts'
import { failed, type StripeAnswer } from './stripe-error.ts'

interface Refund {
  readonly id: string
  readonly object: 'refund'
  readonly amount: number
  readonly currency: string
  readonly payment_intent: string
  readonly metadata: Readonly<Record<string, string>>
  readonly status: 'succeeded'
  readonly created: number
}

/** What the sandbox remembers, inside of one transaction. */
export interface Ledger {
  /** Locked until the transaction ends. */
  findIntent(id: string): Promise<PaymentIntent | null>
  saveIntent(intent: PaymentIntent): Promise<void>
  /** By a field of their metadata, ten at most. */
  findIntentsBy(field: string, value: string): Promise<readonly PaymentIntent[]>
  findRefund(id: string): Promise<Refund | null>
  /** The newest refunds of an intent. */
  listRefunds(intentId: string, limit: number): Promise<readonly Refund[]>
  saveRefund(refund: Refund): Promise<void>
}

export interface Store {
  /** Runs a request in a transaction of its own. */
  transact(work: (ledger: Ledger) => Promise<StripeAnswer>): Promise<StripeAnswer>
  /** The same, once per idempotency key: a repeated request gets the first answer, another request is refused. */
  transactOnce(
    key: string,
    request: unknown,
    work: (ledger: Ledger) => Promise<StripeAnswer>,
  ): Promise<StripeAnswer>
  close(): Promise<void>
}

const poolSize = 8

/** The sandbox's state lives in a schema of its own, so that killing it loses nothing that it has answered. */
export async function openStore(databaseUrl: string): Promise<Store> {
  const database = connectDatabase({ databaseUrl, poolSize, applicationName: 'payment-sandbox' })
  await createTables(database)
  const transact: Store['transact'] = (work) => database.begin<StripeAnswer>((sql) => work(ledgerOf(sql)))
  return {
    transact,
    transactOnce: (key, request, work) =>
      database.begin<StripeAnswer>(async (sql) => {
        const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex')
        await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 1))`
        const [seen] = await sql<{ fingerprint: string; answer: StripeAnswer }[]>`
          SELECT fingerprint, answer FROM sandbox_processor.idempotent_answer WHERE key = ${key}`
        if (seen !== undefined) return seen.fingerprint === fingerprint ? seen.answer : keyReused(key)
        const answer = await work(ledgerOf(sql))
        await sql`
          INSERT INTO sandbox_processor.idempotent_answer (key, fingerprint, answer)
          VALUES (${key}, ${fingerprint}, ${toJson(sql, answer)})`
        return answer
      }),
    close: () => database.end({ timeout: 5 }),
  }
}

// No migration: where payments go to Stripe, there is no sandbox and no such schema.
async function createTables(database: Database): Promise<void> {
  await database.begin(async (sql) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('sandbox_processor', 0))`
    await sql`CREATE SCHEMA IF NOT EXISTS sandbox_processor`
    await sql`CREATE TABLE IF NOT EXISTS sandbox_processor.payment_intent (id text PRIMARY KEY, body jsonb NOT NULL)`
    await sql`CREATE TABLE IF NOT EXISTS sandbox_processor.refund (id text PRIMARY KEY, body jsonb NOT NULL)`
    await sql`
      CREATE TABLE IF NOT EXISTS sandbox_processor.idempotent_answer (
        key text PRIMARY KEY,
        fingerprint text NOT NULL,
        answer jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`
    // Like Stripe, which keeps keys for a day at least.
    await sql`DELETE FROM sandbox_processor.idempotent_answer WHERE created_at < now() - interval '2 days'`
  })
}

const ledgerOf = (sql: Queryable): Ledger => ({
  async findIntent(id) {
    const [row] = await sql<{ body: PaymentIntent }[]>`
        SELECT body FROM sandbox_processor.payment_intent WHERE id = ${id} FOR UPDATE`
    return row?.body ?? null
  },
  async findIntentsBy(field, value) {
    const rows = await sql<{ body: PaymentIntent }[]>`
        SELECT body FROM sandbox_processor.payment_intent WHERE body -> 'metadata' ->> ${field} = ${value} LIMIT 10`
    return rows.map(({ body }) => body)
  },
  async saveIntent(intent) {
    await sql`
        INSERT INTO sandbox_processor.payment_intent (id, body) VALUES (${intent.id}, ${toJson(sql, intent)})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body`
  },
  async findRefund(id) {
    const [row] = await sql<{ body: Refund }[]>`SELECT body FROM sandbox_processor.refund WHERE id = ${id}`
    return row?.body ?? null
  },
  async listRefunds(intentId, limit) {
    const rows = await sql<{ body: Refund }[]>`
        SELECT body FROM sandbox_processor.refund WHERE body ->> 'payment_intent' = ${intentId}
        ORDER BY (body -> 'created')::bigint DESC, id LIMIT ${limit}`
    return rows.map(({ body }) => body)
  },
  async saveRefund(refund) {
    await sql`INSERT INTO sandbox_processor.refund (id, body) VALUES (${refund.id}, ${toJson(sql, refund)})`
  },
})

const toJson = (sql: Queryable, value: object) => sql.json(value as JsonValue)

const keyReused = (key: string): StripeAnswer =>
  failed(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`,
  })
