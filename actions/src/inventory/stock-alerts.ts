import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome } from '../database.ts'
import { cancelAlert, type StockAlertStatus } from './stock-alert-machine.ts'

export type SubscribeOutcome =
  | {
      readonly outcome: 'subscribed'
      readonly alertId: string
      readonly status: StockAlertStatus
      readonly estimatedDate: string | null
    }
  | { readonly outcome: 'unknown_sku' | 'available' | 'not_own_email' | 'too_many' }

/** Alerts that wait for one address at once. */
export const MOST_ALERTS = 50

/** @param owner the signed-in shopper, who is told at the own verified address alone */
export async function subscribeStockAlert(
  database: Database,
  merchantId: MerchantId,
  alert: { readonly sku: string; readonly email: string; readonly owner: CustomerId | null },
): Promise<SubscribeOutcome> {
  return onlyOutcome(
    await database<{ outcome: SubscribeOutcome }[]>`
      SELECT inventory.subscribe_stock_alert(${merchantId}, ${alert.sku}, ${alert.email}, ${alert.owner}, ${MOST_ALERTS}) AS outcome`,
  )
}

export type CancelAlertOutcome =
  | { readonly outcome: 'cancelled'; readonly alertId: string; readonly status: StockAlertStatus }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'refused'; readonly status: StockAlertStatus }

export async function cancelStockAlert(
  database: Database,
  merchantId: MerchantId,
  alert: { readonly id: string; readonly owner: CustomerId | null },
): Promise<CancelAlertOutcome> {
  return onlyOutcome(
    await database<{ outcome: CancelAlertOutcome }[]>`
      SELECT inventory.cancel_stock_alert(
        ${merchantId}, ${alert.id}, ${alert.owner}, ${[...cancelAlert.from]}::text[], ${cancelAlert.to}
      ) AS outcome`,
  )
}
