import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { release } from './reservation-machine.ts'
import * as inventory from '../sql/generated/inventory.ts'

export interface ReserveRequest {
  readonly items: readonly { readonly sku: string; readonly quantity: number }[]
  readonly seconds: number
}

/** Holds all of the items or none, over as many active warehouses as it takes. */
export async function reserve(
  sql: Queryable,
  merchantId: MerchantId,
  request: ReserveRequest,
): Promise<inventory.ReserveAnswer> {
  const skus = request.items.map((item) => item.sku)
  const quantities = request.items.map((item) => item.quantity)
  return inventory.reserve(sql, { merchantId, skus, quantities, seconds: request.seconds })
}

export const releaseReservation = async (
  sql: Queryable,
  merchantId: MerchantId,
  reservationId: string,
): Promise<inventory.ReleaseAnswer> =>
  inventory.release(sql, { merchantId, reservationId, from: release.from })

export interface LevelChange {
  readonly sku: string
  readonly warehouseId: string | null
  /** The level to have, or how far to move the one there is. */
  readonly change: { readonly to: number } | { readonly by: number }
  readonly reason: string
  /** The id of the caller. */
  readonly principal: string | null
}

export async function changeLevel(
  sql: Queryable,
  merchantId: MerchantId,
  change: LevelChange,
): Promise<inventory.ChangeLevelAnswer> {
  const to = 'to' in change.change ? change.change.to : null
  const by = 'by' in change.change ? change.change.by : null
  return inventory.changeLevel(sql, {
    merchantId,
    sku: change.sku,
    warehouseId: change.warehouseId,
    available: to,
    delta: by,
    reason: change.reason,
    principal: change.principal,
  })
}

/** @param threshold null for the merchant's default */
export const setLowStockThreshold = async (
  sql: Queryable,
  merchantId: MerchantId,
  sku: string,
  threshold: number | null,
): Promise<inventory.SetLowStockThresholdAnswer> =>
  inventory.setLowStockThreshold(sql, { merchantId, sku, threshold })

/** Reservations that one statement ends at most: short transactions, few locks. */
const expiryBatch = 100

/** Gives back what expired reservations hold, of every merchant. Returns how many it ended. */
export async function expireReservations(database: Database): Promise<number> {
  const due = database<OfMerchant[]>`
    SELECT DISTINCT r.merchant_id AS "merchantId" FROM inventory.reservation r
    WHERE r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at <= now() LIMIT ${merchantsOfRun}`
  return byMerchant(database, due, (own, merchantId) =>
    inBatches(expiryBatch, () => inventory.expireReservations(own, { merchantId, limit: expiryBatch })),
  )
}

const settledBatch = 500

/**
 * Writes whether products are in stock, where a transaction that changed their stock had to leave it: another one had locked them for
 * long. Returns of how many products.
 */
export async function settleProducts(database: Database): Promise<number> {
  const due = database<OfMerchant[]>`
    SELECT DISTINCT u.merchant_id AS "merchantId" FROM inventory.unsettled_product u LIMIT ${merchantsOfRun}`
  return byMerchant(database, due, (own, merchantId) =>
    inBatches(settledBatch, () => inventory.settleProducts(own, { merchantId, limit: settledBatch })),
  )
}
