import type { MerchantId } from '@commerce-graph/contract/ids'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database } from '../../database.ts'
import { inBatches } from '../../in-batches.ts'
import * as inventory from '../../sql/generated/inventory.ts'
import * as notification from '../../sql/generated/notification.ts'
import { announce } from '../outbox/index.ts'

/** Alerts that are announced in one transaction. */
const alertBatch = 50
/** Items of one run; the next run goes on. */
const itemBatch = 100

/** Announces SKUs that are available again to each customer who waits, once. Returns how many announcements. */
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
  let announced = 0
  for (const { merchantId, stockItemId } of items)
    announced += await tellBackInStock(forMerchant(database, merchantId), merchantId, stockItemId)
  return announced
}
