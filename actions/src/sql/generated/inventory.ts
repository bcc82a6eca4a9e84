// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf } from '../answer-of.ts'

export type TransferStatus =
  | 'DRAFT'
  | 'IN_TRANSIT'
  | 'PARTIALLY_RECEIVED'
  | 'RECEIVED'
  | 'CANCELLED'

export type ReservationStatus =
  | 'ACTIVE'
  | 'COMMITTED'
  | 'CONSUMED'
  | 'RELEASED'
  | 'EXPIRED'

export type StockAlertStatus =
  | 'PENDING'
  | 'NOTIFIED'
  | 'CANCELLED'

export type ArrivalStays =
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'belongs_to_transfer'; readonly transferId: string }
  | { readonly outcome: 'refused'; readonly status: string }

export type TransferStays =
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'refused'; readonly status: TransferStatus }

export type PlaceRefusal = { readonly field: string; readonly reason: 'unknown_sku' | 'has_variants' | 'unknown_warehouse' | 'no_warehouse' }

export type TransferRefusal =
  | { readonly field: string; readonly reason: 'unknown_warehouse' | 'same_warehouse' | 'unknown_sku' | 'quantity_too_large' | 'not_in_transfer' }
  | { readonly field: string; readonly reason: 'too_many'; readonly awaited: number }

export type Shortage = { readonly stockItemId: string; readonly sku: string; readonly available: number; readonly requested: number }

export interface SettleProductsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type SettleProductsAnswer = number

/** `inventory.settle_products`: Writes what inventory.keep_products_in_stock had to leave, of a merchant's products that are free now.  */
export const settleProducts = (caller: Caller, args: SettleProductsArguments): Promise<SettleProductsAnswer> =>
  answerOf<SettleProductsAnswer>(caller, 'inventory.settle_products', (sql) => sql`inventory.settle_products(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface ExpireReservationsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type ExpireReservationsAnswer = number

/** `inventory.expire_reservations` */
export const expireReservations = (caller: Caller, args: ExpireReservationsArguments): Promise<ExpireReservationsAnswer> =>
  answerOf<ExpireReservationsAnswer>(caller, 'inventory.expire_reservations', (sql) => sql`inventory.expire_reservations(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface ReleaseArguments {
  readonly merchantId: MerchantId
  readonly reservationId: string
  readonly from: readonly string[]
}

export type ReleaseAnswer =
  | { readonly outcome: 'released' }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'belongs_to_order'; readonly orderId: string }
  | { readonly outcome: 'refused'; readonly status: ReservationStatus }

/** `inventory.release` */
export const release = (caller: Caller, args: ReleaseArguments): Promise<ReleaseAnswer> =>
  answerOf<ReleaseAnswer>(caller, 'inventory.release', (sql) => sql`inventory.release(
      p_merchant_id => ${args.merchantId}::uuid,
      p_reservation_id => ${args.reservationId}::uuid,
      p_from => ${listOf(args.from)}::text[]
    )`)

export interface CancelStockAlertArguments {
  readonly merchantId: MerchantId
  readonly alertId: string
  readonly customerId: string | null
  readonly from: readonly string[]
  readonly to: string
}

export type CancelStockAlertAnswer =
  | { readonly outcome: 'cancelled'; readonly alertId: string; readonly status: StockAlertStatus }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'refused'; readonly status: StockAlertStatus }

