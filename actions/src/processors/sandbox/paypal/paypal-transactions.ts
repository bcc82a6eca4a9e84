import { z } from 'zod'
import { fromPaypal, toPaypal } from '../../paypal/paypal-money.ts'
import {
  type Call,
  eventOf,
  link,
  money,
  newCapture,
  now,
  paymentsOf,
  saveOrder,
  tell,
  withOrder,
  withPayments,
} from './order-changes.ts'
import {
  answered,
  type Authorization,
  malformed,
  missing,
  type PaypalAnswer,
  type Refund,
  unprocessable,
} from './paypal-objects.ts'
import { type PaypalLedger, paypalId } from './paypal-store.ts'

const captureRequest = z.object({ amount: money.optional() })

export async function captureAuthorization(ledger: PaypalLedger, call: Call): Promise<PaypalAnswer> {
  const stored = await ledger.findOrderOf('authorizations', call.id)
  const [held] = stored === null ? [] : (paymentsOf(stored.order).authorizations ?? [])
  if (stored === null || held === undefined) return missing
  if (held.status === 'VOIDED')
    return unprocessable('AUTHORIZATION_VOIDED', 'A voided authorization cannot be captured.')
  if (held.status === 'CAPTURED')
    return unprocessable('AUTHORIZATION_ALREADY_CAPTURED', 'Authorization has already been captured.')
  const { data } = captureRequest.safeParse(call.body ?? {})
  if (data === undefined) return malformed('/amount', 'INVALID_PARAMETER_SYNTAX')
  const amount = data.amount ?? held.amount
  if (fromPaypal(amount) > fromPaypal(held.amount))
    return unprocessable('MAX_CAPTURE_AMOUNT_EXCEEDED', 'Capture amount exceeds allowable limit.')
  const capture = newCapture(call, stored.order, amount, false)
  const saved = await saveOrder(
    ledger,
    stored,
    withPayments(stored.order, {
      authorizations: [{ ...held, status: 'CAPTURED', update_time: now() }],
      captures: [capture],
    }),
  )
  await tell(ledger, saved)
  return answered(201, withOrder(capture, stored.order))
}

export async function voidAuthorization(ledger: PaypalLedger, { id }: Call): Promise<PaypalAnswer> {
  const stored = await ledger.findOrderOf('authorizations', id)
  const [held] = stored === null ? [] : (paymentsOf(stored.order).authorizations ?? [])
  if (stored === null || held === undefined) return missing
  if (held.status === 'VOIDED')
    return unprocessable('PREVIOUSLY_VOIDED', 'Authorization has been previously voided.')
  if (held.status === 'CAPTURED')
    return unprocessable('PREVIOUSLY_CAPTURED', 'Authorization has been previously captured.')
  const voided: Authorization = { ...held, status: 'VOIDED', update_time: now() }
  const saved = await saveOrder(ledger, stored, withPayments(stored.order, { authorizations: [voided] }))
  await tell(ledger, saved)
  return answered(200, voided)
}

export async function retrieveCapture(ledger: PaypalLedger, { id }: Call): Promise<PaypalAnswer> {
  const stored = await ledger.findOrderOf('captures', id)
  const [capture] = stored === null ? [] : (paymentsOf(stored.order).captures ?? [])
  return stored === null || capture === undefined ? missing : answered(200, withOrder(capture, stored.order))
}

const refundRequest = z.object({ amount: money.optional(), custom_id: z.string().max(127).optional() })

export async function refundCapture(ledger: PaypalLedger, call: Call): Promise<PaypalAnswer> {
  const stored = await ledger.findOrderOf('captures', call.id)
  const payments = stored === null ? {} : paymentsOf(stored.order)
  const [capture] = payments.captures ?? []
  if (stored === null || capture === undefined) return missing
  const { data } = refundRequest.safeParse(call.body ?? {})
  if (data === undefined) return malformed('/amount', 'INVALID_PARAMETER_SYNTAX')
  const earlier = payments.refunds ?? []
  const left = fromPaypal(capture.amount) - earlier.reduce((sum, { amount }) => sum + fromPaypal(amount), 0)
  if (capture.status === 'PENDING')
    return unprocessable('PENDING_CAPTURE', 'Cannot initiate a refund as the capture is pending.')
  if (left === 0)
    return unprocessable('CAPTURE_FULLY_REFUNDED', 'The capture has already been fully refunded.')
  const currency = capture.amount.currency_code
  const rest = toPaypal(left, currency)
  const amount = data.amount ?? (rest.kind === 'amount' ? rest.money : capture.amount)
  if (fromPaypal(amount) > left)
    return unprocessable('REFUND_AMOUNT_EXCEEDED', 'The refund amount must be less than the capture amount.')
  const id = paypalId()
  const created = now()
  const refund: Refund = {
    id,
    status: 'COMPLETED',
    amount,
    ...(data.custom_id !== undefined && { custom_id: data.custom_id }),
    create_time: created,
    update_time: created,
    links: [
      link('self', `${call.ownUrl}/v2/payments/refunds/${id}`),
      link('up', `${call.ownUrl}/v2/payments/captures/${capture.id}`),
    ],
  }
  const status = fromPaypal(amount) === left ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  const changed = {
    captures: [{ ...capture, status, update_time: created }],
    refunds: [...earlier, refund],
  } as const
  await saveOrder(ledger, stored, withPayments(stored.order, changed))
  await ledger.emit(stored.account, eventOf('PAYMENT.CAPTURE.REFUNDED', 'refund', refund))
  return answered(201, refund)
}

export async function retrieveRefund(ledger: PaypalLedger, { id }: Call): Promise<PaypalAnswer> {
  const stored = await ledger.findOrderOf('refunds', id)
  const refund = stored === null ? undefined : paymentsOf(stored.order).refunds?.find((one) => one.id === id)
  return refund === undefined ? missing : answered(200, refund)
}
