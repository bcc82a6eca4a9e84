import { z } from 'zod'
import { fromPaypal } from '../../paypal/paypal-money.ts'
import {
  type Call,
  eventOf,
  link,
  money,
  newAuthorization,
  newCapture,
  now,
  orderUrl,
  paymentsOf,
  saveOrder,
  tell,
  withPayments,
} from './order-changes.ts'
import { openDispute } from './paypal-disputes.ts'
import {
  answered,
  type Capture,
  malformed,
  missing,
  type Order,
  type PaypalAnswer,
  unprocessable,
} from './paypal-objects.ts'
import { type PaypalLedger, paypalId, type StoredOrder } from './paypal-store.ts'

const newOrder = z.object({
  intent: z.enum(['CAPTURE', 'AUTHORIZE']),
  purchase_units: z
    .array(
      z.object({
        reference_id: z.string().default('default'),
        custom_id: z.string().max(127).optional(),
        amount: money,
      }),
    )
    .length(1),
  payment_source: z.object({
    paypal: z.object({
      experience_context: z
        .object({ return_url: z.url().optional(), cancel_url: z.url().optional() })
        .default({}),
    }),
  }),
})

export async function createOrder(ledger: PaypalLedger, call: Call): Promise<PaypalAnswer> {
  const { data, error } = newOrder.safeParse(call.body)
  const unit = data?.purchase_units[0]
  if (data === undefined || unit === undefined)
    return malformed(`/${error?.issues[0]?.path.join('/') ?? ''}`, 'INVALID_PARAMETER_VALUE')
  if (fromPaypal(unit.amount) === 0)
    return unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', 'Must be greater than zero.')
  const id = paypalId()
  const created = now()
  const { return_url: returnUrl = null, cancel_url: cancelUrl = null } =
    data.payment_source.paypal.experience_context
  const { custom_id: custom, ...rest } = unit
  const order: Order = {
    id,
    intent: data.intent,
    status: 'PAYER_ACTION_REQUIRED',
    payment_source: { paypal: {} },
    purchase_units: [{ ...rest, ...(custom !== undefined && { custom_id: custom }) }],
    create_time: created,
    update_time: created,
    links: [link('self', orderUrl(call, id)), link('payer-action', `${call.ownUrl}/checkoutnow?token=${id}`)],
  }
  await ledger.saveOrder({ account: call.account, order, returnUrl, cancelUrl, decision: null })
  return answered(200, order)
}

export async function retrieveOrder(ledger: PaypalLedger, { id }: Call): Promise<PaypalAnswer> {
  const stored = await ledger.findOrder(id)
  return stored === null ? missing : answered(200, stored.order)
}

/** Captures or authorizes an order that its customer has approved. */
export async function completeOrder(
  ledger: PaypalLedger,
  call: Call,
  intent: Order['intent'],
): Promise<PaypalAnswer> {
  const stored = await ledger.findOrder(call.id)
  if (stored === null) return missing
  const { order, decision } = stored
  if (order.status === 'COMPLETED')
    return unprocessable(
      intent === 'CAPTURE' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_ALREADY_AUTHORIZED',
      'Order already completed.',
    )
  if (order.intent !== intent)
    return unprocessable('ACTION_DOES_NOT_MATCH_INTENT', 'Order was created with another intent.')
  if (order.status !== 'APPROVED')
    return unprocessable('ORDER_NOT_APPROVED', 'Payer has not yet approved the Order for payment.')
  if (decision === 'decline') {
    // The customer may go back to PayPal, and choose another card.
    await saveOrder(ledger, stored, { ...order, status: 'PAYER_ACTION_REQUIRED' })
    return unprocessable('INSTRUMENT_DECLINED', 'The instrument presented was declined.')
  }
  const [unit] = order.purchase_units
  const completed: Order = { ...order, status: 'COMPLETED', update_time: now() }
  const isPending = decision === 'pending' && intent === 'CAPTURE'
  const made =
    intent === 'CAPTURE'
      ? { captures: [newCapture(call, order, unit.amount, isPending)] }
      : { authorizations: [newAuthorization(call, order)] }
  const saved = await saveOrder(ledger, stored, withPayments(completed, made))
  await tell(ledger, saved)
  if (decision === 'dispute') await openDispute(ledger, saved, call.ownUrl)
  return answered(201, saved.order)
}

/** The customer agrees on the sandbox's page. False: the order doesn't wait for that. */
export async function approveOrder(
  ledger: PaypalLedger,
  stored: StoredOrder,
  decision: NonNullable<StoredOrder['decision']>,
): Promise<boolean> {
  if (stored.order.status !== 'PAYER_ACTION_REQUIRED') return false
  const saved = await saveOrder(ledger, { ...stored, decision }, { ...stored.order, status: 'APPROVED' })
  await ledger.emit(stored.account, eventOf('CHECKOUT.ORDER.APPROVED', 'checkout-order', saved.order))
  return true
}

/** Banks' late decisions: captures that were pending are completed. */
export async function settlePending(ledger: PaypalLedger): Promise<void> {
  for (const stored of await ledger.findPending()) {
    const captures = (paymentsOf(stored.order).captures ?? []).map((capture): Capture => ({
      ...capture,
      status: 'COMPLETED',
      status_details: undefined,
    }))
    await tell(ledger, await saveOrder(ledger, stored, withPayments(stored.order, { captures })))
  }
}
