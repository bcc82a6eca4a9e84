import type { Shortage } from '../action/answer.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome, type Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { release } from './reservation-machine.ts'

export interface ReserveRequest {
  readonly items: readonly { readonly sku: string; readonly quantity: number }[]
  readonly seconds: number
}

export type ReserveOutcome =
  | {
      readonly outcome: 'reserved'
      readonly reservationId: string
      readonly expiresAt: string
      readonly items: readonly {
        readonly sku: string
        readonly quantity: number
        readonly reserved: number
      }[]
    }
  | { readonly outcome: 'insufficient'; readonly shortages: readonly Shortage[] }
  | { readonly outcome: 'unknown_sku'; readonly positions: readonly number[] }

/** Holds all of the items or none, over as many active warehouses as it takes. */
export async function reserve(
  sql: Queryable,
  merchantId: MerchantId,
  request: ReserveRequest,
): Promise<ReserveOutcome> {
  const skus = request.items.map((item) => item.sku)
  const quantities = request.items.map((item) => item.quantity)
  return onlyOutcome(
    await sql<{ outcome: ReserveOutcome }[]>`
      SELECT inventory.reserve(${merchantId}, ${skus}::text[], ${quantities}::integer[], ${request.seconds}) AS outcome`,
  )
}

export type ReleaseOutcome =
  | { readonly outcome: 'released' | 'unknown' }
  | { readonly outcome: 'belongs_to_order'; readonly orderId: string }
  | { readonly outcome: 'refused'; readonly status: string }

export async function releaseReservation(
  sql: Queryable,
  merchantId: MerchantId,
  reservationId: string,
): Promise<ReleaseOutcome> {
  return onlyOutcome(
    await sql<{ outcome: ReleaseOutcome }[]>`
      SELECT inventory.release(${merchantId}, ${reservationId}, ${[...release.from]}::text[]) AS outcome`,
  )
}

export interface LevelChange {
  readonly sku: string
  readonly warehouseId: string | null
  /** The level to have, or how far to move the one there is. */
  readonly change: { readonly to: number } | { readonly by: number }
  readonly reason: string
  /** Who changes it. */
  readonly principal: string | null
}

/** A place for stock that there isn't. */
export interface PlaceRefusal {
  readonly field: string
  readonly reason: 'unknown_sku' | 'has_variants' | 'unknown_warehouse' | 'no_warehouse'
}

export type LevelOutcome =
  | { readonly outcome: 'changed'; readonly stockItemId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly PlaceRefusal[] }
  | { readonly outcome: 'out_of_range'; readonly available: number; readonly max: number }

export async function changeLevel(
  sql: Queryable,
  merchantId: MerchantId,
  change: LevelChange,
): Promise<LevelOutcome> {
  const to = 'to' in change.change ? change.change.to : null
  const by = 'by' in change.change ? change.change.by : null
  return onlyOutcome(
    await sql<{ outcome: LevelOutcome }[]>`
      SELECT inventory.change_level(
        ${merchantId}, ${change.sku}, ${change.warehouseId}, ${to}, ${by}, ${change.reason},
        ${change.principal}
      ) AS outcome`,
  )
}

export type ThresholdOutcome =
  { readonly outcome: 'changed'; readonly stockItemId: string } | { readonly outcome: 'unknown_sku' }

/** @param threshold null for the merchant's default */
export async function setLowStockThreshold(
  sql: Queryable,
  merchantId: MerchantId,
  sku: string,
  threshold: number | null,
): Promise<ThresholdOutcome> {
  return onlyOutcome(
    await sql<{ outcome: ThresholdOutcome }[]>`
      SELECT inventory.set_low_stock_threshold(${merchantId}, ${sku}, ${threshold}) AS outcome`,
  )
}

/** Reservations that one statement ends at most: short transactions, few locks. */
const EXPIRY_BATCH = 100

/** Gives back what expired reservations hold, of every merchant. Returns how many it ended. */
export async function expireReservations(database: Database): Promise<number> {
  const merchants = await database<{ merchant_id: string }[]>`
    SELECT DISTINCT r.merchant_id FROM inventory.reservation r
    WHERE r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at <= now()`
  let expired = 0
  for (const { merchant_id: merchantId } of merchants) {
    expired += await inBatches(EXPIRY_BATCH, async () =>
      onlyOutcome(
        await database<{ outcome: number }[]>`
          SELECT inventory.expire_reservations(${merchantId}, ${EXPIRY_BATCH}) AS outcome`,
      ),
    )
  }
  return expired
}
