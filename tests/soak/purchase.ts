import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { shippingAddress } from '../support/shop.ts'

/** The steps of a purchase after its order. */
export const ways = [
  'card',
  'declined',
  '3-D Secure',
  'captured',
  'voided',
  'debit',
  'paypal',
  'points',
  'refunded',
  'cancelled',
] as const
export type Way = (typeof ways)[number]

/** A customer's only purchase, as far as its client knows. */
export interface Purchase {
  readonly way: Way
  customerId: string | null
  orderId: string | null
  paymentId: string | null
  /** Requests that were sent again because no answer came. */
  retries: number
  /** `left`: the client gave up after a request without an answer. */
  end: 'under way' | 'done' | 'left'
}

export interface ClientOptions {
  /** Null while the platform is away. */
  readonly graphqlUrl: () => string | null
  readonly key: string
  readonly productId: string
  /** Whether a client that gets no answer comes back. */
  readonly returns: () => boolean
  /** Milliseconds that a client goes on for without an answer. */
  readonly patience: number
}

class Left extends Error {}

/** Buys as a storefront does: each request has an Idempotency-Key, and is sent again with it if there is no answer. */
export async function buy(options: ClientOptions, way: Way): Promise<Purchase> {
  const purchase: Purchase = {
    way,
    customerId: null,
    orderId: null,
    paymentId: null,
    retries: 0,
    end: 'under way',
  }
  try {
    await buyWith(
      (name, query, variables) => request(options, purchase, { name, query, variables }),
      options,
      purchase,
    )
    purchase.end = 'done'
  } catch (error) {
    if (!(error instanceof Left)) throw error
    purchase.end = 'left'
  }
  return purchase
}

/** The only payload of a mutation. */
type Send = <Payload>(name: string, query: string, variables: object) => Promise<Payload>

interface Paid {
  readonly payment: { readonly id: string; readonly status: string } | null
  readonly requiresAction: { readonly redirectUrl: string } | null
}

async function buyWith(send: Send, { productId }: ClientOptions, purchase: Purchase): Promise<void> {
  const { customer } = await send<{ customer: { id: string } }>(
    'createCustomer',
    '($input: CustomerInput!) { payload: createCustomer(input: $input) { customer { id } errors { field message } } }',
    { input: { email: `${randomUUID()}@example.com`, name: 'Soak' } },
  )
  purchase.customerId = customer.id
  if (purchase.way === 'points')
    await send(
      'adjustLoyaltyPoints',
      '($input: AdjustLoyaltyPointsInput!) { payload: adjustLoyaltyPoints(input: $input) { errors { field message } } }',
      { input: { customerId: customer.id, points: 1_000_000, reason: 'Soak' } },
    )
  const { order } = await send<{ order: { id: string } }>(
    'createOrder',
    '($input: CreateOrderInput!) { payload: createOrder(input: $input) { order { id } errors { field message } } }',
    { input: { customerId: customer.id, items: [{ productId, quantity: 1 }], shippingAddress } },
  )
  purchase.orderId = order.id
  const { payment, requiresAction } = await send<Paid>(
    'processPayment',
    '($input: PaymentInput!) { payload: processPayment(input: $input) { payment { id status } requiresAction { redirectUrl } errors { field message } } }',
    { input: { orderId: order.id, ...paymentOf[purchase.way] } },
  )
  const id = payment?.id ?? null
  purchase.paymentId = id
  if (requiresAction !== null) {
    await fetch(requiresAction.redirectUrl, {
      method: 'POST',
      body: new URLSearchParams({ outcome: purchase.way === 'paypal' ? 'approve' : 'complete' }),
      redirect: 'manual',
    })
    await onPayment(send, 'confirmPayment', id)
  }
  if (purchase.way === 'captured') await onPayment(send, 'capturePayment', id)
  if (purchase.way === 'voided') await onPayment(send, 'voidPayment', id)
  if (purchase.way === 'refunded')
    await send(
      'refundPayment',
      '($id: ID!) { payload: refundPayment(id: $id, input: { amount: 500, reason: "Soak" }) { errors { field message } } }',
      { id },
    )
  if (purchase.way === 'cancelled')
    await send(
      'cancelOrder',
      '($id: ID!) { payload: cancelOrder(id: $id, reason: "Soak") { errors { field message } } }',
      { id: order.id },
    )
}

const onPayment = (send: Send, name: string, id: string | null): Promise<unknown> =>
  send(name, `($id: ID!) { payload: ${name}(id: $id) { errors { field message } } }`, { id })

const card = (paymentMethodId: string) => ({ method: 'CARD', paymentMethodId })
const reserved = { ...card('pm_card_visa'), captureMethod: 'MANUAL' }

const paymentOf: Readonly<Record<Way, object>> = {
  card: card('pm_card_visa'),
  declined: card('pm_card_chargeDeclined'),
  '3-D Secure': card('pm_card_authenticationRequired'),
  captured: reserved,
  voided: reserved,
  debit: { method: 'SEPA_DEBIT', paymentMethodId: 'pm_success_de' },
  paypal: { method: 'PAYPAL', returnUrl: 'https://shop.example.com/thanks' },
  points: { method: 'LOYALTY_POINTS' },
  refunded: card('pm_card_visa'),
  cancelled: card('pm_card_visa'),
}

interface Answered {
  readonly data?: { readonly payload: { readonly errors: readonly object[] } | null } | null
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

const isDecline = ({ errors }: Answered): boolean => errors?.[0]?.extensions.code === 'PAYMENT_FAILED'

const pause = 20

/** Sends a request until it is answered. @throws Left if the client gives up */
async function request<Payload>(
  options: ClientOptions,
  purchase: Purchase,
  { name, query, variables }: { readonly name: string; readonly query: string; readonly variables: object },
): Promise<Payload> {
  const idempotencyKey = randomUUID()
  const deadline = Date.now() + options.patience
  for (;;) {
    const url = options.graphqlUrl()
    const answer =
      url === null
        ? null
        : await post(url, options.key, idempotencyKey, { query: `mutation ${query}`, variables })
    if (answer !== null && answer !== 'refused') {
      if (purchase.way === 'declined' && isDecline(answer))
        return { payment: null, requiresAction: null } as Payload
      const payload = answer.data?.payload
      if (answer.errors !== undefined || payload == null || payload.errors.length > 0)
        throw new Error(`${name} of a purchase by ${purchase.way} was refused: ${JSON.stringify(answer)}`)
      return payload as Payload
    }
    if (url !== null && answer !== 'refused') {
      purchase.retries += 1
      if (!options.returns()) throw new Left()
    }
    if (Date.now() > deadline) throw new Error(`${name} of a purchase by ${purchase.way} was never answered`)
    await sleep(pause)
  }
}

/** Null: there was no answer, or one that says so. `refused`: the platform is away, and has not heard of the request. */
async function post(
  url: string,
  key: string,
  idempotencyKey: string,
  body: object,
): Promise<Answered | 'refused' | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    if (response.status >= 500) return null
    return (await response.json()) as Answered
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } }
    return cause?.code === 'ECONNREFUSED' ? 'refused' : null
  }
}
