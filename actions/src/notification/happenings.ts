import type { MerchantId } from '../action/session.ts'
import { type Database, onlyOutcome } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import type { Message } from './announcements.ts'
import { announce } from './announcements.ts'

interface Found {
  readonly outcome: Message | null
}

/** The order is paid. */
export async function tellOrderConfirmed(database: Database, merchantId: MerchantId, orderId: string) {
  const message = onlyOutcome(
    await database<Found[]>`SELECT notification.order_message(${merchantId}, ${orderId}) AS outcome`,
  )
  await announce(database, { merchantId, kind: 'ORDER_CONFIRMATION', subjectKey: orderId, message })
}

export async function tellOrderShipped(database: Database, merchantId: MerchantId, shipmentId: string) {
  const message = onlyOutcome(
    await database<Found[]>`SELECT notification.shipping_message(${merchantId}, ${shipmentId}) AS outcome`,
  )
  await announce(database, { merchantId, kind: 'ORDER_SHIPPED', subjectKey: shipmentId, message })
}

/** The processor has given the money back. */
export async function tellRefunded(database: Database, merchantId: MerchantId, refundId: string) {
  const message = onlyOutcome(
    await database<Found[]>`SELECT notification.refund_message(${merchantId}, ${refundId}) AS outcome`,
  )
  await announce(database, { merchantId, kind: 'ORDER_REFUNDED', subjectKey: refundId, message })
}

/** @param startTime as the reminder has it; an appointment that has been moved since has another one */
export async function remindOfAppointment(
  database: Database,
  merchantId: MerchantId,
  appointmentId: string,
  startTime: string,
) {
  const message = onlyOutcome(
    await database<Found[]>`
      SELECT notification.reminder_message(${merchantId}, ${appointmentId}, ${startTime}::text::timestamptz) AS outcome`,
  )
  const subjectKey = `${appointmentId} ${new Date(startTime).toISOString()}`
  await announce(database, { merchantId, kind: 'APPOINTMENT_REMINDER', subjectKey, message })
}

/** Stock has fallen to its threshold: the merchant is told. */
export async function tellLowStock(database: Database, merchantId: MerchantId, crossingId: string) {
  const message = onlyOutcome(
    await database<Found[]>`SELECT notification.low_stock_message(${merchantId}, ${crossingId}) AS outcome`,
  )
  await announce(database, { merchantId, kind: 'LOW_STOCK_ALERT', subjectKey: crossingId, message })
}

/** Alerts that are told in one transaction. */
const ALERT_BATCH = 50
/** Items of one run; the next run goes on. */
const ITEM_BATCH = 100

/** What somebody waits for can be had again: everybody who waits is told, once. Returns how many. */
export async function tellBackInStock(
  database: Database,
  merchantId: MerchantId,
  stockItemId: string,
): Promise<number> {
  return inBatches(ALERT_BATCH, () =>
    database.begin(async (sql) => {
      const alerts = await sql<{ alert_id: string; message: Message }[]>`
        SELECT * FROM notification.claim_back_in_stock(${merchantId}, ${stockItemId}, ${ALERT_BATCH})`
      for (const { alert_id: subjectKey, message } of alerts) {
        await announce(sql, { merchantId, kind: 'STOCK_ALERT', subjectKey, message })
      }
      return alerts.length
    }),
  )
}

/** The same for every item: not only stock brings something back, a product that is for sale again does too. */
export async function tellEverythingBackInStock(database: Database): Promise<number> {
  const items = await database<{ merchant_id: MerchantId; stock_item_id: string }[]>`
    SELECT * FROM inventory.stock_items_back(${ITEM_BATCH})`
  let told = 0
  for (const item of items) told += await tellBackInStock(database, item.merchant_id, item.stock_item_id)
  return told
}
