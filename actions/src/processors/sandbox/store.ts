import { createHash } from 'node:crypto'
import {
  connectDatabase,
  type Database,
  type DatabaseOptions,
  type JsonValue,
  type Queryable,
} from '../../database.ts'
import { emit, intentEvent } from './emit-event.ts'
import { createPaypalTables, openPaypalStore, type PaypalStore } from './paypal/paypal-store.ts'
import type { Dispute, PaymentIntent, Refund, WebhookEndpoint } from './stripe-objects.ts'
import { failed, type StripeAnswer } from './stripe-error.ts'
import { laterRefunds } from './test-payment-methods.ts'
import { createVaultTables, type VaultLedger, vaultLedger } from './vault/vault-store.ts'
import {
  createTroubleTables,
  endTroubles,
  type PlannedTrouble,
  planTrouble,
  type RequestTrouble,
  takeTrouble,
  troubleOfCard,
} from './troubles.ts'

/** The sandbox's store, inside of one transaction. */
export interface Ledger {
  /** Locked until the transaction ends. */
  findIntent(id: string): Promise<PaymentIntent | null>
  saveIntent(intent: PaymentIntent): Promise<void>
  /** The account's newest. */
  listIntents(limit: number): Promise<readonly PaymentIntent[]>
  /** By a field of their metadata, ten at most. */
  findIntentsBy(field: string, value: string): Promise<readonly PaymentIntent[]>
  findRefund(id: string): Promise<Refund | null>
  /** The newest refunds of an intent. */
  listRefunds(intentId: string, limit: number): Promise<readonly Refund[]>
  saveRefund(refund: Refund): Promise<void>
  findDispute(id: string): Promise<Dispute | null>
  listDisputes(intentId: string, limit: number): Promise<readonly Dispute[]>
  saveDispute(dispute: Dispute): Promise<void>
  /** Where the account's events are sent to from now on. */
  saveEndpoint(endpoint: WebhookEndpoint): Promise<void>
  /**
   * The payments and refunds that are settled later (`settle-later.ts`), with their payment methods. They are locked
   * until the transaction ends.
   */
  findUnsettled(): Promise<Unsettled>
  /** Customers and their saved methods. */
  readonly vault: VaultLedger
}

export interface Unsettled {
  readonly intents: readonly PaymentIntent[]
  /** With the payment method of each one's intent. */
  readonly refunds: readonly { readonly refund: Refund; readonly method: string }[]
}

export interface Store {
  /**
   * Runs a request in a transaction of its own.
   * @param account the secret key that it was sent with, which sees its own objects only; null: the sandbox's own pages
   */
  transact(account: string | null, work: (ledger: Ledger) => Promise<StripeAnswer>): Promise<StripeAnswer>
  /** The same, once per idempotency key: a repeated request gets the first answer, another request is refused. */
  transactOnce(
    account: string,
    key: string,
    request: unknown,
    work: (ledger: Ledger) => Promise<StripeAnswer>,
  ): Promise<StripeAnswer>
  /** What is to go wrong with a request of the account. */
  troubleOf(account: string, request: TroubledRequest): Promise<RequestTrouble | null>
  planTrouble(account: string, planned: PlannedTrouble): Promise<void>
  endTroubles(account: string): Promise<void>
  /** What speaks PayPal's API. */
  readonly paypal: PaypalStore
  /** Events that are due, with the endpoint that each goes to. They are due again, later, until they are delivered. */
  takeEvents(limit: number): Promise<readonly DueEvent[]>
  markDelivered(eventId: string, endpointId: string): Promise<void>
  close(): Promise<void>
}

/** What troubles are looked up by. */
export interface TroubledRequest {
  readonly call: string
  /** What a charge is made with. */
  readonly paymentMethod: unknown
  readonly idempotencyKey: string | undefined
}

export interface DueEvent {
  readonly id: string
  readonly body: string
  /** How often it is sent, answered or not. */
  readonly copies: number
  readonly endpoint: Pick<WebhookEndpoint, 'id' | 'url' | 'secret'> & { readonly object: string }
}

/** Seconds after which settling has happened that comes later than the answer. */
const settlingSeconds = 1

/** An event is sent this often at most, each time after twice as many seconds. */
const mostAttempts = 12

/** The account that a test deployment has at the sandbox, and that rows of earlier versions belong to. */
const platformAccount = 'sk_test_sandbox'

const poolSize = 8

