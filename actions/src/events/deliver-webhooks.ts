import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { SecretBox } from '@commerce-graph/secret-box'
import { type Observer, parentFrom, tracer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import type { Database } from '../database.ts'
import { announce } from '../messaging/outbox/index.ts'
import { recordOutcome } from '../record-outcome.ts'
import * as events from '../sql/generated/events.ts'
import { signatureHeaders } from '../webhook-signature.ts'
import { openSecret } from './endpoint-secrets.ts'
import type { WebhookAnswer, WebhookSender } from './send-webhook.ts'
import type { Slots } from './slots.ts'

export interface WebhookRetries {
  /** Seconds from one attempt to the next. After the last one, a delivery has failed. */
  readonly delays: readonly number[]
  /** Seconds after which an endpoint is switched off if it has taken nothing. */
  readonly switchOffAfter: number
}

const minute = 60
const hour = 60 * minute

/** Ten attempts over three days; an endpoint that has failed for as long is switched off. */
export const defaultRetries: WebhookRetries = {
  delays: [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 20 * hour],
  switchOffAfter: 72 * hour,
}

export interface Delivering {
  readonly database: Database
  readonly secretBox: SecretBox
  readonly sender: WebhookSender
  readonly retries: WebhookRetries
  /** One for each request that is under way. */
  readonly slots: Slots
  /** The deliveries that are under way in this process, with the number of the attempt. */
  readonly underWay: Map<string, number>
  readonly observe?: Observer['delivery'] | undefined
  readonly logger: Logger
}

/** Requests to one endpoint that are under way at once, in one process or several. */
const atOnce = 5
/** Seconds. A process renews its claims while it lives; what one that was killed had begun is sent again after them. */
const lease = 12
/** Milliseconds. A claim survives two renewals that fail. */
const renewEvery = 3_500

type Claimed = events.ClaimDeliveriesAnswer

/** Begins to send the deliveries that are due, as far as there are free slots. Returns how many those are. */
export async function deliverWebhooks(delivering: Delivering): Promise<number> {
  const { database, slots, underWay, logger } = delivering
  if (slots.free <= 0) return 0
  const claimed = await events.claimDeliveries(database, { limit: slots.free, atOnce, lease })
  for (const delivery of claimed)
    slots.run(async () => {
      underWay.set(delivery.id, delivery.attempt)
      try {
        const ofMerchant = forMerchant(database, delivery.merchantId)
        await deliver({ ...delivering, database: ofMerchant }, delivery)
      } catch (error) {
        // The lease runs out, and it is sent again.
        logger.warn({ error, delivery: delivery.id }, 'a webhook’s outcome could not be recorded')
      } finally {
        underWay.delete(delivery.id)
      }
    })
  return claimed.length
}

/** Keeps the claims of deliveries that are under way in this process, until it is stopped. */
export function keepDeliveries(database: Database, underWay: ReadonlyMap<string, number>): { stop(): void } {
  const timer = setInterval(() => {
    if (underWay.size === 0) return
    events
      .keepDeliveries(database, { ids: [...underWay.keys()], attempts: [...underWay.values()], lease })
      .catch(() => undefined)
  }, renewEvery)
  return {
    stop() {
      clearInterval(timer)
    },
  }
}

async function deliver(delivering: Delivering, delivery: Claimed): Promise<void> {
  const { url, body } = delivery
  const headers = headersOrWhyNot(delivering.secretBox, delivery)
  if (typeof headers === 'string') {
    await recordOutcome(() => settle(delivering, delivery, {}, unsent(headers)))
    return
  }
  const options = { kind: 'producer', parent: parentFrom(delivery.traceContext) } as const
  const answer = await tracer.span(`webhook ${delivery.topic}`, options, () =>
    delivering.sender.send({ url, headers, body }),
  )
  delivering.observe?.('webhook', answer.outcome)
  await recordOutcome(() => settle(delivering, delivery, headers, answer))
}

/**
 * The headers, or why the webhook can't be signed: its secret is sealed with a key that is missing. It is tried again as one that the endpoint
 * didn't take, because a process with the key may sign it.
 */
function headersOrWhyNot(
  secretBox: SecretBox,
  { merchantId, id, endpointId, body, secret, previousSecret }: Claimed,
): Readonly<Record<string, string>> | string {
  try {
    const secrets = [secret, previousSecret]
      .filter((sealed) => sealed !== null)
      .map((sealed) => openSecret(secretBox, { merchantId, id: endpointId }, sealed))
    return {
      'content-type': 'application/json',
      'user-agent': 'CommerceGraph-Webhooks/1.0',
      ...signatureHeaders(id, body, secrets),
    }
  } catch (error) {
    return `The webhook could not be signed: ${error instanceof Error ? error.message : String(error)}`
  }
}

const unsent = (error: string): WebhookAnswer => ({
  outcome: 'failed',
  status: null,
  headers: null,
  body: null,
  error,
  retryAfter: null,
  startedAt: new Date(),
  duration: 0,
})

async function settle(
  { database, retries }: Delivering,
  { merchantId, id, attempt, url, endpointId }: Claimed,
  requestHeaders: Readonly<Record<string, string>>,
  answer: WebhookAnswer,
): Promise<void> {
  await database.begin(async (sql) => {
    const settled = await events.settleDelivery(sql, {
      merchantId,
      id,
      attempt,
      outcome: answer.outcome,
      url,
      requestHeaders,
      responseStatus: answer.status,
      responseHeaders: answer.headers,
      responseBody: answer.body,
      error: answer.error,
      startedAt: answer.startedAt.toISOString(),
      durationMs: answer.duration,
      retryAfter: answer.retryAfter,
      delays: retries.delays,
      switchOffAfter: retries.switchOffAfter,
    })
    if (settled.outcome !== 'switched_off') return
    const subjectKey = `${endpointId} ${settled.disabledAt}`
    await announce(sql, { merchantId, kind: 'WEBHOOK_DISABLED', subjectKey, message: settled.message })
  })
}
