import { z } from 'zod'
import type { PaypalMoney } from '../../paypal/paypal-money.ts'
import type { Authorization, Capture, Link, Order, Payments } from './paypal-objects.ts'
import { type PaypalLedger, paypalId, type StoredOrder } from './paypal-store.ts'

/** Days that PayPal holds reserved money for. */
const authorizationDays = 29

export const money = z.object({
  currency_code: z.string().regex(/^[A-Z]{3}$/),
  value: z.string().regex(/^\d+(\.\d+)?$/),
})

/** The call of an account, with the address at which the sandbox is reached for it. */
export interface Call {
  readonly account: string
  readonly ownUrl: string
  /** The id in the path. */
  readonly id: string
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
}

export const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z')

export const link = (rel: string, href: string, method: Link['method'] = 'GET'): Link => ({
  href,
  rel,
  method,
})

export const orderUrl = ({ ownUrl }: Call, id: string): string => `${ownUrl}/v2/checkout/orders/${id}`

/** What is left of an order after a change, and its new update time. */
export async function saveOrder(
  ledger: PaypalLedger,
  stored: StoredOrder,
  order: Order,
): Promise<StoredOrder> {
  const saved = { ...stored, order: { ...order, update_time: now() } }
  await ledger.saveOrder(saved)
  return saved
}

export function withPayments(order: Order, payments: Payments): Order {
  const [unit] = order.purchase_units
  return { ...order, purchase_units: [{ ...unit, payments: { ...unit.payments, ...payments } }] }
}

export const paymentsOf = ({ purchase_units: [unit] }: Order): Payments => unit.payments ?? {}

const named = ({ purchase_units: [unit] }: Order) =>
  unit.custom_id === undefined ? {} : { custom_id: unit.custom_id }

export function newCapture(call: Call, order: Order, amount: PaypalMoney, isPending: boolean): Capture {
  const id = paypalId()
  const created = now()
  const self = `${call.ownUrl}/v2/payments/captures/${id}`
  return {
    id,
    status: isPending ? 'PENDING' : 'COMPLETED',
    ...(isPending && { status_details: { reason: 'ECHECK' } as const }),
    amount,
    ...named(order),
    final_capture: true,
    create_time: created,
    update_time: created,
    links: [
      link('self', self),
      link('refund', `${self}/refund`, 'POST'),
      link('up', orderUrl(call, order.id)),
    ],
  }
}

export function newAuthorization(call: Call, order: Order): Authorization {
  const [unit] = order.purchase_units
  const id = paypalId()
  const created = now()
  const self = `${call.ownUrl}/v2/payments/authorizations/${id}`
  const expires = new Date(Date.now() + authorizationDays * 86_400_000)
  return {
    id,
    status: 'CREATED',
    amount: unit.amount,
    ...named(order),
    expiration_time: expires.toISOString().replace(/\.\d+Z$/, 'Z'),
    create_time: created,
    update_time: created,
    links: [
      link('self', self),
      link('capture', `${self}/capture`, 'POST'),
      link('void', `${self}/void`, 'POST'),
      link('up', orderUrl(call, order.id)),
    ],
  }
}

/** A capture or an authorization, as PayPal shows it outside of its order. */
export const withOrder = <T extends object>(transaction: T, { id }: Order) => ({
  ...transaction,
  supplementary_data: { related_ids: { order_id: id } },
})

/** Emits the event of what an order's payment is now. */
export async function tell(ledger: PaypalLedger, { account, order }: StoredOrder): Promise<void> {
  const { captures = [], authorizations = [] } = paymentsOf(order)
  const [capture] = captures
  const [authorization] = authorizations
  if (capture !== undefined)
    await ledger.emit(
      account,
      eventOf(
        capture.status === 'PENDING' ? 'PAYMENT.CAPTURE.PENDING' : 'PAYMENT.CAPTURE.COMPLETED',
        'capture',
        withOrder(capture, order),
      ),
    )
  else if (authorization !== undefined)
    await ledger.emit(
      account,
      eventOf(
        authorization.status === 'VOIDED' ? 'PAYMENT.AUTHORIZATION.VOIDED' : 'PAYMENT.AUTHORIZATION.CREATED',
        'authorization',
        withOrder(authorization, order),
      ),
    )
}

export const eventOf = (type: string, resourceType: string, resource: object) => ({
  id: `WH-${paypalId()}-${paypalId()}`,
  event_version: '1.0',
  create_time: now(),
  resource_type: resourceType,
  resource_version: '2.0',
  event_type: type,
  summary: `${type} in the sandbox`,
  resource,
  links: [],
})
