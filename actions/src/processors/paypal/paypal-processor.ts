import type { z } from 'zod'
import { refusedAmount } from '../refused-amount.ts'
import type {
  Activity,
  CaptureRequest,
  ChargeAnswer,
  ChargeRequest,
  PaymentProcessor,
  RefundAnswer,
  RefundRequest,
} from '../processor.ts'
import { connectPaypal, type Paypal, type PaypalAnswer, type PaypalConnection } from './connect-paypal.ts'
import { activityOf } from './paypal-activity.ts'
import { type PaypalMoney, toPaypal } from './paypal-money.ts'
import {
  capturesOf,
  chargeAnswerOf,
  declinedBecause,
  openAuthorizationOf,
  paymentsOf,
  type PaypalOrder,
  paypalOrder,
  paypalRefund,
  refundAnswerOf,
} from './paypal-order.ts'

/** PayPal's own estimate for refunds to a card or a bank is 5 to 10 business days. */
const refundDays = 10

/**
 * PayPal's Orders API. A payment's intent is an order: it is made, the customer approves it on PayPal's page, and
 * `take` captures or reserves the money. Until then nothing is taken, so an order that is forgotten does no harm.
 */
export function createPaypalProcessor(connection: PaypalConnection): PaymentProcessor {
  const paypal = connectPaypal(connection)
  return {
    name: 'paypal',
    refundDays,
    vault: null,
    refusalOf(amount, currency) {
      const money = toPaypal(amount, currency)
      return money.kind === 'refused' ? money.because : null
    },
    charge: (request) => createOrder(paypal, request),
    retrieve: (orderId) => answerFor(paypal, orderId, chargeAnswerOf),
    take: (orderId) => answerFor(paypal, orderId, (order) => take(paypal, order)),
    capture: (request) =>
      answerFor(paypal, request.intentId, (order) => captureAuthorized(paypal, order, request)),
    // PayPal finds no orders by our ids. One whose answer was lost was never approved: its address went nowhere.
    find: () => Promise.resolve(null),
    cancel: (orderId) => answerFor(paypal, orderId, (order) => release(paypal, order)),
    // Every capture is final, since a refund at PayPal is of one capture: nothing is held after it.
    release: (orderId) => answerFor(paypal, orderId, chargeAnswerOf),
    refund: (request) => refund(paypal, request),
    findRefund: (request) => findRefund(paypal, request),
    retrieveRefund: async (id) => answerOfRefund(await paypal.send(get(`/v2/payments/refunds/${id}`))),
    activity: (orderId) => activity(paypal, orderId),
  }
}

const get = (path: string) => ({ method: 'GET', path }) as const

const orderPath = (orderId: string) => `/v2/checkout/orders/${encodeURIComponent(orderId)}`

async function createOrder(paypal: Paypal, request: ChargeRequest): Promise<ChargeAnswer> {
  const amount = toPaypal(request.amount, request.currency)
  if (amount.kind === 'refused') return refusedAmount(null, amount.because)
  const answer = await paypal.send({
    method: 'POST',
    path: '/v2/checkout/orders',
    body: JSON.stringify(orderOf(request, amount.money)),
    requestId: request.idempotencyKey,
  })
  if (answer.kind === 'refused') return declinedBecause(null, answer.issue)
  const read = parse(answer, paypalOrder)
  return read.kind === 'read' ? chargeAnswerOf(read.value) : read.answer
}

const orderOf = (
  { manualCapture, returnUrl, metadata, idempotencyKey }: ChargeRequest,
  amount: PaypalMoney,
) => ({
  intent: manualCapture ? 'AUTHORIZE' : 'CAPTURE',
  purchase_units: [{ custom_id: metadata['payment_id'] ?? idempotencyKey, amount }],
  payment_source: {
    paypal: {
      experience_context: {
        user_action: 'PAY_NOW',
        // The address is the order's own.
        shipping_preference: 'NO_SHIPPING',
        ...(returnUrl !== null && { return_url: returnUrl, cancel_url: returnUrl }),
      },
    },
  },
})

