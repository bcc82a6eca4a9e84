import {
  address,
  createShippingMethod,
  dataOf,
  found,
  type TestMerchant,
  type TestShop,
} from './test-shop.ts'

export interface PaidOrder {
  readonly orderId: string
  readonly paymentId: string
  readonly total: number
}

export interface PaidOrderOptions {
  /** Minor units of each line's unit price, in the order of the quantities. */
  readonly prices?: readonly number[]
  /** USD unless said. */
  readonly currency?: string
  readonly shipping?: number
  readonly couponCode?: string | null
  /** By default a valid card. */
  readonly payment?: object
}

/** An order with one line per quantity that is paid and not sent yet. */
export async function paidOrder(
  shop: TestShop,
  merchant: TestMerchant,
  quantities: readonly number[],
  { prices = [], currency = 'USD', shipping = 0, couponCode, payment = {} }: PaidOrderOptions = {},
): Promise<PaidOrder> {
  const items = []
  for (const [index, quantity] of quantities.entries()) {
    const product = await shop.createProduct(merchant, {
      price: prices[index] ?? 999,
      currency,
      stock: [quantity, quantity],
    })
    items.push({ productId: product.id, quantity })
  }
  const input = {
    customerId: merchant.customerId,
    items,
    shippingAddress: address,
    couponCode,
    shippingMethodId: shipping > 0 ? await createShippingMethod(shop.database, merchant, shipping) : null,
  }
  const orderId = String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
  const { paymentId } = dataOf(
    await shop.call(merchant, 'processPayment', {
      input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', ...payment },
    }),
  )
  const [order] = await shop.database<{ total: string }[]>`
    SELECT total FROM ordering.order WHERE id = ${orderId}`
  return { orderId, paymentId: String(paymentId), total: Number(found(order).total) }
}

/** The ids of an order's lines in their order. */
export async function linesOf(shop: TestShop, orderId: string): Promise<readonly string[]> {
  const rows = await shop.database<{ id: string }[]>`
    SELECT id FROM ordering.order_item WHERE order_id = ${orderId} ORDER BY position`
  return rows.map(({ id }) => id)
}

export async function statusOf(shop: TestShop, orderId: string): Promise<string> {
  const [row] = await shop.database<{ status: string }[]>`
    SELECT status FROM ordering.order WHERE id = ${orderId}`
  return found(row).status
}

export async function fulfillmentOf(shop: TestShop, orderId: string): Promise<string> {
  const [row] = await shop.database<{ status: string }[]>`
    SELECT status FROM ordering.fulfillment WHERE order_id = ${orderId}`
  return found(row).status
}
