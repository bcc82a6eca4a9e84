import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { announce } from './announcements.ts'
import type { MessageKind } from '../message/index.ts'
import * as inventory from '../sql/generated/inventory.ts'
import * as notification from '../sql/generated/notification.ts'

/** The order is paid. */
export async function tellOrderConfirmed(database: Database, merchantId: MerchantId, orderId: string) {
  const message = await notification.orderMessage(database, { merchantId, orderId })
  await announce(database, { merchantId, kind: 'ORDER_CONFIRMATION', subjectKey: orderId, message })
}

export async function tellOrderShipped(database: Database, merchantId: MerchantId, shipmentId: string) {
  const message = await notification.shippingMessage(database, { merchantId, shipmentId })
  await announce(database, { merchantId, kind: 'ORDER_SHIPPED', subjectKey: shipmentId, message })
}

/** The processor has given the money back. */
export async function tellRefunded(database: Database, merchantId: MerchantId, refundId: string) {
  const message = await notification.refundMessage(database, { merchantId, refundId })
  await announce(database, { merchantId, kind: 'ORDER_REFUNDED', subjectKey: refundId, message })
}

/** The order has ended without being sent: because it was called off, or nobody paid it. */
export async function tellOrderCancelled(database: Database, merchantId: MerchantId, orderId: string) {
  const message = await notification.cancellationMessage(database, { merchantId, orderId })
  await announce(database, { merchantId, kind: 'ORDER_CANCELLED', subjectKey: orderId, message })
}

/** Orders that one transaction reminds of. */
const reminderBatch = 50

/** Customers whose unpaid orders are about to be cancelled are reminded, once for each end of a window. Returns how many. */
export const remindOfPayments = async (database: Database): Promise<number> =>
  inBatches(reminderBatch, () =>
    database.begin(async (sql) => {
      const due = await notification.claimPaymentReminders(sql, { limit: reminderBatch })
      for (const { merchantId, subjectKey, message } of due) {
        await announce(sql, { merchantId, kind: 'ORDER_PAYMENT_REMINDER', subjectKey, message })
      }
      return due.length
    }),
  )

type AppointmentKind = Extract<MessageKind, `APPOINTMENT_${string}`>

/** The states in which there is something to tell. */
const toldWhile: Readonly<Record<AppointmentKind, readonly string[]>> = {
  APPOINTMENT_BOOKED: ['SCHEDULED', 'CONFIRMED'],
  APPOINTMENT_MOVED: ['SCHEDULED', 'CONFIRMED'],
  APPOINTMENT_CANCELLED: ['CANCELLED'],
  APPOINTMENT_REMINDER: ['SCHEDULED', 'CONFIRMED'],
}

/**
 * Tells of an appointment that is still ahead. One that has been moved since is told of at its new time only.
 *
 * @param at the appointment's start when it happened
 */
export async function tellOfAppointment(
  database: Database,
  kind: AppointmentKind,
  { merchantId, id, at }: { readonly merchantId: MerchantId; readonly id: string; readonly at: string },
) {
  const message = await notification.appointmentMessage(database, {
    merchantId,
    appointmentId: id,
    startTime: at,
    statuses: toldWhile[kind],
  })
  const subjectKey = `${id} ${new Date(at).toISOString()}`
  await announce(database, { merchantId, kind, subjectKey, message })
}

/** Stock has fallen to its threshold: the merchant is told. */
export async function tellLowStock(database: Database, merchantId: MerchantId, crossingId: string) {
  const message = await notification.lowStockMessage(database, { merchantId, crossingId })
  await announce(database, { merchantId, kind: 'LOW_STOCK_ALERT', subjectKey: crossingId, message })
}

/** Alerts that are told in one transaction. */
const alertBatch = 50
/** Items of one run; the next run goes on. */
const itemBatch = 100

/** What somebody waits for can be had again: everybody who waits is told, once. Returns how many. */
export const tellBackInStock = async (
  database: Database,
  merchantId: MerchantId,
  stockItemId: string,
): Promise<number> =>
  inBatches(alertBatch, () =>
    database.begin(async (sql) => {
      const alerts = await notification.claimBackInStock(sql, { merchantId, stockItemId, limit: alertBatch })
      for (const { alertId: subjectKey, message } of alerts) {
        await announce(sql, { merchantId, kind: 'STOCK_ALERT', subjectKey, message })
      }
      return alerts.length
    }),
  )

/** The same for every item: not only stock brings something back, a product that is for sale again does too. */
export async function tellEverythingBackInStock(database: Database): Promise<number> {
  const items = await inventory.stockItemsBack(database, { limit: itemBatch })
  let told = 0
  for (const item of items) told += await tellBackInStock(database, item.merchantId, item.stockItemId)
  return told
}