type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'not_read'
      readonly answer: { readonly status: 'unknown' | 'unauthorized'; readonly cause: unknown }
    }

function parse<T>(answer: PaypalAnswer, schema: z.ZodType<T>): Exclude<Read<T>, { kind: 'missing' }> {
  switch (answer.kind) {
    case 'ok': {
      const { data, error } = schema.safeParse(answer.body)
      return data === undefined
        ? { kind: 'not_read', answer: { status: 'unknown', cause: error } }
        : { kind: 'read', value: data }
    }
    case 'refused':
      return notRead(new Error(`PayPal refused a request: ${answer.issue}`))
    case 'unauthorized':
      return { kind: 'not_read', answer: { status: 'unauthorized', cause: answer.cause } }
    case 'unanswered':
      return notRead(answer.cause)
    default:
      return answer satisfies never
  }
}

const notRead = (cause: Error) => ({ kind: 'not_read', answer: { status: 'unknown', cause } }) as const

const notFound = 404

async function readOrder(paypal: Paypal, orderId: string): Promise<Read<PaypalOrder>> {
  const answer = await paypal.send(get(orderPath(orderId)))
  if (answer.kind === 'refused' && answer.status === notFound) return { kind: 'missing' }
  return parse(answer, paypalOrder)
}

/** PayPal forgets an order that was not approved in time, and one that was approved and not taken. */
async function answerFor(
  paypal: Paypal,
  orderId: string,
  work: (order: PaypalOrder) => ChargeAnswer | Promise<ChargeAnswer>,
): Promise<ChargeAnswer> {
  const read = await readOrder(paypal, orderId)
  switch (read.kind) {
    case 'read':
      return work(read.value)
    case 'missing':
      return { status: 'cancelled', intentId: orderId }
    case 'not_read':
      return read.answer
    default:
      return read satisfies never
  }
}

/** Refusals after which the order is what it was, or what another request makes it. */
const undecided = /^(ORDER_COMPLETION_IN_PROGRESS|ORDER_NOT_APPROVED|PAYER_ACTION_REQUIRED|.*ALREADY.*)$/

async function take(paypal: Paypal, order: PaypalOrder): Promise<ChargeAnswer> {
  const before = chargeAnswerOf(order)
  if (before.status !== 'approved') return before
  const action = order.intent === 'CAPTURE' ? 'capture' : 'authorize'
  const answer = await paypal.send({
    method: 'POST',
    path: `${orderPath(order.id)}/${action}`,
    body: '{}',
    requestId: `${order.id}-${action}`,
  })
  if (answer.kind === 'refused') return afterRefusal(paypal, order.id, answer.issue, before.status)
  const read = parse(answer, paypalOrder)
  return read.kind === 'read' ? chargeAnswerOf(read.value) : read.answer
}

async function captureAuthorized(
  paypal: Paypal,
  order: PaypalOrder,
  { total, idempotencyKey }: CaptureRequest,
): Promise<ChargeAnswer> {
  const before = chargeAnswerOf(order)
  const held = openAuthorizationOf(order)
  const [unit] = order.purchase_units
  if (before.status !== 'authorized' || held === undefined || unit === undefined) return before
  const amount = toPaypal(total, unit.amount.currency_code)
  if (amount.kind === 'refused') return refusedAmount(order.id, amount.because)
  const answer = await paypal.send({
    method: 'POST',
    path: `/v2/payments/authorizations/${held.id}/capture`,
    body: JSON.stringify({ amount: amount.money, final_capture: true }),
    requestId: idempotencyKey,
  })
  if (answer.kind === 'refused') return afterRefusal(paypal, order.id, answer.issue, before.status)
  if (answer.kind === 'ok') return answerFor(paypal, order.id, chargeAnswerOf)
  return { status: 'unknown', cause: answer.cause }
}

