import type { RequestError } from '@commerce-graph/client'
import { redirect } from 'react-router'
import { done, failed, type Outcome } from '../cart/cart.ts'
import {
  ConfirmPaymentDocument,
  OrderByIdDocument,
  type OrderByIdQuery,
  type PaymentMethod,
  ProcessPaymentDocument,
} from '../generated/operations.ts'
import { ask, change } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { visit } from '../shop/visit.ts'
import { formText } from '../ui/form-text.ts'
import type { Problem } from '../ui/problem.ts'

export type Order = NonNullable<OrderByIdQuery['order']>

export interface OrderVisit {
  readonly order: Order | null
  /** What went wrong at the bank, from which the visitor has come back. */
  readonly trouble: Problem | null
  /** False while it isn't known whether the bank has agreed: a second payment would be one too many. */
  readonly mayPay: boolean
}

export async function loadOrder(id: string, signal: AbortSignal): Promise<OrderVisit> {
  const { trouble, mayPay } = await finishPayment(id)
  const { order } = await ask(browserShop().client, OrderByIdDocument, { id }, signal)
  return { order, trouble, mayPay }
}

/** After the visitor has come back from the bank's page. If the shop is away, the payment is asked about again the next time. */
async function finishPayment(orderId: string): Promise<Omit<OrderVisit, 'order'>> {
  const { pendingPayment } = visit.read()
  if (pendingPayment?.orderId !== orderId) return { trouble: null, mayPay: true }
  const confirmed = await change(browserShop().client, ConfirmPaymentDocument, {
    id: pendingPayment.paymentId,
  })
  if (!confirmed.ok && isAway(confirmed.error))
    return {
      trouble: { text: 'paymentUnknown', message: confirmed.error.message, fields: {} },
      mayPay: false,
    }
  visit.change({ pendingPayment: undefined })
  const error = confirmed.ok ? confirmed.data.confirmPayment.error : confirmed.error
  return {
    trouble: error === null ? null : { text: 'bankRefused', message: error.message, fields: {} },
    mayPay: true,
  }
}

/** Whether a later request may be answered. */
const isAway = ({ kind }: RequestError): boolean =>
  kind === 'unavailable' || kind === 'not-graphql' || kind === 'rate-limited'

/**
 * Pays as the form says. If the bank asks its customer, the browser leaves for the bank's page, and comes back to the order. The
 * router leaves, because after any other answer it would load the order again, and finish a payment that the bank doesn't know yet.
 */
export async function pay(orderId: string, form: FormData): Promise<Outcome | Response> {
  const method = formText(form, 'method') as PaymentMethod
  const card = form.get('paymentMethodId')
  const input = {
    orderId,
    method,
    ...(typeof card === 'string' && card !== '' && { paymentMethodId: card }),
    ...((method === 'CARD' || method === 'PAYPAL') && { returnUrl: `${location.origin}/order/${orderId}` }),
  }
  const paid = await change(browserShop().client, ProcessPaymentDocument, { input })
  if (!paid.ok) return failed(paid.error)
  const { id, requiresAction, error } = paid.data.processPayment
  if (error !== null)
    return { ok: false, problem: { text: 'anotherCard', message: error.message, fields: {} } }
  const redirectUrl = requiresAction?.redirectUrl
  if (redirectUrl != null && id !== null) {
    visit.change({ pendingPayment: { orderId, paymentId: id } })
    return redirect(redirectUrl)
  }
  return done
}
