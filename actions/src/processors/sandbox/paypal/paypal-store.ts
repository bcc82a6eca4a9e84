import { createHash, randomBytes } from 'node:crypto'
import type { Database, JsonValue, Queryable } from '../../../database.ts'
import { takeTrouble, type WebhookTrouble } from '../troubles.ts'
import type { Dispute, Order, PaypalAnswer } from './paypal-objects.ts'

/** How the customer decided on the sandbox's page, and what follows when the order is captured. */
export const decisions = ['approve', 'decline', 'pending', 'dispute'] as const
export type Decision = (typeof decisions)[number]

export interface StoredOrder {
  readonly account: string
  readonly order: Order
  readonly returnUrl: string | null
  readonly cancelUrl: string | null
  /** Null: none yet. */
  readonly decision: Decision | null
}

/** Where an account's events go, as PayPal has it. */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly event_types: readonly { readonly name: string }[]
}

/** PayPal's part of the sandbox's store, inside of one transaction. */
export interface PaypalLedger {
  /** The order is locked until the transaction ends. */
  findOrder(id: string): Promise<StoredOrder | null>
  /** The order of an authorization, a capture or a refund. */
  findOrderOf(kind: 'authorizations' | 'captures' | 'refunds', id: string): Promise<StoredOrder | null>
  saveOrder(stored: StoredOrder): Promise<void>
  /** Writes an event to the account's webhooks. */
  emit(account: string, event: object & { readonly id: string; readonly event_type: string }): Promise<void>
  saveDispute(account: string, dispute: Dispute): Promise<void>
  findDispute(id: string): Promise<Dispute | null>
  /** @param captureId null: all of the account */
  listDisputes(captureId: string | null): Promise<readonly Dispute[]>
  saveWebhook(webhook: Webhook): Promise<void>
  findWebhook(id: string): Promise<Webhook | null>
  /** Orders whose captures have been pending for a second. */
  findPending(): Promise<readonly StoredOrder[]>
}

export interface PaypalStore {
  /** @param account the client id, which sees its own objects only; null: the sandbox's own pages */
  transact<T>(account: string | null, work: (ledger: PaypalLedger) => Promise<T>): Promise<T>
  /** The same, once for each PayPal-Request-Id: a repeated request gets the first answer. */
  transactOnce(
    account: string,
    requestId: string,
    path: string,
    work: (ledger: PaypalLedger) => Promise<PaypalAnswer>,
  ): Promise<PaypalAnswer>
}

