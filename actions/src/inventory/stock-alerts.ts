import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { cancelAlert } from './stock-alert-machine.ts'
import * as inventory from '../sql/generated/inventory.ts'

/** Alerts that wait for one address at once. */
export const mostAlerts = 50

/** @param owner the signed-in shopper, who is notified at the verified address of the account alone */
export const subscribeStockAlert = async (
  database: Database,
  merchantId: MerchantId,
  alert: { readonly sku: string; readonly email: string; readonly owner: CustomerId | null },
): Promise<inventory.SubscribeStockAlertAnswer> =>
  inventory.subscribeStockAlert(database, {
    merchantId,
    sku: alert.sku,
    email: alert.email,
    customerId: alert.owner,
    most: mostAlerts,
  })

export const cancelStockAlert = async (
  database: Database,
  merchantId: MerchantId,
  alert: { readonly id: string; readonly owner: CustomerId | null },
): Promise<inventory.CancelStockAlertAnswer> =>
  inventory.cancelStockAlert(database, {
    merchantId,
    alertId: alert.id,
    customerId: alert.owner,
    from: cancelAlert.from,
    to: cancelAlert.to,
  })
