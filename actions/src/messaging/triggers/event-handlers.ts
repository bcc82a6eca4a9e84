import { z } from 'zod'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../../database.ts'
import * as notification from '../../sql/generated/notification.ts'
import type { MessageKind } from '../compose/index.ts'
import { announce } from '../outbox/index.ts'
import { tellBackInStock } from './back-in-stock.ts'
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
    if (status === 'CONFIRMED') {
      const message = await notification.orderMessage(database, { merchantId, orderId: id })
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
  async appointment_changed(database, event) {
    const row = appointment.parse(event.new)
    const { merchant_id: merchantId, id, status, start_time: at } = row
    const before = event.old === null ? null : appointment.parse(event.old)
    const change = { merchantId, id, at }
    if (before === null) {
      // What comes complete, as with an import, notifies no customer.
      if (row.booked_here === true) await tellOfAppointment(database, 'APPOINTMENT_BOOKED', change)
      return
    }
    if (status === 'CANCELLED' && before.status !== status)
      return tellOfAppointment(database, 'APPOINTMENT_CANCELLED', change)
    if (Date.parse(before.start_time) !== Date.parse(at))
      await tellOfAppointment(database, 'APPOINTMENT_MOVED', change)
  },
  async appointment_reminder_due(database, event) {
    const { merchant_id: merchantId, appointment_id: id, start_time: at } = reminder.parse(event.new)
    await tellOfAppointment(database, 'APPOINTMENT_REMINDER', { merchantId, id, at })
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

/** Announces what an event gives rise to. */
export async function handleEvent(database: Database, event: RowEvent): Promise<void> {
  const handle = eventHandlers[event.trigger]
  if (handle === undefined) throw new Error(`No handler knows the event ${event.trigger}.`)
  await handle(database, event)
}

type AppointmentKind = Extract<MessageKind, `APPOINTMENT_${string}`>

/** The states in which there is something to tell. */
const toldWhile: Readonly<Record<AppointmentKind, readonly string[]>> = {
  APPOINTMENT_BOOKED: ['SCHEDULED', 'CONFIRMED'],
  APPOINTMENT_MOVED: ['SCHEDULED', 'CONFIRMED'],
  APPOINTMENT_CANCELLED: ['CANCELLED'],
  APPOINTMENT_REMINDER: ['SCHEDULED', 'CONFIRMED'],
}

/**
 * Announces an appointment that is still ahead. One that has been moved since is announced at its new time only.
 *
 * @param at the appointment's start when it happened
 */
async function tellOfAppointment(
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
