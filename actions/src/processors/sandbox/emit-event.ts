import type { JsonValue, Queryable } from '../../database.ts'
import { unexpanded } from './expand.ts'
import { stripeId } from './stripe-id.ts'
import type { PaymentIntent } from './stripe-objects.ts'
import { takeTrouble, type WebhookTrouble } from './troubles.ts'

/** Later events overtake an event that is late. */
const lateSeconds = 2

/** Writes the event of a change to the endpoints of the object's account, in the transaction of the change. */
export async function emit(
  sql: Queryable,
  type: string,
  object: { readonly id: string },
  table: string,
): Promise<void> {
  const id = stripeId('evt')
  const body = {
    id,
    object: 'event',
    api_version: null,
    created: Math.floor(Date.now() / 1000),
    type,
    livemode: false,
    pending_webhooks: 1,
    request: null,
    data: { object: unexpanded(object) },
  }
  const made = await sql<{ account: string }[]>`
    WITH endpoint AS (
      SELECT w.id, w.account FROM sandbox_processor.webhook_endpoint w
      JOIN sandbox_processor.${sql(table)} o ON o.account = w.account AND o.id = ${object.id}
      WHERE w.body -> 'enabled_events' ?| ARRAY['*', ${type}]
    ), event AS (
      INSERT INTO sandbox_processor.event (id, body) SELECT ${id}, ${sql.json(body as JsonValue)} WHERE EXISTS (SELECT FROM endpoint)
      RETURNING id
    ), delivery AS (
      INSERT INTO sandbox_processor.delivery (event_id, endpoint_id) SELECT event.id, endpoint.id FROM event, endpoint
    )
    SELECT DISTINCT account FROM endpoint`
  for (const { account } of made) await trouble(sql, id, account)
}

/** Does to an event's deliveries what the account has asked for. */
async function trouble(sql: Queryable, eventId: string, account: string): Promise<void> {
  const taken = await takeTrouble<WebhookTrouble>(sql, account, 'webhook')
  switch (taken) {
    case null:
      return
    case 'duplicate':
      await sql`UPDATE sandbox_processor.delivery SET copies = 2 WHERE event_id = ${eventId}`
      return
    case 'late':
      await sql`
        UPDATE sandbox_processor.delivery SET due_at = now() + make_interval(secs => ${lateSeconds})
        WHERE event_id = ${eventId}`
      return
    case 'lose':
      await sql`DELETE FROM sandbox_processor.delivery WHERE event_id = ${eventId}`
      return
    default:
      taken satisfies never
  }
}

/** Stripe's name for what has happened to an intent that stands so. */
export function intentEvent({ status, last_payment_error: error }: PaymentIntent): string {
  switch (status) {
    case 'succeeded':
      return 'payment_intent.succeeded'
    case 'canceled':
      return 'payment_intent.canceled'
    case 'processing':
      return 'payment_intent.processing'
    case 'requires_action':
      return 'payment_intent.requires_action'
    case 'requires_capture':
      return 'payment_intent.amount_capturable_updated'
    case 'requires_payment_method':
      return error === null ? 'payment_intent.created' : 'payment_intent.payment_failed'
    default:
      return status satisfies never
  }
}
