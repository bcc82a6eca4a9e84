import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChargeAnswer } from '../processors/index.ts'
import { refused } from '../state-machine.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { type PaymentEvent, paymentMachine, type PaymentStatus } from './payment-machine.ts'
import { getPayment, settle } from './payments.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const answers: Readonly<
  Record<Exclude<PaymentEvent, 'refund' | 'refundPart'>, (intentId: string) => ChargeAnswer>
> = {
  wait: (intentId) => ({ status: 'processing', intentId }),
  succeed: (intentId) => ({ status: 'succeeded', intentId, card: null, captured: null, capturable: 0 }),
  fail: (intentId) => ({
    status: 'declined',
    intentId,
    card: null,
    decline: { code: 'card_declined', message: 'No.', declineCode: null },
  }),
  cancel: (intentId) => ({ status: 'cancelled', intentId }),
}

// Compares the SQL with the table: every processor's answer in every state.
describe('a payment', () => {
  const cases = (Object.keys(paymentMachine) as PaymentStatus[]).flatMap((status) =>
    (Object.keys(answers) as (keyof typeof answers)[]).map((event) => ({ status, event })),
  )
  test.each(cases)('in $status follows the table on $event', async ({ status, event }) => {
    const payment = await insertPayment(status)
    const settled = await settle(shop.database, payment, answers[event](crypto.randomUUID()))
    const next = paymentMachine[status][event]
    expect(settled.status).toBe(next === refused ? status : next)
    const [order] = await shop.database`SELECT status FROM ordering.order WHERE id = ${payment.orderId}`
    expect(order).toEqual({ status: next === 'SUCCEEDED' ? 'CONFIRMED' : 'PENDING' })
  })
})

async function insertPayment(status: PaymentStatus) {
  const product = await shop.createProduct(merchant, { stock: [1] })
  const items = [{ productId: product.id, quantity: 1 }]
  const input = { customerId: merchant.customerId, items, shippingAddress: address }
  const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
  const [row] = await shop.database<{ id: string }[]>`
    INSERT INTO payment.payment (merchant_id, order_id, amount, currency, status, method, processor)
    VALUES (${merchant.merchantId}, ${String(orderId)}, 1083, 'USD', ${status}, 'CARD', 'sandbox')
    RETURNING id`
  return getPayment(shop.database, merchant.merchantId, found(row).id)
}
