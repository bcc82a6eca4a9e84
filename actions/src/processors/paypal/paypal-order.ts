import { z } from 'zod'
import type { ChargeAnswer, Decline, MadeRefund, RefundAnswer } from '../processor.ts'
import { fromPaypal } from './paypal-money.ts'

const money = z.object({ currency_code: z.string(), value: z.string() })

const link = z.object({ rel: z.string(), href: z.string() })

const details = z.object({ reason: z.string().optional() }).optional()

const authorization = z.object({
  id: z.string(),
  status: z.string(),
  amount: money.optional(),
  expiration_time: z.string().optional(),
  create_time: z.string().optional(),
})

const capture = z.object({
  id: z.string(),
  status: z.string(),
  status_details: details,
  amount: money,
  custom_id: z.string().optional(),
  supplementary_data: z
    .object({ related_ids: z.object({ order_id: z.string().optional() }).optional() })
    .optional(),
})

export const paypalRefund = z.object({
  id: z.string(),
  status: z.string(),
  status_details: details,
  amount: money.optional(),
  custom_id: z.string().optional(),
  create_time: z.string().optional(),
})
export type PaypalRefund = z.infer<typeof paypalRefund>

export const paypalCapture = capture

/** An order as PayPal has it, as far as it is read here. Ours have one purchase unit. */
export const paypalOrder = z.object({
  id: z.string(),
  status: z.string(),
  intent: z.enum(['CAPTURE', 'AUTHORIZE']),
  purchase_units: z
    .array(
      z.object({
        custom_id: z.string().optional(),
        amount: money,
        payments: z
          .object({
            authorizations: z.array(authorization).default([]),
            captures: z.array(capture).default([]),
            refunds: z.array(paypalRefund).default([]),
          })
          .default({ authorizations: [], captures: [], refunds: [] }),
      }),
    )
    .min(1),
  links: z.array(link).default([]),
})
export type PaypalOrder = z.infer<typeof paypalOrder>

export const paymentsOf = (order: PaypalOrder) =>
  order.purchase_units[0]?.payments ?? { authorizations: [], captures: [], refunds: [] }

/** Money that came in, whether or not some of it went back. */
const taken: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'])

/** The captures of an order whose money came in. */
export const capturesOf = (order: PaypalOrder) =>
  paymentsOf(order).captures.filter(({ status }) => taken.has(status))

/** The money that PayPal holds for us, or may hold when it has looked at it. */
export const openAuthorizationOf = (order: PaypalOrder) =>
  paymentsOf(order).authorizations.find(({ status }) => status === 'CREATED' || status === 'PENDING')

/** The state of an order's payment. */
export function chargeAnswerOf(order: PaypalOrder): ChargeAnswer {
  const intentId = order.id
  const { captures, authorizations } = paymentsOf(order)
  const received = capturesOf(order)
  if (received.length > 0) {
    const captured = received.reduce((sum, { amount }) => sum + fromPaypal(amount), 0)
    return { status: 'succeeded', intentId, card: null, captured, capturable: 0 }
  }
  if (captures.some(({ status }) => status === 'PENDING')) return { status: 'processing', intentId }
  const failed = captures.at(-1)
  if (failed !== undefined)
    return declinedBecause(intentId, failed.status_details?.reason ?? `CAPTURE_${failed.status}`)
  const [reserved] = authorizations
  if (reserved !== undefined) return answerOfAuthorization(order, reserved)
  switch (order.status) {
    case 'CREATED':
    case 'SAVED':
    case 'PAYER_ACTION_REQUIRED':
      return {
        status: 'requires_action',
        intentId,
        action: { type: 'redirect_to_url', clientSecret: order.id, redirectUrl: approvalUrl(order) },
      }
    case 'APPROVED':
      return { status: 'approved', intentId }
    case 'VOIDED':
      return { status: 'cancelled', intentId }
    default:
      return { status: 'unknown', cause: new Error(`PayPal order ${intentId} is ${order.status}`) }
  }
}

/** PayPal's own limit, where the authorization doesn't tell. */
const authorizationDays = 29

function answerOfAuthorization(
  { id: intentId }: PaypalOrder,
  { status, expiration_time: expires, create_time: created }: z.infer<typeof authorization>,
): ChargeAnswer {
  switch (status) {
    case 'CREATED': {
      const begun = created === undefined ? Date.now() : Date.parse(created)
      const end = expires ?? new Date(begun + authorizationDays * 86_400_000).toISOString()
      return { status: 'authorized', intentId, card: null, captureBefore: end }
    }
    case 'PENDING':
      return { status: 'processing', intentId }
    case 'VOIDED':
    case 'EXPIRED':
      return { status: 'cancelled', intentId }
    case 'DENIED':
      return declinedBecause(intentId, 'AUTHORIZATION_DENIED')
    default:
      return {
        status: 'unknown',
        cause: new Error(`The authorization of PayPal order ${intentId} is ${status}`),
      }
  }
}

/** Where the customer agrees to the payment. */
const approvalUrl = ({ links }: PaypalOrder): string | null =>
  links.find(({ rel }) => rel === 'payer-action' || rel === 'approve')?.href ?? null

/** PayPal's reasons that are about the customer's account or what it pays with. */
const ofThePayer =
  /^(INSTRUMENT_DECLINED|REDIRECT_PAYER_FOR_ALTERNATE_FUNDING|TRANSACTION_REFUSED|TRANSACTION_LIMIT_EXCEEDED|PAYER_.*|DECLINED.*|CAPTURE_.*|AUTHORIZATION_DENIED|COMPLIANCE_VIOLATION)$/

/** @param issue PayPal's word for the reason */
export const declinedBecause = (intentId: string | null, issue: string): ChargeAnswer => ({
  status: 'declined',
  intentId,
  card: null,
  decline: declineOf(issue),
})

function declineOf(issue: string): Decline {
  const code = issue.toLowerCase()
  return ofThePayer.test(issue)
    ? {
        code: 'payment_method_provider_decline',
        message: 'PayPal declined the payment.',
        declineCode: code,
      }
    : { code, message: `The payment processor refused the request: ${code}`, declineCode: null }
}

export function refundAnswerOf({ id, status, status_details: because }: PaypalRefund): RefundAnswer {
  switch (status) {
    case 'COMPLETED':
      return { status: 'succeeded', refundId: id }
    case 'FAILED':
    case 'CANCELLED':
      return { status: 'failed', refundId: id, reason: because?.reason ?? status.toLowerCase() }
    default:
      return { status: 'pending', refundId: id }
  }
}

const refundStatus = {
  succeeded: 'SUCCEEDED',
  pending: 'PENDING',
  unknown: 'PENDING',
  failed: 'FAILED',
} as const

/** The refunds of an order, oldest first. */
export const madeRefundsOf = (order: PaypalOrder): readonly MadeRefund[] =>
  paymentsOf(order)
    .refunds.toSorted((a, b) => (a.create_time ?? '').localeCompare(b.create_time ?? ''))
    .map((refund) => {
      const answer = refundAnswerOf(refund)
      return {
        refundId: refund.id,
        amount: refund.amount === undefined ? 0 : fromPaypal(refund.amount),
        status: refundStatus[answer.status],
        reason: answer.status === 'failed' ? answer.reason : null,
        request: requestOf(order, refund),
      }
    })

/** A refund in the dashboard may inherit the payment's id from its capture. */
const requestOf = (order: PaypalOrder, { custom_id: custom }: PaypalRefund): string | null =>
  custom === undefined || custom === order.purchase_units[0]?.custom_id ? null : custom