/** What a refusal means is said by the order: if it is what it was, the refusal is about this request. */
const afterRefusal = (
  paypal: Paypal,
  orderId: string,
  issue: string,
  before: ChargeAnswer['status'],
): Promise<ChargeAnswer> =>
  answerFor(paypal, orderId, (order) => {
    const now = chargeAnswerOf(order)
    if (undecided.test(issue))
      return now.status === before
        ? { status: 'unknown', cause: new Error(`PayPal order ${orderId}: ${issue}`) }
        : now
    const isOpen = now.status === before || now.status === 'requires_action'
    return isOpen ? declinedBecause(orderId, issue) : now
  })

/** Lets reserved money go. An order without any can't be ended: nothing is taken of it without `take`. */
async function release(paypal: Paypal, order: PaypalOrder): Promise<ChargeAnswer> {
  const before = chargeAnswerOf(order)
  if (before.status === 'requires_action' || before.status === 'approved')
    return { status: 'untaken', intentId: order.id }
  const held = openAuthorizationOf(order)
  if (held === undefined || capturesOf(order).length > 0) return before
  const answer = await paypal.send({
    method: 'POST',
    path: `/v2/payments/authorizations/${held.id}/void`,
    requestId: `${held.id}-void`,
  })
  if (answer.kind === 'ok') return { status: 'cancelled', intentId: order.id }
  if (answer.kind === 'refused') return answerFor(paypal, order.id, chargeAnswerOf)
  return { status: answer.kind === 'unauthorized' ? 'unauthorized' : 'unknown', cause: answer.cause }
}

async function refund(
  paypal: Paypal,
  { idempotencyKey, intentId, amount }: RefundRequest,
): Promise<RefundAnswer> {
  if (intentId === null) return noCapture
  const read = await readOrder(paypal, intentId)
  if (read.kind === 'missing') return noCapture
  if (read.kind === 'not_read') return { status: 'unknown', cause: read.answer.cause }
  const [capture] = capturesOf(read.value)
  if (capture === undefined) return noCapture
  const back = toPaypal(amount, capture.amount.currency_code)
  if (back.kind === 'refused') return { status: 'failed', refundId: null, reason: back.because }
  return answerOfRefund(
    await paypal.send({
      method: 'POST',
      path: `/v2/payments/captures/${capture.id}/refund`,
      body: JSON.stringify({ amount: back.money, custom_id: idempotencyKey }),
      requestId: idempotencyKey,
    }),
  )
}

const noCapture = {
  status: 'failed',
  refundId: null,
  reason: 'PayPal has taken nothing that could be refunded',
} as const satisfies RefundAnswer

function answerOfRefund(answer: PaypalAnswer): RefundAnswer {
  if (answer.kind === 'refused')
    return { status: 'failed', refundId: null, reason: answer.issue.toLowerCase() }
  const read = parse(answer, paypalRefund)
  return read.kind === 'read' ? refundAnswerOf(read.value) : { status: 'unknown', cause: read.answer.cause }
}

async function findRefund(
  paypal: Paypal,
  { intentId, idempotencyKey }: RefundRequest,
): Promise<RefundAnswer | null> {
  if (intentId === null) return null
  const read = await readOrder(paypal, intentId)
  if (read.kind === 'missing') return null
  if (read.kind === 'not_read') return { status: 'unknown', cause: read.answer.cause }
  const made = paymentsOf(read.value).refunds.find(({ custom_id: custom }) => custom === idempotencyKey)
  return made === undefined ? null : refundAnswerOf(made)
}

async function activity(paypal: Paypal, orderId: string): Promise<Activity> {
  const read = await readOrder(paypal, orderId)
  if (read.kind === 'read') return activityOf(paypal, read.value)
  const cause = read.kind === 'missing' ? new Error(`PayPal has no order ${orderId}`) : read.answer.cause
  return { status: 'unknown', cause }
}
