import type { Queryable } from '../../database.ts'

/** What can go wrong with a request, and with the delivery of an event. */
export const requestTroubles = [
  'error_before',
  'error_after',
  'timeout_before',
  'timeout_after',
  'late',
  'refuse',
] as const
export type RequestTrouble = (typeof requestTroubles)[number]
export const webhookTroubles = ['duplicate', 'late', 'lose'] as const
export type WebhookTrouble = (typeof webhookTroubles)[number]

/** What an account has asked for: the next `times` calls of a kind have the trouble. */
export interface PlannedTrouble {
  /** A method and a path, like `POST /v1/payment_intents/:id/capture`, or `webhook`. */
  readonly call: string
  readonly trouble: RequestTrouble | WebhookTrouble
  readonly times: number
}

/** Cards that succeed, but not as quietly as others. */
const troubledCards: ReadonlyMap<string, RequestTrouble> = new Map([
  ['pm_trouble_errorBefore', 'error_before'],
  ['pm_trouble_errorAfter', 'error_after'],
  ['pm_trouble_timeout', 'timeout_after'],
  ['pm_trouble_late', 'late'],
])

/** Requests with such a card's idempotency key that have the trouble: a client's try, and its repetition. */
const troubledRequests = 2

export async function createTroubleTables(sql: Queryable): Promise<void> {
  await sql`
    CREATE TABLE IF NOT EXISTS sandbox_processor.trouble (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account text NOT NULL,
      call text NOT NULL,
      trouble text NOT NULL,
      remaining integer NOT NULL
    )`
  await sql`
    CREATE TABLE IF NOT EXISTS sandbox_processor.troubled_request (
      key text PRIMARY KEY,
      requests integer NOT NULL DEFAULT 1
    )`
}

export async function planTrouble(
  sql: Queryable,
  account: string,
  { call, trouble, times }: PlannedTrouble,
): Promise<void> {
  await sql`
    INSERT INTO sandbox_processor.trouble (account, call, trouble, remaining)
    VALUES (${account}, ${call}, ${trouble}, ${times})`
}

/** Forgets what the account has asked for. */
export async function endTroubles(sql: Queryable, account: string): Promise<void> {
  await sql`DELETE FROM sandbox_processor.trouble WHERE account = ${account}`
}

/** The trouble that this call has, the oldest that was asked for first; null: none. It is used up with that. */
export async function takeTrouble<Trouble extends RequestTrouble | WebhookTrouble>(
  sql: Queryable,
  account: string,
  call: string,
): Promise<Trouble | null> {
  const [row] = await sql<{ trouble: Trouble }[]>`
    UPDATE sandbox_processor.trouble SET remaining = remaining - 1
    WHERE id = (
      SELECT t.id FROM sandbox_processor.trouble t
      WHERE t.account = ${account} AND t.call = ${call} AND t.remaining > 0
      ORDER BY t.id LIMIT 1 FOR UPDATE
    )
    RETURNING trouble`
  return row?.trouble ?? null
}

/** The trouble that a charge has because of its card. */
export async function troubleOfCard(
  sql: Queryable,
  account: string,
  card: unknown,
  idempotencyKey: string | undefined,
): Promise<RequestTrouble | null> {
  const trouble = troubledCards.get(String(card)) ?? null
  if (trouble === null || idempotencyKey === undefined) return trouble
  const [row] = await sql<{ requests: number }[]>`
    INSERT INTO sandbox_processor.troubled_request (key) VALUES (${`${account} ${idempotencyKey}`})
    ON CONFLICT (key) DO UPDATE SET requests = sandbox_processor.troubled_request.requests + 1 RETURNING requests`
  return (row?.requests ?? 0) <= troubledRequests ? trouble : null
}