/** `inventory.cancel_stock_alert` */
export const cancelStockAlert = (caller: Caller, args: CancelStockAlertArguments): Promise<CancelStockAlertAnswer> =>
  answerOf<CancelStockAlertAnswer>(caller, 'inventory.cancel_stock_alert', (sql) => sql`inventory.cancel_stock_alert(
      p_merchant_id => ${args.merchantId}::uuid,
      p_alert_id => ${args.alertId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface StockItemsBackArguments {
  readonly limit: number
}

export type StockItemsBackAnswer = { readonly merchantId: MerchantId; readonly stockItemId: string }

/** `inventory.stock_items_back` */
export const stockItemsBack = (sql: Queryable, args: StockItemsBackArguments): Promise<readonly StockItemsBackAnswer[]> =>
  rowsOf<StockItemsBackAnswer>(sql`SELECT merchant_id AS "merchantId", stock_item_id AS "stockItemId" FROM inventory.stock_items_back(
      p_limit => ${args.limit}::integer
    )`)

export interface ExpectStockArguments {
  readonly merchantId: MerchantId
  readonly sku: string
  readonly warehouseId: string | null
  readonly quantity: number
  readonly expectedDate: string | null
  readonly reference: string | null
}

export type ExpectStockAnswer =
  | { readonly outcome: 'changed'; readonly incomingStockId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly PlaceRefusal[] }

/** `inventory.expect_stock` */
export const expectStock = (caller: Caller, args: ExpectStockArguments): Promise<ExpectStockAnswer> =>
  answerOf<ExpectStockAnswer>(caller, 'inventory.expect_stock', (sql) => sql`inventory.expect_stock(
      p_merchant_id => ${args.merchantId}::uuid,
      p_sku => ${args.sku}::text,
      p_warehouse_id => ${args.warehouseId}::uuid,
      p_quantity => ${args.quantity}::integer,
      p_expected_date => ${args.expectedDate}::text::date,
      p_reference => ${args.reference}::text
    )`)

export interface ChangeIncomingStockArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly changes: object
}

export type ChangeIncomingStockAnswer =
  | { readonly outcome: 'changed'; readonly incomingStockId: string }
  | ArrivalStays
  | { readonly outcome: 'too_few'; readonly received: number }

/** `inventory.change_incoming_stock` */
export const changeIncomingStock = (caller: Caller, args: ChangeIncomingStockArguments): Promise<ChangeIncomingStockAnswer> =>
  answerOf<ChangeIncomingStockAnswer>(caller, 'inventory.change_incoming_stock', (sql) => sql`inventory.change_incoming_stock(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_changes => ${jsonOf(sql, args.changes)}::jsonb
    )`)

export interface ReceiveIncomingStockArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly quantity: number | null
  readonly principal: string | null
}

export type ReceiveIncomingStockAnswer =
  | { readonly outcome: 'changed'; readonly incomingStockId: string }
  | ArrivalStays
  | { readonly outcome: 'too_many'; readonly awaited: number }

/** `inventory.receive_incoming_stock` */
export const receiveIncomingStock = (caller: Caller, args: ReceiveIncomingStockArguments): Promise<ReceiveIncomingStockAnswer> =>
  answerOf<ReceiveIncomingStockAnswer>(caller, 'inventory.receive_incoming_stock', (sql) => sql`inventory.receive_incoming_stock(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_quantity => ${args.quantity}::integer,
      p_principal => ${args.principal}::text
    )`)

export interface CancelIncomingStockArguments {
  readonly merchantId: MerchantId
  readonly id: string
}

export type CancelIncomingStockAnswer =
  | { readonly outcome: 'changed'; readonly incomingStockId: string }
  | ArrivalStays

/** `inventory.cancel_incoming_stock` */
export const cancelIncomingStock = (caller: Caller, args: CancelIncomingStockArguments): Promise<CancelIncomingStockAnswer> =>
  answerOf<CancelIncomingStockAnswer>(caller, 'inventory.cancel_incoming_stock', (sql) => sql`inventory.cancel_incoming_stock(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid
    )`)

export interface ChangeTransferArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly changes: object
  readonly from: readonly string[]
}

export type ChangeTransferAnswer =
  | { readonly outcome: 'changed'; readonly transferId: string }
  | TransferStays
  | { readonly outcome: 'invalid'; readonly refusals: readonly TransferRefusal[] }

/** `inventory.change_transfer` */
export const changeTransfer = (caller: Caller, args: ChangeTransferArguments): Promise<ChangeTransferAnswer> =>
  answerOf<ChangeTransferAnswer>(caller, 'inventory.change_transfer', (sql) => sql`inventory.change_transfer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_changes => ${jsonOf(sql, args.changes)}::jsonb,
      p_from => ${listOf(args.from)}::text[]
    )`)

export interface CancelTransferArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly from: readonly string[]
  readonly to: string
  readonly principal: string | null
}

export type CancelTransferAnswer =
  | { readonly outcome: 'changed'; readonly transferId: string }
  | TransferStays

/** `inventory.cancel_transfer` */
export const cancelTransfer = (caller: Caller, args: CancelTransferArguments): Promise<CancelTransferAnswer> =>
  answerOf<CancelTransferAnswer>(caller, 'inventory.cancel_transfer', (sql) => sql`inventory.cancel_transfer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text,
      p_principal => ${args.principal}::text
    )`)

export interface SetLowStockThresholdArguments {
  readonly merchantId: MerchantId
  readonly sku: string
  readonly threshold: number | null
}

export type SetLowStockThresholdAnswer =
  | { readonly outcome: 'changed'; readonly stockItemId: string }
  | { readonly outcome: 'unknown_sku' }

/** `inventory.set_low_stock_threshold` */
export const setLowStockThreshold = (caller: Caller, args: SetLowStockThresholdArguments): Promise<SetLowStockThresholdAnswer> =>
  answerOf<SetLowStockThresholdAnswer>(caller, 'inventory.set_low_stock_threshold', (sql) => sql`inventory.set_low_stock_threshold(
      p_merchant_id => ${args.merchantId}::uuid,
      p_sku => ${args.sku}::text,
      p_threshold => ${args.threshold}::integer
    )`)

export interface ChangeLevelArguments {
  readonly merchantId: MerchantId
  readonly sku: string
  readonly warehouseId: string | null
  readonly available: number | null
  readonly delta: number | null
  readonly reason: string
  readonly principal: string | null
}

export type ChangeLevelAnswer =
  | { readonly outcome: 'changed'; readonly stockItemId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly PlaceRefusal[] }
  | { readonly outcome: 'out_of_range'; readonly available: number; readonly max: number }

/** `inventory.change_level` */
export const changeLevel = (caller: Caller, args: ChangeLevelArguments): Promise<ChangeLevelAnswer> =>
  answerOf<ChangeLevelAnswer>(caller, 'inventory.change_level', (sql) => sql`inventory.change_level(
      p_merchant_id => ${args.merchantId}::uuid,
      p_sku => ${args.sku}::text,
      p_warehouse_id => ${args.warehouseId}::uuid,
      p_available => ${args.available}::integer,
      p_delta => ${args.delta}::integer,
      p_reason => ${args.reason}::text,
      p_principal => ${args.principal}::text
    )`)

export interface DraftTransferArguments {
  readonly merchantId: MerchantId
  readonly fromWarehouseId: string
  readonly toWarehouseId: string
  readonly lines: object
  readonly expectedDate: string | null
  readonly notes: string | null
}

export type DraftTransferAnswer =
  | { readonly outcome: 'changed'; readonly transferId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly TransferRefusal[] }

/** `inventory.draft_transfer` */
export const draftTransfer = (caller: Caller, args: DraftTransferArguments): Promise<DraftTransferAnswer> =>
  answerOf<DraftTransferAnswer>(caller, 'inventory.draft_transfer', (sql) => sql`inventory.draft_transfer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_from_warehouse_id => ${args.fromWarehouseId}::uuid,
      p_to_warehouse_id => ${args.toWarehouseId}::uuid,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_expected_date => ${args.expectedDate}::text::date,
      p_notes => ${args.notes}::text
    )`)

export interface ReceiveTransferArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly lines: object | null
  readonly from: readonly string[]
  readonly part: string
  readonly all: string
  readonly principal: string | null
}

export type ReceiveTransferAnswer =
  | { readonly outcome: 'changed'; readonly transferId: string }
  | TransferStays
  | { readonly outcome: 'invalid'; readonly refusals: readonly TransferRefusal[] }

/** `inventory.receive_transfer` */
export const receiveTransfer = (caller: Caller, args: ReceiveTransferArguments): Promise<ReceiveTransferAnswer> =>
  answerOf<ReceiveTransferAnswer>(caller, 'inventory.receive_transfer', (sql) => sql`inventory.receive_transfer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_from => ${listOf(args.from)}::text[],
      p_part => ${args.part}::text,
      p_all => ${args.all}::text,
      p_principal => ${args.principal}::text
    )`)

export interface ReserveArguments {
  readonly merchantId: MerchantId
  readonly skus: readonly string[]
  readonly quantities: readonly number[]
  readonly seconds: number
}

export type ReserveAnswer =
  | { readonly outcome: 'reserved'; readonly reservationId: string; readonly expiresAt: string; readonly items: readonly { readonly sku: string; readonly quantity: number; readonly reserved: number }[] }
  | { readonly outcome: 'insufficient'; readonly shortages: readonly Shortage[] }
  | { readonly outcome: 'unknown_sku'; readonly positions: readonly number[] }

/** `inventory.reserve` */
export const reserve = (caller: Caller, args: ReserveArguments): Promise<ReserveAnswer> =>
  answerOf<ReserveAnswer>(caller, 'inventory.reserve', (sql) => sql`inventory.reserve(
      p_merchant_id => ${args.merchantId}::uuid,
      p_skus => ${listOf(args.skus)}::text[],
      p_quantities => ${listOf(args.quantities)}::integer[],
      p_seconds => ${args.seconds}::integer
    )`)

export interface ShipTransferArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly from: readonly string[]
  readonly to: string
  readonly principal: string | null
}

export type ShipTransferAnswer =
  | { readonly outcome: 'changed'; readonly transferId: string }
  | TransferStays
  | { readonly outcome: 'insufficient'; readonly shortages: readonly { readonly sku: string; readonly available: number; readonly requested: number }[] }

/** `inventory.ship_transfer` */
export const shipTransfer = (caller: Caller, args: ShipTransferArguments): Promise<ShipTransferAnswer> =>
  answerOf<ShipTransferAnswer>(caller, 'inventory.ship_transfer', (sql) => sql`inventory.ship_transfer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text,
      p_principal => ${args.principal}::text
    )`)

export interface SubscribeStockAlertArguments {
  readonly merchantId: MerchantId
  readonly sku: string
  readonly email: string
  readonly customerId: string | null
  readonly most: number
}

export type SubscribeStockAlertAnswer =
  | { readonly outcome: 'subscribed'; readonly alertId: string; readonly status: StockAlertStatus; readonly estimatedDate: string | null }
  | { readonly outcome: 'unknown_sku' }
  | { readonly outcome: 'has_variants' }
  | { readonly outcome: 'available' }
  | { readonly outcome: 'not_own_email' }
  | { readonly outcome: 'too_many' }

/** `inventory.subscribe_stock_alert` */
export const subscribeStockAlert = (caller: Caller, args: SubscribeStockAlertArguments): Promise<SubscribeStockAlertAnswer> =>
  answerOf<SubscribeStockAlertAnswer>(caller, 'inventory.subscribe_stock_alert', (sql) => sql`inventory.subscribe_stock_alert(
      p_merchant_id => ${args.merchantId}::uuid,
      p_sku => ${args.sku}::text,
      p_email => ${args.email}::citext,
      p_customer_id => ${args.customerId}::uuid,
      p_most => ${args.most}::integer
    )`)
