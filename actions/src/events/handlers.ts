import { z } from 'zod'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import {
  tellBackInStock,
  tellLowStock,
  tellOfAppointment,
  tellOrderCancelled,
  tellOrderConfirmed,
  tellOrderShipped,
  tellRefunded,
} from '../notification/index.ts'
import type { RowEvent } from './event.ts'

/** What is done about an event. It can come twice, late, and in any order, so each does what is still to be done. */
export type EventHandler = (database: Database, event: RowEvent) => Promise<void>

const merchant = { merchant_id: z.guid().transform((id) => id as MerchantId) }
const withStatus = z.object({ ...merchant, id: z.guid(), status: z.string() })
const appointment = withStatus.extend({ start_time: z.string(), booked_here: z.boolean().optional() })
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
    if (status === 'CONFIRMED') await tellOrderConfirmed(database, merchantId, id)
    if (status === 'CANCELLED') await tellOrderCancelled(database, merchantId, id)
  },
  async shipment_status_changed(database, event) {
    const { merchant_id: merchantId, id, status } = withStatus.parse(event.new)
    if (status === 'SHIPPED' && event.old?.['status'] !== status)
      await tellOrderShipped(database, merchantId, id)
  },
  async refund_settled(database, event) {
    const { merchant_id: merchantId, id, status } = withStatus.parse(event.new)
    if (status === 'SUCCEEDED' && event.old?.['status'] !== status)
      await tellRefunded(database, merchantId, id)
  },
  async appointment_changed(database, event) {
    const row = appointment.parse(event.new)
    const { merchant_id: merchantId, id, status, start_time: at } = row
    const before = event.old === null ? null : appointment.parse(event.old)
    const told = { merchantId, id, at }
    if (before === null) {
      // What comes complete, as with an import, tells nobody.
      if (row.booked_here === true) await tellOfAppointment(database, 'APPOINTMENT_BOOKED', told)
      return
    }
    if (status === 'CANCELLED' && before.status !== status)
      return tellOfAppointment(database, 'APPOINTMENT_CANCELLED', told)
    if (Date.parse(before.start_time) !== Date.parse(at))
      await tellOfAppointment(database, 'APPOINTMENT_MOVED', told)
  },
  async appointment_reminder_due(database, event) {
    const { merchant_id: merchantId, appointment_id: id, start_time: at } = reminder.parse(event.new)
    await tellOfAppointment(database, 'APPOINTMENT_REMINDER', { merchantId, id, at })
  },
  async stock_crossed(database, event) {
    const row = crossing.parse(event.new)
    switch (row.crossing) {
      case 'RUN_LOW':
        return tellLowStock(database, row.merchant_id, row.id)
      case 'BACK':
        await tellBackInStock(database, row.merchant_id, row.stock_item_id)
        return
      default:
        row.crossing satisfies never
    }
  },
}
