import type { UpdateIncomingStockInput, UpdateTransferInput } from '@commerce-graph/contract'
import type { Shortage } from '../action/answer.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, type JsonValue, onlyOutcome } from '../database.ts'
import type { PlaceRefusal } from './stock.ts'
import { transferTransitions } from './transfer-machine.ts'

/** A record of the merchant's, and who is at it. */
export interface ArrivalReference {
  readonly merchantId: MerchantId
  readonly id: string
  readonly principal: string | null
}

/** The fields to change; what is absent stays, and null empties. */
export type Changes = UpdateIncomingStockInput | UpdateTransferInput

export interface ExpectedStock {
  readonly sku: string
  readonly warehouseId: string | null
  readonly quantity: number
  readonly expectedDate: string | null
  readonly reference: string | null
}

export type IncomingStockOutcome =
  | { readonly outcome: 'changed'; readonly incomingStockId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly PlaceRefusal[] }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'belongs_to_transfer'; readonly transferId: string }
  | { readonly outcome: 'refused'; readonly status: string }
  | { readonly outcome: 'too_few'; readonly received: number }
  | { readonly outcome: 'too_many'; readonly awaited: number }

export async function expectStock(
  database: Database,
  merchantId: MerchantId,
  { sku, warehouseId, quantity, expectedDate, reference }: ExpectedStock,
): Promise<IncomingStockOutcome> {
  return onlyOutcome(
    await database<{ outcome: IncomingStockOutcome }[]>`
      SELECT inventory.expect_stock(
        ${merchantId}, ${sku}, ${warehouseId}, ${quantity}, ${expectedDate}, ${reference}
      ) AS outcome`,
  )
}

export async function changeIncomingStock(
  database: Database,
  { merchantId, id }: ArrivalReference,
  changes: Changes,
): Promise<IncomingStockOutcome> {
  return onlyOutcome(
    await database<{ outcome: IncomingStockOutcome }[]>`
      SELECT inventory.change_incoming_stock(${merchantId}, ${id}, ${database.json(changes as JsonValue)}) AS outcome`,
  )
}

/** @param quantity null for all that is awaited */
export async function receiveIncomingStock(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
  quantity: number | null,
): Promise<IncomingStockOutcome> {
  return onlyOutcome(
    await database<{ outcome: IncomingStockOutcome }[]>`
      SELECT inventory.receive_incoming_stock(${merchantId}, ${id}, ${quantity}, ${principal}) AS outcome`,
  )
}

export async function cancelIncomingStock(
  database: Database,
  { merchantId, id }: ArrivalReference,
): Promise<IncomingStockOutcome> {
  return onlyOutcome(
    await database<{ outcome: IncomingStockOutcome }[]>`
      SELECT inventory.cancel_incoming_stock(${merchantId}, ${id}) AS outcome`,
  )
}

export interface TransferLine {
  readonly sku: string
  readonly quantity: number
}

export interface TransferDraft {
  readonly fromWarehouseId: string
  readonly toWarehouseId: string
  readonly lines: readonly TransferLine[]
  readonly expectedDate: string | null
  readonly notes: string | null
}

export type TransferRefusal =
  | {
      readonly field: string
      readonly reason:
        'unknown_warehouse' | 'same_warehouse' | 'unknown_sku' | 'quantity_too_large' | 'not_in_transfer'
    }
  | { readonly field: string; readonly reason: 'too_many'; readonly awaited: number }

export type TransferOutcome =
  | { readonly outcome: 'changed'; readonly transferId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly TransferRefusal[] }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'refused'; readonly status: string }
  | { readonly outcome: 'insufficient'; readonly shortages: readonly Shortage[] }

export async function draftTransfer(
  database: Database,
  merchantId: MerchantId,
  { fromWarehouseId, toWarehouseId, lines, expectedDate, notes }: TransferDraft,
): Promise<TransferOutcome> {
  return onlyOutcome(
    await database<{ outcome: TransferOutcome }[]>`
      SELECT inventory.draft_transfer(
        ${merchantId}, ${fromWarehouseId}, ${toWarehouseId}, ${database.json(lines as unknown as JsonValue)}, ${expectedDate},
        ${notes}
      ) AS outcome`,
  )
}

export async function changeTransfer(
  database: Database,
  { merchantId, id }: ArrivalReference,
  changes: Changes,
): Promise<TransferOutcome> {
  const from = [...transferTransitions.edit.from]
  return onlyOutcome(
    await database<{ outcome: TransferOutcome }[]>`
      SELECT inventory.change_transfer(
        ${merchantId}, ${id}, ${database.json(changes as JsonValue)}, ${from}::text[]
      ) AS outcome`,
  )
}

export async function shipTransfer(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
): Promise<TransferOutcome> {
  const { from, to } = transferTransitions.ship
  return onlyOutcome(
    await database<{ outcome: TransferOutcome }[]>`
      SELECT inventory.ship_transfer(${merchantId}, ${id}, ${[...from]}::text[], ${to}, ${principal}) AS outcome`,
  )
}

/** @param lines null for all that is awaited */
export async function receiveTransfer(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
  lines: readonly TransferLine[] | null,
): Promise<TransferOutcome> {
  const { receivePart, receiveAll } = transferTransitions
  const arrived = lines === null ? null : database.json(lines as unknown as JsonValue)
  return onlyOutcome(
    await database<{ outcome: TransferOutcome }[]>`
      SELECT inventory.receive_transfer(
        ${merchantId}, ${id}, ${arrived}, ${[...receiveAll.from]}::text[], ${receivePart.to}, ${receiveAll.to}, ${principal}
      ) AS outcome`,
  )
}

export async function cancelTransfer(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
): Promise<TransferOutcome> {
  const { from, to } = transferTransitions.cancel
  return onlyOutcome(
    await database<{ outcome: TransferOutcome }[]>`
      SELECT inventory.cancel_transfer(${merchantId}, ${id}, ${[...from]}::text[], ${to}, ${principal}) AS outcome`,
  )
}