/** PayPal's form of ids: letters and digits. */
export const paypalId = (length = 17): string =>
  [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('')

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** The kind of endpoints whose events are signed as PayPal signs them. */
export const paypalEndpoint = 'paypal_webhook'

export async function createPaypalTables(sql: Queryable): Promise<void> {
  await sql`
    CREATE TABLE IF NOT EXISTS sandbox_processor.paypal_dispute (
      id text PRIMARY KEY,
      account text NOT NULL,
      body jsonb NOT NULL
    )`
  await sql`
    CREATE TABLE IF NOT EXISTS sandbox_processor.paypal_order (
      id text PRIMARY KEY,
      account text NOT NULL,
      body jsonb NOT NULL,
      return_url text,
      cancel_url text,
      decision text
    )`
}

export const openPaypalStore = (database: Database): PaypalStore => ({
  transact: async (account, work) => {
    const { result } = await database.begin(async (sql) => ({ result: await work(ledgerOf(sql, account)) }))
    return result
  },
  transactOnce: (account, requestId, path, work) =>
    database.begin<PaypalAnswer>(async (sql) => {
      const key = `paypal ${account} ${requestId}`
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 1))`
      const [seen] = await sql<{ answer: PaypalAnswer }[]>`
        SELECT answer FROM sandbox_processor.idempotent_answer WHERE key = ${key}`
      if (seen !== undefined) return seen.answer
      const answer = await work(ledgerOf(sql, account))
      const fingerprint = createHash('sha256').update(path).digest('hex')
      await sql`
        INSERT INTO sandbox_processor.idempotent_answer (key, fingerprint, answer)
        VALUES (${key}, ${fingerprint}, ${toJson(sql, answer)})`
      return answer
    }),
})

const columns = (sql: Queryable) =>
  sql`account, body AS order, return_url AS "returnUrl", cancel_url AS "cancelUrl", decision`

const ledgerOf = (sql: Queryable, account: string | null): PaypalLedger => ({
  async findOrder(id) {
    const [row] = await sql<StoredOrder[]>`
      SELECT ${columns(sql)} FROM sandbox_processor.paypal_order
      WHERE id = ${id} AND (${account}::text IS NULL OR account = ${account}) FOR UPDATE`
    return row ?? null
  },
  async findOrderOf(kind, id) {
    const [row] = await sql<StoredOrder[]>`
      SELECT ${columns(sql)} FROM sandbox_processor.paypal_order
      WHERE account = ${account}
        AND body -> 'purchase_units' -> 0 -> 'payments' -> ${kind}::text @> ${toJson(sql, [{ id }])} FOR UPDATE`
    return row ?? null
  },
  async saveOrder({ account: owner, order, returnUrl, cancelUrl, decision }) {
    await sql`
      INSERT INTO sandbox_processor.paypal_order (id, account, body, return_url, cancel_url, decision)
      VALUES (${order.id}, ${owner}, ${toJson(sql, order)}, ${returnUrl}, ${cancelUrl}, ${decision})
      ON CONFLICT (id) DO UPDATE SET body = excluded.body, decision = excluded.decision`
  },
  async saveDispute(owner, dispute) {
    await sql`
      INSERT INTO sandbox_processor.paypal_dispute (id, account, body)
      VALUES (${dispute.dispute_id}, ${owner}, ${toJson(sql, dispute)})
      ON CONFLICT (id) DO UPDATE SET body = excluded.body`
  },
  async findDispute(id) {
    const [row] = await sql<{ body: Dispute }[]>`
      SELECT body FROM sandbox_processor.paypal_dispute WHERE id = ${id} AND account = ${account} FOR UPDATE`
    return row?.body ?? null
  },
  async listDisputes(captureId) {
    const rows = await sql<{ body: Dispute }[]>`
      SELECT body FROM sandbox_processor.paypal_dispute
      WHERE account = ${account}
        AND coalesce(body #>> '{disputed_transactions,0,seller_transaction_id}' = ${captureId}::text, true)`
    return rows.map(({ body }) => body)
  },
  emit: (owner, event) => emit(sql, owner, event),
  async saveWebhook(webhook) {
    const body = { ...webhook, object: paypalEndpoint }
    await sql`
      INSERT INTO sandbox_processor.webhook_endpoint (id, account, body)
      VALUES (${webhook.id}, ${account ?? ''}, ${toJson(sql, body)})`
  },
  async findWebhook(id) {
    const [row] = await sql<{ body: Webhook }[]>`
      SELECT body FROM sandbox_processor.webhook_endpoint WHERE id = ${id} AND account = ${account}`
    return row?.body ?? null
  },
  findPending: async () => sql<StoredOrder[]>`
    SELECT ${columns(sql)} FROM sandbox_processor.paypal_order
    WHERE body #>> '{purchase_units,0,payments,captures,0,status}' = 'PENDING'
      AND (body ->> 'update_time')::timestamptz <= now() - interval '1 second'
    LIMIT 100 FOR UPDATE SKIP LOCKED`,
})

/** Later events overtake an event that is late. */
const lateSeconds = 2

async function emit(
  sql: Queryable,
  account: string,
  event: object & { readonly id: string; readonly event_type: string },
): Promise<void> {
  const type = event.event_type
  const endpoints = await sql<{ id: string }[]>`
    SELECT id FROM sandbox_processor.webhook_endpoint
    WHERE account = ${account} AND body ->> 'object' = ${paypalEndpoint}
      AND (body -> 'event_types' @> ${toJson(sql, [{ name: '*' }])} OR body -> 'event_types' @> ${toJson(sql, [{ name: type }])})`
  if (endpoints.length === 0) return
  const trouble = await takeTrouble<WebhookTrouble>(sql, account, 'webhook')
  if (trouble === 'lose') return
  await sql`INSERT INTO sandbox_processor.event (id, body) VALUES (${event.id}, ${toJson(sql, event)})`
  await sql`
    INSERT INTO sandbox_processor.delivery (event_id, endpoint_id, copies, due_at)
    SELECT ${event.id}, e.id, ${trouble === 'duplicate' ? 2 : 1}, now() + make_interval(secs => ${trouble === 'late' ? lateSeconds : 0})
    FROM sandbox_processor.webhook_endpoint e WHERE e.id = ANY (${endpoints.map(({ id }) => id)})`
}

const toJson = (sql: Queryable, value: object) => sql.json(value as JsonValue)
