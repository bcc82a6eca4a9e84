import { z } from 'zod'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../../database.ts'
import * as notification from '../../sql/generated/notification.ts'
import { announce } from '../outbox/index.ts'
import { announceAppointmentChange, announceToCustomer } from './appointment-changes.ts'
import { tellBackInStock } from './back-in-stock.ts'
import type { RowEvent } from './event.ts'

/**
 * Handles an event. Events can come twice, late and in any order, so a handler does only what is still to be done.
 */
export type EventHandler = (database: Database, event: RowEvent) => Promise<void>

const merchant = { merchant_id: z.guid().transform((id) => id as MerchantId) }
const withStatus = z.object({ ...merchant, id: z.guid(), status: z.string() })
const opened = z.object({ ...merchant, id: z.guid() })
const reminder = z.object({ ...merchant, appointment_id: z.guid(), start_time: z.string() })
const crossing = z.object({
  ...merchant,
  id: z.guid(),
  stock_item_id: z.guid(),
  crossing: z.enum(['RUN_LOW', 'BACK']),
})

/** By the name of the event trigger in metadata/. */
export const eventHandlers: Readonly<Record<string, EventHandler>> = {
  async order_status_changed(database, event) {
    const { merchant_id: merchantId, id, status } = withStatus.parse(event.new)
    if (event.old?.['status'] === status) return
    if (status === 'CONFIRMED') {
      const message = await notification.confirmationMessage(database, { merchantId, orderId: id })
      await announce(database, { merchantId, kind: 'ORDER_CONFIRMATION', subjectKey: id, message })
    }
    if (status === 'CANCELLED') {
      const message = await notification.cancellationMessage(database, { merchantId, orderId: id })
      await announce(database, { merchantId, kind: 'ORDER_CANCELLED', subjectKey: id, message })
    }
  },
  async shipment_status_changed(database, event) {
    const { merchant_id: merchantId, id, status } = withStatus.parse(event.new)
    if (status !== 'SHIPPED' || event.old?.['status'] === status) return
    const message = await notification.shippingMessage(database, { merchantId, shipmentId: id })
    await announce(database, { merchantId, kind: 'ORDER_SHIPPED', subjectKey: id, message })
  },
  async refund_settled(database, event) {
    const { merchant_id: merchantId, id, status } = withStatus.parse(event.new)
    if (status !== 'SUCCEEDED' || event.old?.['status'] === status) return
    const message = await notification.refundMessage(database, { merchantId, refundId: id })
    await announce(database, { merchantId, kind: 'ORDER_REFUNDED', subjectKey: id, message })
  },
  async payment_disputed(database, event) {
    const { merchant_id: merchantId, id } = opened.parse(event.new)
    const message = await notification.disputeMessage(database, { merchantId, disputeId: id })
    await announce(database, { merchantId, kind: 'PAYMENT_DISPUTED', subjectKey: id, message })
  },
  appointment_changed: announceAppointmentChange,
  async appointment_reminder_due(database, event) {
    const { appointment_id: id, ...row } = reminder.parse(event.new)
    await announceToCustomer(database, 'APPOINTMENT_REMINDER', { id, ...row })
  },
  async stock_crossed(database, event) {
    const {
      merchant_id: merchantId,
      id,
      stock_item_id: stockItemId,
      crossing: kind,
    } = crossing.parse(event.new)
    switch (kind) {
      case 'RUN_LOW': {
        const message = await notification.lowStockMessage(database, { merchantId, crossingId: id })
        await announce(database, { merchantId, kind: 'LOW_STOCK_ALERT', subjectKey: id, message })
        return
      }
      case 'BACK':
        await tellBackInStock(database, merchantId, stockItemId)
        return
      default:
        kind satisfies never
    }
  },
}

/** Whose row has changed. */
export const merchantOf = (event: RowEvent): MerchantId =>
  z.object(merchant).parse(event.new ?? event.old).merchant_id

/** Announces what an event gives rise to. */
export async function handleEvent(database: Database, event: RowEvent): Promise<void> {
  const handle = eventHandlers[event.trigger]
  if (handle === undefined) throw new Error(`No handler knows the event ${event.trigger}.`)
  await handle(database, event)
}
