import { isoTime, minorUnits } from './amounts.ts'
import { filled, labels } from './filled.ts'
import { type Cells, type Group, readTable, type Reader, type Row, together } from './shop-table.ts'

/**
 * The rows of Shopify's export of orders (CSV): an order over as many rows as it has lines, with its own fields in the first one.
 * The export has no time of a refund: it counts as made when the order was cancelled, or else when it was paid.
 */
export const shopifyOrders: Reader = async function* (file, { mapping }) {
  for await (const rows of together(readTable(file, mapping), 'orderNumber'))
    yield { line: rows[0].line, row: orderOf(rows) }
}

interface Line {
  readonly sku?: string
  readonly name: string
  readonly quantity: number
  readonly price: number
  readonly discount: number
}

function orderOf(rows: Group): Row {
  const [order] = rows
  const currency = order('currency')
  const money = (field: string) => minorUnits(order(field), currency)
  const placedAt = isoTime(order('createdAt'))
  const lineRows = rows.filter((cells) => cells('lineName') !== '')
  const lines = lineRows.map((cells): Line => ({
    ...(cells('lineSku') !== '' && { sku: cells('lineSku') }),
    name: cells('lineName'),
    quantity: Number(cells('lineQuantity')),
    price: minorUnits(cells('linePrice'), currency),
    discount: minorUnits(cells('lineDiscount'), currency),
  }))
  const total = money('total')
  const sums = amountsOf(lines, {
    total,
    subtotal: money('subtotal'),
    shipping: money('shipping'),
    taxes: money('taxes'),
    discount: money('discountAmount'),
  })
  const cancelledAt =
    isoTime(order('cancelledAt')) ?? (order('financialStatus') === 'voided' ? placedAt : null)
  const isPaid = ['paid', 'refunded', 'partially_refunded'].includes(order('financialStatus'))
  const paidAt = isPaid ? (isoTime(order('paidAt')) ?? placedAt) : null
  const paid = isPaid
    ? total
    : order('financialStatus') === 'partially_paid'
      ? total - money('outstanding')
      : 0
  const shipments = shipmentsOf(order, lineRows, paidAt ?? placedAt)
  const refunded = Math.min(money('refundedAmount'), paid)
  const reference = [order('paymentMethod'), order('paymentReference')]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 255)
  return {
    type: 'order',
    ...filled({ externalId: order('id') }),
    orderNumber: order('orderNumber'),
    placedAt,
    currency,
    ...customerOf(order),
    ...addressOf(order, 'shipping', 'shippingAddress'),
    ...addressOf(order, 'billing', 'billingAddress'),
    ...sums,
    total,
    ...filled({ couponCode: order('discountCode').slice(0, 100), notes: order('notes') }),
    ...labels('tags', order('tags')),
    ...(paidAt !== null && { paidAt }),
    ...(paid > 0 && {
      payments: [{ amount: paid, paidAt: paidAt ?? placedAt, ...(reference !== '' && { reference }) }],
    }),
    ...(refunded > 0 && { refunds: [{ amount: refunded, refundedAt: cancelledAt ?? paidAt ?? placedAt }] }),
    ...shipments,
    // Sent on account: it counts as sold once the money is there.
    ...('shipments' in shipments && paid < total && cancelledAt === null && { status: 'PENDING' }),
    ...(cancelledAt !== null && { cancelledAt }),
  }
}

interface Amounts {
  readonly total: number
  readonly subtotal: number
  readonly shipping: number
  readonly taxes: number
  readonly discount: number
}

/**
 * What the lines, shipping, taxes and discounts of an order come to its total with. Prices that include their taxes stay as they are,
 * and have no tax of their own here. Tips and duties, which the export has in the total alone, are a line.
 */
function amountsOf(lines: readonly Line[], { total, subtotal, shipping, taxes, discount }: Amounts): Row {
  const gross = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const own = lines.reduce((sum, line) => sum + line.discount, 0)
  const added = gross + shipping + taxes - total
  const included = gross + shipping - total
  const stated = new Set([discount, discount + own, gross - subtotal])
  const isAdded = stated.has(added) || !stated.has(included)
  const off = isAdded ? added : included
  const goods = Math.min(Math.max(gross - subtotal, 0), Math.max(off, 0))
  const rest = Math.max(off, 0) - goods
  const ofShipping = rest <= shipping ? rest : 0
  const ofGoods = Math.max(off, 0) - ofShipping
  const keepsLines = own <= ofGoods
  return {
    lines: [
      ...lines.map(({ discount: ofLine, ...line }) => ({
        ...line,
        ...(keepsLines && ofLine > 0 && { discount: ofLine }),
      })),
      ...(off < 0 ? [{ name: 'Tips, duties and other charges', quantity: 1, price: -off }] : []),
    ],
    shipping,
    shippingDiscount: ofShipping,
    discount: keepsLines ? ofGoods - own : ofGoods,
    tax: isAdded ? taxes : 0,
  }
}

function customerOf(order: Cells): Row {
  if (order('email') === '') return {}
  return {
    customer: filled({
      email: order('email'),
      name: order('billingName').slice(0, 200),
      phone: order('phone').replace(/^'/, '').slice(0, 50),
    }),
  }
}

function addressOf(order: Cells, kind: 'shipping' | 'billing', name: string): Row {
  const address = filled({
    line1: order(`${kind}Address1`),
    line2: order(`${kind}Address2`),
    city: order(`${kind}City`),
    state: order(`${kind}Province`),
    // The export puts an apostrophe before numbers, for spreadsheets.
    postalCode: order(`${kind}Zip`).replace(/^'/, ''),
    country: order(`${kind}Country`),
    phone: order(`${kind}Phone`).replace(/^'/, ''),
  })
  if (Object.keys(address).length === 0) return {}
  const whose = filled({
    recipientName: order(`${kind}Name`).slice(0, 200),
    company: order(`${kind}Company`).slice(0, 200),
  })
  return { [name]: { ...whose, ...address } }
}

function shipmentsOf(order: Cells, lines: readonly Cells[], paidAt: string | null): Row {
  const shippedAt = isoTime(order('fulfilledAt')) ?? paidAt
  switch (order('fulfillmentStatus')) {
    case 'fulfilled':
      return { shipments: [{ shippedAt }] }
    case 'partial': {
      const sent = lines.flatMap((cells, index) =>
        cells('lineFulfillmentStatus') === 'fulfilled'
          ? [{ line: index + 1, quantity: Number(cells('lineQuantity')) }]
          : [],
      )
      return sent.length === 0 ? {} : { shipments: [{ shippedAt, lines: sent }] }
    }
    default:
      return {}
  }
}
