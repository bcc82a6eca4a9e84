import { createHash } from 'node:crypto'
import { invalidValue, type UserError } from '@commerce-graph/contract/input'
import { uuidV7 } from '../uuid-v7.ts'
import { historyOfOrder } from './history-of-order.ts'
import type { OrderFacts } from './order-facts.ts'
import { moneyOfOrder, type OrderRow } from './money-of-order.ts'
import { paymentsOfOrder } from './payments-of-order.ts'
import { latest, stateOfOrder } from './status-of-order.ts'
import { unitsOfOrder } from './units-of-order.ts'

type DatabaseRow = Readonly<Record<string, unknown>>

/** An order as rows of the database, by the lists of `ordering.import_orders`. */
export interface PreparedOrder {
  readonly id: string
  readonly order: DatabaseRow
  readonly customer: { readonly external_id: string | null; readonly email: string } & DatabaseRow
  readonly lines: readonly {
    readonly product: { readonly sku: string; readonly external_id: string | null } & DatabaseRow
    readonly row: DatabaseRow
  }[]
  readonly addresses: readonly DatabaseRow[]
  readonly fulfillment: DatabaseRow
  readonly shipments: readonly DatabaseRow[]
  readonly shipmentLines: readonly DatabaseRow[]
  readonly payments: readonly DatabaseRow[]
  readonly refunds: readonly DatabaseRow[]
  readonly refundLines: readonly DatabaseRow[]
  readonly history: readonly DatabaseRow[]
}

export type OrderPrepared =
  | { readonly kind: 'prepared'; readonly order: PreparedOrder }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }

/** An order's row as rows of the database. Its lists must fit one another; the row itself is valid. */
export function prepareOrder(row: OrderRow, fingerprint: string): OrderPrepared {
  const timeFaults = faultsOfTimes(row)
  const money = moneyOfOrder(row)
  const units = unitsOfOrder(row)
  if (money.kind === 'invalid' || units.kind === 'invalid' || timeFaults.length > 0)
    return {
      kind: 'invalid',
      errors: [
        ...timeFaults,
        ...(money.kind === 'invalid' ? money.errors : []),
        ...(units.kind === 'invalid' ? units.errors : []),
      ],
    }
  const paid = paymentsOfOrder(row, money.money)
  if (paid.kind === 'invalid') return paid
  const state = stateOfOrder(row, money.money, paid.payments, units.units)
  if (state.status === 'PENDING' && state.paidAt !== null)
    return { kind: 'invalid', errors: [invalidValue('status', 'An order that is paid is not PENDING')] }
  return {
    kind: 'prepared',
    order: rowsOfOrder(
      { row, money: money.money, units: units.units, paid: paid.payments, state },
      fingerprint,
    ),
  }
}

const earliest = Date.UTC(1970, 0, 1)
/** Milliseconds by which another system's clock may be ahead. */
const clockSkew = 24 * 60 * 60 * 1000

function faultsOfTimes(row: OrderRow): readonly UserError[] {
  const times: readonly (readonly [string, string | null])[] = [
    ['placedAt', row.placedAt],
    ['paidAt', row.paidAt],
    ['cancelledAt', row.cancelledAt],
    ...(row.payments ?? []).map(({ paidAt }, index) => [`payments.${index}.paidAt`, paidAt] as const),
    ...(row.refunds ?? []).map(
      ({ refundedAt }, index) => [`refunds.${index}.refundedAt`, refundedAt] as const,
    ),
    ...(row.shipments ?? []).flatMap(({ shippedAt, deliveredAt }, index) => [
      [`shipments.${index}.shippedAt`, shippedAt] as const,
      [`shipments.${index}.deliveredAt`, deliveredAt] as const,
    ]),
  ]
  return times.flatMap(([field, time]) => {
    if (time === null) return []
    const at = Date.parse(time)
    if (at >= earliest && at <= Date.now() + clockSkew) return []
    return [invalidValue(field, 'A time of an order is between 1970 and now')]
  })
}