/** The sandbox's state lives in a schema of its own, so that killing it loses nothing that it has answered. */
export async function openStore(address: Pick<DatabaseOptions, 'databaseUrl' | 'pooler'>): Promise<Store> {
  const database = connectDatabase({ ...address, poolSize, applicationName: 'payment-sandbox' })
  if (!(await hasPreparedTables(database))) await createTables(database)
  const transact: Store['transact'] = (account, work) =>
    database.begin<StripeAnswer>((sql) => work(ledgerOf(sql, account)))
  return {
    transact,
    transactOnce: (account, clientKey, request, work) =>
      database.begin<StripeAnswer>(async (sql) => {
        const key = `${account} ${clientKey}`
        const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex')
        await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 1))`
        const [seen] = await sql<{ fingerprint: string; answer: StripeAnswer }[]>`
          SELECT fingerprint, answer FROM sandbox_processor.idempotent_answer WHERE key = ${key}`
        if (seen !== undefined) return seen.fingerprint === fingerprint ? seen.answer : keyReused(clientKey)
        const answer = await work(ledgerOf(sql, account))
        await sql`
          INSERT INTO sandbox_processor.idempotent_answer (key, fingerprint, answer)
          VALUES (${key}, ${fingerprint}, ${toJson(sql, answer)})`
        return answer
      }),
    troubleOf: async (account, { call, paymentMethod, idempotencyKey }) =>
      (await troubleOfCard(database, account, paymentMethod, idempotencyKey)) ??
      (await takeTrouble<RequestTrouble>(database, account, call)),
    paypal: openPaypalStore(database),
    planTrouble: (account, planned) => planTrouble(database, account, planned),
    endTroubles: (account) => endTroubles(database, account),
    async takeEvents(limit) {
      return database<DueEvent[]>`
        UPDATE sandbox_processor.delivery d
        SET attempts = d.attempts + 1, due_at = now() + make_interval(secs => 2 ^ d.attempts)
        FROM sandbox_processor.event e, sandbox_processor.webhook_endpoint w
        WHERE (d.event_id, d.endpoint_id) IN (
            SELECT x.event_id, x.endpoint_id FROM sandbox_processor.delivery x
            WHERE x.delivered_at IS NULL AND x.due_at <= now() AND x.attempts < ${mostAttempts}
            ORDER BY x.due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          AND e.id = d.event_id AND w.id = d.endpoint_id
        RETURNING e.id, e.body::text AS body, w.body AS endpoint, d.copies`
    },
    async markDelivered(eventId, endpointId) {
      await database`
        UPDATE sandbox_processor.delivery SET delivered_at = now()
        WHERE event_id = ${eventId} AND endpoint_id = ${endpointId}`
    },
    close: () => database.end({ timeout: 5 }),
  }
}

/** Makes the sandbox's tables for roles that may not make any. */
export async function prepareSandbox(databaseUrl: string): Promise<void> {
  const database = connectDatabase({ databaseUrl, poolSize: 1, applicationName: 'payment-sandbox' })
  try {
    await createTables(database)
  } finally {
    await database.end({ timeout: 5 })
  }
}

/** Whether they are another role's, who has made them. */
async function hasPreparedTables(database: Database): Promise<boolean> {
  const [row] = await database`
    SELECT FROM pg_namespace WHERE nspname = 'sandbox_processor' AND NOT has_schema_privilege(oid, 'CREATE')`
  return row !== undefined
}

// No migration: where payments go to Stripe, there is no sandbox and no such schema.
async function createTables(database: Database): Promise<void> {
  await database.begin(async (sql) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('sandbox_processor', 0))`
    await sql`CREATE SCHEMA IF NOT EXISTS sandbox_processor`
    await sql`CREATE TABLE IF NOT EXISTS sandbox_processor.payment_intent (id text PRIMARY KEY, body jsonb NOT NULL)`
    await sql`CREATE TABLE IF NOT EXISTS sandbox_processor.refund (id text PRIMARY KEY, body jsonb NOT NULL)`
    for (const table of ['dispute', 'webhook_endpoint'])
      await sql`CREATE TABLE IF NOT EXISTS sandbox_processor.${sql(table)} (id text PRIMARY KEY, body jsonb NOT NULL)`
    await sql`
      CREATE TABLE IF NOT EXISTS sandbox_processor.event (
        id text PRIMARY KEY, body json NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
      )`
    await sql`
      CREATE TABLE IF NOT EXISTS sandbox_processor.delivery (
        event_id text NOT NULL REFERENCES sandbox_processor.event ON DELETE CASCADE,
        endpoint_id text NOT NULL REFERENCES sandbox_processor.webhook_endpoint ON DELETE CASCADE,
        attempts integer NOT NULL DEFAULT 0,
        due_at timestamptz NOT NULL DEFAULT now(),
        delivered_at timestamptz,
        PRIMARY KEY (event_id, endpoint_id)
      )`
    await sql`ALTER TABLE sandbox_processor.delivery ADD COLUMN IF NOT EXISTS copies integer NOT NULL DEFAULT 1`
    await createTroubleTables(sql)
    await createPaypalTables(sql)
    await createVaultTables(sql)
    await sql`DELETE FROM sandbox_processor.event WHERE created_at < now() - interval '30 days'`
    for (const table of ['payment_intent', 'refund', 'dispute', 'webhook_endpoint'])
      await sql`ALTER TABLE sandbox_processor.${sql(table)} ADD COLUMN IF NOT EXISTS account text NOT NULL DEFAULT ${sql.unsafe(`'${platformAccount}'`)}`
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

/** @param account null: every account's */
const ledgerOf = (sql: Queryable, account: string | null): Ledger => ({
  vault: vaultLedger(sql, account),
  async findIntent(id) {
    const [row] = await sql<{ body: PaymentIntent }[]>`
        SELECT body FROM sandbox_processor.payment_intent
        WHERE id = ${id} AND (${account}::text IS NULL OR account = ${account}) FOR UPDATE`
    return row?.body ?? null
  },
  async listIntents(limit) {
    const rows = await sql<{ body: PaymentIntent }[]>`
        SELECT body FROM sandbox_processor.payment_intent WHERE account = ${account}
        ORDER BY (body -> 'created')::bigint DESC, id LIMIT ${limit}`
    return rows.map(({ body }) => body)
  },
  async findIntentsBy(field, value) {
    const rows = await sql<{ body: PaymentIntent }[]>`
        SELECT body FROM sandbox_processor.payment_intent 
        WHERE body -> 'metadata' ->> ${field} = ${value} AND account = ${account} LIMIT 10`
    return rows.map(({ body }) => body)
  },
  async saveIntent(intent) {
    await sql`
        INSERT INTO sandbox_processor.payment_intent (id, account, body)
        VALUES (${intent.id}, ${account ?? platformAccount}, ${toJson(sql, intent)})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body`
    await emit(sql, intentEvent(intent), intent, 'payment_intent')
  },
  async findRefund(id) {
    const [row] = await sql<{ body: Refund }[]>`
        SELECT body FROM sandbox_processor.refund WHERE id = ${id} AND account = ${account}`
    return row?.body ?? null
  },
  async listRefunds(intentId, limit) {
    const rows = await sql<{ body: Refund }[]>`
        SELECT body FROM sandbox_processor.refund WHERE body ->> 'payment_intent' = ${intentId} AND account = ${account}
        ORDER BY (body -> 'created')::bigint DESC, id LIMIT ${limit}`
    return rows.map(({ body }) => body)
  },
  async saveRefund(refund) {
    const [row] = await sql<{ isNew: boolean }[]>`
        INSERT INTO sandbox_processor.refund (id, account, body)
        VALUES (${refund.id}, (
          SELECT account FROM sandbox_processor.payment_intent WHERE id = ${refund.payment_intent}
        ), ${toJson(sql, refund)})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body RETURNING xmax = 0 AS "isNew"`
    const change = row?.isNew === true ? 'created' : refund.status === 'failed' ? 'failed' : 'updated'
    await emit(sql, `refund.${change}`, refund, 'refund')
  },
  async findDispute(id) {
    const [row] = await sql<{ body: Dispute }[]>`
        SELECT body FROM sandbox_processor.dispute WHERE id = ${id} AND account = ${account} FOR UPDATE`
    return row?.body ?? null
  },
  async listDisputes(intentId, limit) {
    const rows = await sql<{ body: Dispute }[]>`
        SELECT body FROM sandbox_processor.dispute
        WHERE body ->> 'payment_intent' = ${intentId} AND account = ${account} LIMIT ${limit}`
    return rows.map(({ body }) => body)
  },
  async saveDispute(dispute) {
    const [row] = await sql<{ isNew: boolean }[]>`
        INSERT INTO sandbox_processor.dispute (id, account, body)
        VALUES (${dispute.id}, (
          SELECT account FROM sandbox_processor.payment_intent WHERE id = ${dispute.payment_intent}
        ), ${toJson(sql, dispute)})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body RETURNING xmax = 0 AS "isNew"`
    const isOver = dispute.status === 'won' || dispute.status === 'lost'
    const change = row?.isNew === true ? 'created' : isOver ? 'closed' : 'updated'
    await emit(sql, `charge.dispute.${change}`, dispute, 'dispute')
  },
  async saveEndpoint(endpoint) {
    await sql`
        INSERT INTO sandbox_processor.webhook_endpoint (id, account, body)
        VALUES (${endpoint.id}, ${account ?? platformAccount}, ${toJson(sql, endpoint)})`
  },
  async findUnsettled() {
    const intents = await sql<{ body: PaymentIntent }[]>`
        SELECT body FROM sandbox_processor.payment_intent
        WHERE body ->> 'status' = 'processing'
          AND (body ->> 'created')::bigint <= extract(epoch FROM now()) - ${settlingSeconds}
        LIMIT 100 FOR UPDATE SKIP LOCKED`
    const refunds = await sql<{ refund: Refund; method: string }[]>`
        SELECT r.body AS refund, i.body ->> 'payment_method' AS method
        FROM sandbox_processor.refund r
        JOIN sandbox_processor.payment_intent i ON i.id = r.body ->> 'payment_intent'
        WHERE r.body ->> 'status' <> 'failed' AND i.body ->> 'payment_method' = ANY (${[...laterRefunds]})
          AND (r.body ->> 'status' = 'pending' OR i.body ->> 'payment_method' = 'pm_card_refundFail')
          AND (r.body ->> 'created')::bigint <= extract(epoch FROM now()) - ${settlingSeconds}
        LIMIT 100 FOR UPDATE OF r SKIP LOCKED`
    return { intents: intents.map(({ body }) => body), refunds }
  },
})

const toJson = (sql: Queryable, value: object) => sql.json(value as JsonValue)

const keyReused = (key: string): StripeAnswer =>
  failed(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`,
  })
