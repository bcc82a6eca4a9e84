import { randomUUID } from 'node:crypto'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { handleEvent } from '../messaging/triggers/index.ts'
import type { MortalInstance } from './mortal-instance.ts'
import { address, dataOf, type TestMerchant, type TestProduct, type TestShop } from './test-shop.ts'

/**
 * One purchase. The client sends each of its requests with a key of its own, and the same key again without an answer.
 */
export interface Purchase {
  readonly customerId: CustomerId
  readonly keys: string
  orderId: string
  paymentId: string
}

export type Step = (instance: MortalInstance, purchase: Purchase) => Promise<void>

/** Where purchases are made. */
export interface Shelf {
  readonly shop: TestShop
  readonly merchant: TestMerchant
  readonly product: TestProduct
}

/** The steps of a client, and of the platform's own jobs. */
export const stepsOf = (shelf: Shelf) => ({
  order: order(shelf),
  pay: (request: object): Step => pay(shelf, request),
  confirm: ofPayment(shelf, 'confirmPayment'),
  capturePart: capturePart(shelf),
  capture: ofPayment(shelf, 'capturePayment'),
  release: ofPayment(shelf, 'voidPayment'),
  refund: ofPayment(shelf, 'refundPayment', { input: { amount: 1000, reason: 'Test' } }),
  cancel: cancel(shelf),
  reconcile,
  deliverEvents: deliverEvents(shelf),
})

const call = async (
  instance: MortalInstance,
  merchant: TestMerchant,
  { keys }: Purchase,
  [name, input]: readonly [string, object],
): Promise<Readonly<Record<string, unknown>>> =>
  dataOf(await instance.call(merchant, name, input, `${keys} ${name}`))

const order =
  ({ merchant, product }: Shelf): Step =>
  async (instance, purchase) => {
    const items = [{ productId: product.id, quantity: 2 }]
    const input = { customerId: purchase.customerId, items, shippingAddress: address }
    const { orderId } = await call(instance, merchant, purchase, ['createOrder', { input }])
    purchase.orderId = String(orderId)
  }

const pay =
  ({ merchant }: Shelf, request: object): Step =>
  async (instance, purchase) => {
    const input = { orderId: purchase.orderId, ...request }
    const { paymentId } = await call(instance, merchant, purchase, ['processPayment', { input }])
    purchase.paymentId = String(paymentId)
  }

const ofPayment =
  ({ merchant }: Shelf, name: string, more: object = {}): Step =>
  async (instance, purchase) => {
    await call(instance, merchant, purchase, [name, { id: purchase.paymentId, ...more }])
  }

const capturePart =
  ({ merchant }: Shelf): Step =>
  async (instance, { keys, ...purchase }) => {
    const input = { id: purchase.paymentId, amount: 1000 }
    await call(instance, merchant, { ...purchase, keys: `${keys} part` }, ['capturePayment', input])
  }

const cancel =
  ({ merchant }: Shelf): Step =>
  async (instance, purchase) => {
    await call(instance, merchant, purchase, ['cancelOrder', { id: purchase.orderId, reason: 'Test' }])
  }

const reconcile: Step = async (instance) => {
  await instance.reconcile()
}

/** Hasura delivers the events of the purchase's rows at least once. */
const deliverEvents =
  ({ shop }: Shelf): Step =>
  async ({ database }, purchase) => {
    const rows = await shop.database<{ trigger: string; row: { status: string } }[]>`
      SELECT 'order_status_changed' AS trigger, to_jsonb(o) AS row FROM ordering.order o WHERE o.customer_id = ${purchase.customerId}
      UNION ALL
      SELECT 'refund_settled', to_jsonb(r) FROM payment.refund r
      JOIN payment.payment p ON p.id = r.payment_id
      JOIN ordering.order o ON o.id = p.order_id WHERE o.customer_id = ${purchase.customerId}`
    for (const { trigger, row } of rows)
      await handleEvent(database, { id: randomUUID(), trigger, old: null, new: row })
  }
