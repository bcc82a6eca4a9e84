import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, dataOf, openTestShop, type TestShop } from './testing/test-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

test('x', async () => {
  const m = await shop.createMerchant()
  const p = await shop.createProduct(m, { stock: [2, 3], price: 3_000_000_000 })
  const d = dataOf(
    await shop.call(m, 'createOrder', {
      input: { customerId: m.customerId, items: [{ productId: p.id, quantity: 4 }], shippingAddress: address },
    }),
  )
  console.log(d, await shop.database`SELECT * FROM inventory.stock_level`)
  console.log(await shop.call(m, 'modifyOrder', { id: d.orderId, modifications: { addItems: [{ productId: p.id, quantity: 1 }], notes: 'x' } }))
  console.log(JSON.stringify(await shop.call(m, 'modifyOrder', { id: d.orderId, modifications: { addItems: [{ productId: p.id, quantity: 1 }], notes: 'x' } })))
  console.log(await shop.call(m, 'processPayment', { input: { orderId: d.orderId, method: 'CARD', paymentMethodId: 'pm_card_chargeDeclinedInsufficientFunds' } }))
  console.log(await shop.call(m, 'processPayment', { input: { orderId: d.orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } }))
  console.log(await shop.database`SELECT * FROM ordering.order`, await shop.database`SELECT * FROM payment.payment`)
  console.log(await shop.call(m, 'cancelOrder', { id: d.orderId, reason: 'x' }))
  console.log(JSON.stringify(await shop.call(m, 'cancelOrder', { id: d.orderId, reason: 'x' })))
  console.log(await shop.database`SELECT * FROM inventory.stock_level`)
  expect(1).toBe(1)
})
