import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { SecretBox } from '@commerce-graph/secret-box'
import express, { type Request, type RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Database } from '../database.ts'
import {
  kindOf,
  type ProcessorEndpoints,
  type ProcessorKind,
  type WebhookReading,
} from '../processors/index.ts'
import * as paymentSql from '../sql/generated/payment.ts'
import { credentialsOf, findAccountOfWebhook, type StoredAccount } from './accounts.ts'
import { type FollowOptions, followProcessor } from './follow-processor.ts'
import { findPaymentOfIntent } from './payments.ts'

export interface WebhookOptions {
  /** Finds the merchant of a webhook, across merchants. */
  readonly database: Database
  /** What a payment is followed with. @param own the database in the scope of its merchant */
  readonly follow: (own: Database) => FollowOptions
  readonly secretBox: SecretBox
  readonly endpoints: ProcessorEndpoints
  readonly logger: Logger
}

/** Processors' events are a few kilobytes. */
const bodyLimit = '256kb'

const kindNames = { stripe: 'STRIPE', paypal: 'PAYPAL' } as const satisfies Record<
  string,
  ProcessorKind['name']
>

const address = z.object({
  processor: z.enum(['stripe', 'paypal']).transform((name) => kindNames[name]),
  account: z.guid(),
})

/**
 * The endpoints of the processors' webhooks: `POST /<processor>/<account>`. They answer 2xx only after the event had
 * its effect, so the processor repeats an event that a crash has lost. An event is a hint: the handler asks the
 * processor about the payment, so the order of events doesn't matter.
 */
export function paymentWebhooks(options: WebhookOptions): Router {
  const router = Router()
  router.post('/:processor/:account', express.raw({ type: () => true, limit: bodyLimit }), receive(options))
  return router
}

const receive =
  (options: WebhookOptions): RequestHandler =>
  async (request, response) => {
    const { status, message } = await handle(options, request)
    response.status(status).json({ message })
  }

interface Answer {
  readonly status: number
  readonly message: string
}

const noAnswer: Answer = { status: 503, message: 'The processor did not answer what the event is about' }

async function handle(options: WebhookOptions, request: Request): Promise<Answer> {
  const to = address.safeParse(request.params)
  const account = to.success
    ? await findAccountOfWebhook(options.database, to.data.processor, to.data.account)
    : null
  if (account === null) return { status: 404, message: 'There is no such payment account' }
  const reading = await read(options, account, request)
  switch (reading.kind) {
    case 'refused':
      return { status: 400, message: reading.reason }
    case 'unanswered':
      return noAnswer
    case 'event': {
      const { id: accountId, merchantId } = account
      const own = forMerchant(options.database, merchantId)
      const isNew = await paymentSql.beginEvent(own, {
        merchantId,
        accountId,
        eventId: reading.id,
        type: reading.type,
      })
      if (!isNew) return { status: 200, message: 'The event was acted on before' }
      if (!(await actOn({ ...options, database: own }, account, reading))) return noAnswer
      await own`
          UPDATE payment.webhook_event SET processed_at = now()
          WHERE merchant_id = ${merchantId} AND account_id = ${accountId} AND event_id = ${reading.id}`
      return { status: 200, message: 'Done' }
    }
    default:
      return reading satisfies never
  }
}

const read = (
  { secretBox, endpoints }: WebhookOptions,
  account: StoredAccount,
  { headers, body }: Request,
): Promise<WebhookReading> =>
  kindOf(account.processor).readWebhook(
    { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) },
    credentialsOf(secretBox, account),
    endpoints,
  )

/** Returns whether the event is dealt with. What is about no payment of ours needs nothing. */
async function actOn(
  options: WebhookOptions,
  account: StoredAccount,
  { id, type, intentId, paymentId }: Extract<WebhookReading, { kind: 'event' }>,
): Promise<boolean> {
  const payment = await findPaymentOfIntent(options.database, account, { intentId, paymentId })
  if (payment === null) return true
  const answered = await followProcessor(options.follow(options.database), payment)
  options.logger.info({ merchantId: account.merchantId, event: id, type, answered }, 'a payment webhook')
  return answered
}
