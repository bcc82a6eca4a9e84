import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { handleEvent } from '../messaging/triggers/index.ts'

/** Does what the event trigger of orders does when an order is paid. */
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