function rowsOfOrder(facts: OrderFacts, fingerprint: string): PreparedOrder {
  const { row, money, units, paid, state } = facts
  const id = uuidV7()
  const shippingAddressId = uuidV7()
  const billingAddressId = row.billingAddress === null ? null : uuidV7()
  const lineIds = row.lines.map(() => uuidV7())
  const shipmentIds = units.shipments.map(() => uuidV7())
  const paymentIds = paid.payments.map(() => uuidV7())
  const refundIds = paid.refunds.map(() => uuidV7())
  return {
    id,
    order: {
      id,
      key: row.externalId ?? row.orderNumber,
      external_id: row.externalId,
      fingerprint,
      order_number: row.orderNumber,
      status: state.status,
      currency: row.currency,
      subtotal: money.subtotal,
      tax: money.tax,
      shipping: money.shipping,
      discount: money.discount,
      shipping_discount: money.shippingDiscount,
      total: money.total,
      shipping_address_id: shippingAddressId,
      billing_address_id: billingAddressId,
      coupon_code: row.couponCode,
      notes: row.notes,
      tags: row.tags ?? [],
      cancel_reason: state.status === 'CANCELLED' ? row.cancelReason : null,
      cancelled_at: state.cancelledAt,
      paid_at: state.paidAt,
      created_at: row.placedAt,
    },
    customer: customerOf(row),
    addresses: [
      addressRow(shippingAddressId, id, row.shippingAddress ?? row.billingAddress),
      ...(billingAddressId === null ? [] : [addressRow(billingAddressId, id, row.billingAddress)]),
    ],
    lines: row.lines.map((line, index) => ({
      product: productOf(row, line),
      row: {
        id: lineIds[index],
        order_id: id,
        position: index,
        sku: skuOf(line),
        product_name: line.name,
        quantity: line.quantity,
        price: line.price,
        discount: money.lines[index]?.discount,
        tax: money.lines[index]?.tax,
        packed_quantity: units.lines[index]?.fulfilled,
        fulfilled_quantity: units.lines[index]?.fulfilled,
        cancelled_quantity: units.lines[index]?.cancelled,
        refunded_quantity: units.lines[index]?.refunded,
      },
    })),
    fulfillment: fulfillmentRow(id, facts),
    shipments: units.shipments.map((shipment, index) => ({
      id: shipmentIds[index],
      order_id: id,
      status: shipment.deliveredAt === null ? 'SHIPPED' : 'DELIVERED',
      carrier: shipment.carrier,
      tracking_number: shipment.trackingNumber,
      shipped_at: shipment.shippedAt,
      delivered_at: shipment.deliveredAt,
      created_at: shipment.shippedAt,
    })),
    shipmentLines: units.shipments.flatMap(({ lines }, shipment) =>
      lines.map(({ index, quantity }) => ({
        order_id: id,
        shipment_id: shipmentIds[shipment],
        order_item_id: lineIds[index],
        quantity,
      })),
    ),
    payments: paid.payments.map(({ amount, at, reference, refunded }, index) => ({
      id: paymentIds[index],
      order_id: id,
      amount,
      currency: row.currency,
      status: refunded === 0 ? 'SUCCEEDED' : refunded < amount ? 'PARTIALLY_REFUNDED' : 'REFUNDED',
      reference,
      refunded_amount: refunded,
      created_at: at,
    })),
    refunds: paid.refunds.map((refund, index) => ({
      id: refundIds[index],
      order_id: id,
      payment_id: paymentIds[refund.payment],
      amount: refund.amount,
      shipping_amount: refund.shippingAmount,
      reason: refund.reason?.trim() || 'No reason was given',
      created_at: refund.at,
    })),
    refundLines: paid.refunds.flatMap(({ lines }, refund) =>
      lines.map(({ index, quantity, amount }) => ({
        order_id: id,
        refund_id: refundIds[refund],
        order_item_id: lineIds[index],
        quantity,
        amount,
      })),
    ),
    history: historyOfOrder(id, facts, { shipmentIds, paymentIds, refundIds }),
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** A customer who can't be known has an address that can't exist (RFC 2606). */
function customerOf({ customer, placedAt }: OrderRow): PreparedOrder['customer'] {
  const externalId = customer?.externalId ?? null
  return {
    external_id: externalId,
    email: customer?.email ?? `${externalId === null ? 'unknown' : hash(externalId)}@imported.invalid`,
    name: customer?.name?.trim() || customer?.email || 'Unknown customer',
    phone: customer?.phone ?? null,
    at: placedAt,
  }
}

type LineRow = OrderRow['lines'][number]

const skuOf = (line: LineRow): string => line.sku ?? `FORMER-${hash(line.productExternalId ?? line.name)}`

const productOf = (row: OrderRow, line: LineRow): PreparedOrder['lines'][number]['product'] => ({
  sku: skuOf(line),
  external_id: line.productExternalId,
  name: line.name,
  price: line.price,
  currency: row.currency,
  at: row.placedAt,
})

/** ISO 3166-1 leaves ZZ to its users; elsewhere it stands for an unknown region, too. */
const unknownCountry = 'ZZ'

const addressRow = (id: string, orderId: string, address: OrderRow['shippingAddress']): DatabaseRow => ({
  id,
  order_id: orderId,
  recipient_name: address?.recipientName?.trim() || null,
  company: address?.company?.trim() || null,
  line1: address?.line1?.trim() || '-',
  line2: address?.line2 ?? null,
  city: address?.city?.trim() || '-',
  state: address?.state ?? '',
  postal_code: address?.postalCode ?? '',
  country: address?.country ?? unknownCountry,
  phone: address?.phone ?? null,
})

function fulfillmentRow(id: string, { row, units, state }: OrderFacts): DatabaseRow {
  const last = units.shipments.at(-1)
  return {
    order_id: id,
    status: state.fulfillment,
    carrier: last?.carrier ?? null,
    tracking_number: last?.trackingNumber ?? null,
    shipped_at: last?.shippedAt ?? null,
    delivered_at:
      state.fulfillment === 'DELIVERED'
        ? latest(units.shipments.map(({ deliveredAt, shippedAt }) => deliveredAt ?? shippedAt))
        : null,
    created_at: row.placedAt,
  }
}
