import { minorUnits } from './amounts.ts'
import { filled } from './filled.ts'
import { medusaAddress, medusaName } from './medusa-address.ts'
import { type Fields, readRecords } from './medusa-records.ts'
import { lineOf, taxOfOrder, type WholeLine } from './order-amounts.ts'
import type { Reader, Row } from './shop-table.ts'

/** The orders of Medusa's Admin API, version 2 (JSON). Drafts are left out: they are no orders yet. */
export const medusaOrders: Reader = async function* (file, { mapping }) {
  for await (const order of readRecords(file, { list: 'orders', mapping }))
    if (order.text('status') !== 'draft') yield { line: order.line, row: orderOf(order) }
}

function orderOf(order: Fields): Row {
  const currency = order.text('currency').toUpperCase()
  const money = (field: string) => minorUnits(order.text(field), currency)
  const placedAt = order.text('createdAt')
  const lines = order.list('lines').map((line) => wholeLine(line, currency))
  // After its discount and without its tax.
  const shippingLeft = money('shippingTotal') - money('shippingTax')
  const shipping = Math.max(money('shippingSubtotal'), shippingLeft)
  const total = money('total')
  const { payments, refunds } = paymentsOf(order, currency)
  const shippingAddress = medusaAddress(order, 'shipping')
  const billingAddress = medusaAddress(order, 'billing')
  const shipments = shipmentsOf(order)
  const isCanceled = order.text('status') === 'canceled'
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0)
  return {
    type: 'order',
    ...filled({ externalId: order.text('id') }),
    orderNumber: order.text('number') || order.text('id'),
    placedAt,
    currency,
    ...customerOf(order),
    ...(shippingAddress !== null && { shippingAddress }),
    ...(billingAddress !== null && { billingAddress }),
    lines: lines.map(lineOf),
    shipping,
    shippingDiscount: shipping - shippingLeft,
    tax: taxOfOrder(total, money('tax'), [...lines.map(({ after }) => after), shippingLeft]),
    total,
    ...(payments.length > 0 && { payments, paidAt: payments.at(-1)?.paidAt }),
    ...(refunds.length > 0 && { refunds }),
    ...shipments,
    // Sent on account: it counts as sold once the money is there.
    ...('shipments' in shipments && paid < total && !isCanceled && { status: 'PENDING' }),
    ...(isCanceled && {
      cancelledAt: order.text('cancelledAt') || order.text('updatedAt') || placedAt,
    }),
  }
}

function wholeLine(line: Fields, currency: string): WholeLine {
  const money = (field: string) => minorUnits(line.text(field), currency)
  const after = money('lineTotal') - money('lineTax')
  const sku = line.text('lineSku')
  return {
    fields: {
      name: nameOf(line).slice(0, 500),
      ...filled({ sku, productExternalId: sku === '' ? line.text('lineProductId') : '' }),
    },
    quantity: Number(line.text('lineQuantity')),
    before: money('lineSubtotal'),
    after,
  }
}

/** The product's title, with that of the variant when it says more. */
function nameOf(line: Fields): string {
  const product = line.text('lineProductTitle') || line.text('lineTitle')
  const variant = line.text('lineVariantTitle')
  return variant === '' || variant === product ? product : `${product} - ${variant}`
}

function customerOf(order: Fields): Row {
  if (order.text('email') === '') return {}
  return {
    customer: filled({
      externalId: order.text('customerId'),
      email: order.text('email'),
      name: medusaName(order, 'customer') || medusaName(order, 'billing') || medusaName(order, 'shipping'),
      phone: order.text('customerPhone').slice(0, 50),
    }),
  }
}

interface Paid {
  readonly payments: readonly { readonly amount: number; readonly paidAt: string }[]
  readonly refunds: readonly Row[]
}

/** What was captured of the payments, and what was given back. */
function paymentsOf(order: Fields, currency: string): Paid {
  const found = order.list('paymentCollections').flatMap((collection) => collection.list('payments'))
  const amountOf = (fields: Fields, field: string) => minorUnits(fields.text(field), currency)
  const payments = found.flatMap((payment) => {
    const reference = filled({ reference: payment.text('paymentProvider').slice(0, 255) })
    return payment
      .list('captures')
      .map((capture) => ({
        amount: amountOf(capture, 'captureAmount'),
        paidAt: capture.text('capturedAt') || payment.text('paymentCapturedAt') || order.text('createdAt'),
        ...reference,
      }))
      .filter(({ amount }) => amount > 0)
  })
  const refunds = found
    .flatMap((payment) => payment.list('refunds'))
    .map((refund) => ({
      amount: amountOf(refund, 'refundAmount'),
      refundedAt: refund.text('refundedAt') || order.text('updatedAt'),
      ...filled({ reason: (refund.text('refundReason') || refund.text('refundNote')).slice(0, 500) }),
    }))
    .filter(({ amount }) => amount > 0)
  return { payments, refunds }
}

function shipmentsOf(order: Fields): Row {
  const places = new Map(order.list('lines').map((line, index) => [line.text('lineId'), index + 1]))
  const shipments = order
    .list('fulfillments')
    .filter((fulfillment) => fulfillment.has('shippedAt') && !fulfillment.has('fulfillmentCancelledAt'))
    .map((fulfillment) => {
      const lines = fulfillment.list('fulfilledItems').flatMap((item) => {
        const line = places.get(item.text('fulfilledLineId'))
        return line === undefined ? [] : [{ line, quantity: Number(item.text('fulfilledQuantity')) }]
      })
      const [label] = fulfillment.list('labels')
      return {
        shippedAt: fulfillment.text('shippedAt'),
        ...filled({
          deliveredAt: fulfillment.text('deliveredAt'),
          carrier: fulfillment.text('carrier').slice(0, 100),
          trackingNumber: (label?.text('trackingNumber') ?? '').slice(0, 200),
        }),
        ...(lines.length > 0 && { lines }),
      }
    })
  return shipments.length === 0 ? {} : { shipments }
}
