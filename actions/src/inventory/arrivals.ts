import type { UpdateIncomingStockInput, UpdateTransferInput } from '@commerce-graph/contract'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { transferTransitions } from './transfer-machine.ts'
import * as inventory from '../sql/generated/inventory.ts'

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
  | inventory.ExpectStockAnswer
  | inventory.ChangeIncomingStockAnswer
  | inventory.ReceiveIncomingStockAnswer

export const expectStock = async (
  database: Database,
  merchantId: MerchantId,
  { sku, warehouseId, quantity, expectedDate, reference }: ExpectedStock,
): Promise<IncomingStockOutcome> =>
  inventory.expectStock(database, { merchantId, sku, warehouseId, quantity, expectedDate, reference })

export const changeIncomingStock = async (
  database: Database,
  { merchantId, id }: ArrivalReference,
  changes: Changes,
): Promise<IncomingStockOutcome> => inventory.changeIncomingStock(database, { merchantId, id, changes })

/** @param quantity null for all that is awaited */
export const receiveIncomingStock = async (
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
  quantity: number | null,
): Promise<IncomingStockOutcome> =>
  inventory.receiveIncomingStock(database, { merchantId, id, quantity, principal })

export const cancelIncomingStock = async (
  database: Database,
  { merchantId, id }: ArrivalReference,
): Promise<IncomingStockOutcome> => inventory.cancelIncomingStock(database, { merchantId, id })

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

export type TransferRefusal = inventory.TransferRefusal

export type TransferOutcome = inventory.ShipTransferAnswer | inventory.ReceiveTransferAnswer

export const draftTransfer = async (
  database: Database,
  merchantId: MerchantId,
  { fromWarehouseId, toWarehouseId, lines, expectedDate, notes }: TransferDraft,
): Promise<TransferOutcome> =>
  inventory.draftTransfer(database, {
    merchantId,
    fromWarehouseId,
    toWarehouseId,
    lines,
    expectedDate,
    notes,
  })

export async function changeTransfer(
  database: Database,
  { merchantId, id }: ArrivalReference,
  changes: Changes,
): Promise<TransferOutcome> {
  const { from } = transferTransitions.edit
  return inventory.changeTransfer(database, { merchantId, id, changes, from })
}

export async function shipTransfer(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
): Promise<TransferOutcome> {
  const { from, to } = transferTransitions.ship
  return inventory.shipTransfer(database, { merchantId, id, from, to, principal })
}

/** @param lines null for all that is awaited */
export async function receiveTransfer(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
  lines: readonly TransferLine[] | null,
): Promise<TransferOutcome> {
  const { receivePart, receiveAll } = transferTransitions
  return inventory.receiveTransfer(database, {
    merchantId,
    id,
    lines,
    from: receiveAll.from,
    part: receivePart.to,
    all: receiveAll.to,
    principal,
  })
}

export async function cancelTransfer(
  database: Database,
  { merchantId, id, principal }: ArrivalReference,
): Promise<TransferOutcome> {
  const { from, to } = transferTransitions.cancel
  return inventory.cancelTransfer(database, { merchantId, id, from, to, principal })
}
