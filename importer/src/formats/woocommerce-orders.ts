import { isoTime, minorUnits } from './amounts.ts'
import { filled } from './filled.ts'
import { lineOf, taxOfOrder, type WholeLine } from './order-amounts.ts'
import { type Cells, readTable, type Reader, type Row } from './shop-table.ts'
import { nameOf, woocommerceAddress } from './woocommerce-address.ts'
import { itemAmount, itemOf, itemsOf, numbersOf } from './woocommerce-items.ts'

/** Statuses of orders that were never placed. */
const notPlaced: ReadonlySet<string> = new Set(['auto-draft', 'checkout-draft', 'trash'])

/**
 * The rows of the CSV export of WooCommerce's orders: an order a row, with its lines, fees and refunds in cells of their own. Its
 * amounts are without tax. It has no times of shipments: a completed order counts as sent when it was paid.
 */
export const woocommerceOrders: Reader = async function* (file, { mapping }) {
  for await (const order of readTable(file, mapping))
    if (!notPlaced.has(statusOf(order))) yield { line: order.line, row: orderOf(order) }
}

const statusOf = (order: Cells): string => order('status').replace(/^wc-/, '').toLowerCase()

function orderOf(order: Cells): Row {
  const currency = order('currency')
  const money = (field: string) => minorUnits(order(field), currency)
  const status = statusOf(order)
  const placedAt = isoTime(order('createdAt'))
  const stated = ['completed', 'processing', 'refunded'].includes(status) ? placedAt : null
  const paidAt = isoTime(order('paidAt')) ?? stated
  const total = money('total')
  const fees = itemsOf(order('fees'), '||').map((fee) => ({
    name: fee('name') || 'Fee',
    amount: itemAmount(fee, 'total', currency),
  }))
  const lines = [...linesOf(order, currency), ...fees.filter(({ amount }) => amount >= 0).map(feeLine)]
  const discount = fees.reduce((sum, { amount }) => sum + Math.max(0, -amount), 0)
  const shipping = money('shippingTotal')
  const parts = [...lines.map(({ after }) => after), shipping, -discount]
  const reference = `${order('paymentMethod')} ${order('transactionId')}`.trim().slice(0, 255)
  return {
    type: 'order',
    ...filled({ externalId: order('id') }),
    orderNumber: order('orderNumber') || order('id'),
    placedAt,
    currency,
    ...customerOf(order),
    ...addressesOf(order),
    lines: lines.map(lineOf),
    shipping,
    discount,
    tax: taxOfOrder(total, money('taxTotal'), parts),
    total,
    ...filled({ couponCode: couponsOf(order), notes: order('notes') }),
    ...(paidAt !== null && { paidAt }),
    ...(paidAt !== null && total > 0 && { payments: [{ amount: total, paidAt, ...filled({ reference }) }] }),
    ...(paidAt !== null && refundsOf(order, { currency, total, at: paidAt })),
    ...(status === 'completed' && { shipments: [{ shippedAt: paidAt ?? placedAt }] }),
    ...(['cancelled', 'failed'].includes(status) && { cancelledAt: paidAt ?? placedAt }),
  }
}

const linesOf = (order: Cells, currency: string): readonly WholeLine[] =>
  numbersOf(order, 'line', 1)
    .map((n) => itemOf(order('line', n)))
    // A gift card that paid is among the lines, without a name.
    .filter((item) => item('name') !== '')
    .map((item) => {
      const after = itemAmount(item, 'total', currency)
      const sku = item('sku')
      const productId = item('product_id')
      return {
        fields: {
          name: item('name').slice(0, 500),
          ...filled({ sku, productExternalId: sku === '' && productId !== '0' ? productId : '' }),
        },
        quantity: Number(item('quantity')),
        before: item('sub_total') === '' ? after : itemAmount(item, 'sub_total', currency),
        after,
      }
    })

const feeLine = ({ name, amount }: { readonly name: string; readonly amount: number }): WholeLine => ({
  fields: { name },
  quantity: 1,
  before: amount,
  after: amount,
})

function customerOf(order: Cells): Row {
  const email = order('customerEmail') || order('billingEmail')
  if (email === '') return {}
  const id = order('customerId')
  return {
    customer: filled({
      externalId: id === '0' ? '' : id,
      email,
      name: nameOf(order, 'billing'),
      phone: order('billingPhone').slice(0, 50),
    }),
  }
}

/** An order whose goods go to the billing address has no other one. */
function addressesOf(order: Cells): Row {
  const billing = woocommerceAddress(order, 'billing')
  const shipping = woocommerceAddress(order, 'shipping')
  return {
    ...((shipping ?? billing) !== null && { shippingAddress: shipping ?? billing }),
    ...(shipping !== null && billing !== null && { billingAddress: billing }),
  }
}

const couponsOf = (order: Cells): string =>
  itemsOf(order('coupons'), ';')
    .map((coupon) => coupon('code'))
    .filter((code) => code !== '')
    .join(', ')
    .slice(0, 100)

/** The refunds of a paid order. One that is refunded without saying how was refunded whole. */
function refundsOf(
  order: Cells,
  { currency, total, at }: { readonly currency: string; readonly total: number; readonly at: string },
): Row {
  // A reason can have a semicolon: only one before an amount begins the next refund.
  const refunds = order('refunds')
    .split(/;(?=amount:)/)
    .map(itemOf)
    .map((refund) => ({
      amount: itemAmount(refund, 'amount', currency),
      refundedAt: isoTime(refund('date')) ?? at,
      ...filled({ reason: refund('reason').slice(0, 500) }),
    }))
    .filter(({ amount }) => amount > 0)
  if (refunds.length > 0) return { refunds }
  return statusOf(order) === 'refunded' && total > 0 ? { refunds: [{ amount: total, refundedAt: at }] } : {}
}
