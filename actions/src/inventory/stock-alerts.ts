import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { cancelAlert } from './stock-alert-machine.ts'
import * as inventory from '../sql/generated/inventory.ts'

/** Alerts that wait for one address at once. */
export const MOST_ALERTS = 50

/** @param owner the signed-in shopper, who is told at the own verified address alone */
export async function subscribeStockAlert(
  database: Database,
  merchantId: MerchantId,
  alert: { readonly sku: string; readonly email: string; readonly owner: CustomerId | null },
): Promise<inventory.SubscribeStockAlertAnswer> {
  return inventory.subscribeStockAlert(database, {
    merchantId,
    sku: alert.sku,
    email: alert.email,
    customerId: alert.owner,
    most: MOST_ALERTS,
  })
}

export async function cancelStockAlert(
  database: Database,
  merchantId: MerchantId,
  alert: { readonly id: string; readonly owner: CustomerId | null },
): Promise<inventory.CancelStockAlertAnswer> {
  return inventory.cancelStockAlert(database, {
    merchantId,
    alertId: alert.id,
    customerId: alert.owner,
    from: cancelAlert.from,
    to: cancelAlert.to,
  })
}
