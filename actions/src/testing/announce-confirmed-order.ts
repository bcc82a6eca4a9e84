import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { handleEvent } from '../messaging/triggers/index.ts'

/** What the event trigger of orders causes when an order is paid. */
export const announceConfirmedOrder = (
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<void> =>
  handleEvent(database, {
    id: randomUUID(),
    trigger: 'order_status_changed',
    old: { status: 'PENDING' },
    new: { merchant_id: merchantId, id: orderId, status: 'CONFIRMED' },
  })
