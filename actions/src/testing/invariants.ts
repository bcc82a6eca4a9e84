import { expect } from 'vitest'
import type { Database } from '../database.ts'
import { verifyRows } from '../verification/index.ts'
import type { TestMerchant } from './test-shop.ts'

/** Every derived value of a merchant's shop agrees with the rows that it is derived from, by the rules of sql/verification. */
export async function expectShopToAddUp(database: Database, { merchantId }: TestMerchant): Promise<void> {
  const verdicts = await Array.fromAsync(verifyRows(database, { merchantId, mostShown: 5 }))
  expect(verdicts.filter(({ disagreements }) => disagreements > 0)).toEqual([])
  expect(verdicts.length).toBeGreaterThan(10)
}

/** Stock that came in, wherever it is now: available, reserved, or sent and not returned. */
export async function stockEverSeen(database: Database, { merchantId }: TestMerchant): Promise<number> {
  const [row] = await database<{ units: number }[]>`
    SELECT (
      (SELECT coalesce(sum(l.available + l.reserved), 0) FROM inventory.stock_level l WHERE l.merchant_id = ${merchantId})
      + (
        SELECT coalesce(sum(x.quantity), 0)
        FROM inventory.reservation r
        JOIN inventory.reservation_line x ON x.merchant_id = r.merchant_id AND x.reservation_id = r.id
        WHERE r.merchant_id = ${merchantId} AND r.status = 'CONSUMED'
      )
      - (SELECT coalesce(sum(l.restocked_quantity), 0) FROM payment.refund_line l WHERE l.merchant_id = ${merchantId})
      - (SELECT coalesce(sum(l.restocked_quantity), 0) FROM ordering.return_line l WHERE l.merchant_id = ${merchantId})
    )::integer AS units`
  return row?.units ?? 0
}
