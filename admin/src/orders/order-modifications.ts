import { same } from '../api/differing.ts'
import type { AddressInput, OrderModifications } from '../generated/operations.ts'

export interface EditedLine {
  readonly id: string
  /** Units; 0 takes it out. */
  readonly quantity: number
}

export interface AddedLine {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

export interface EditedOrder {
  readonly lines: readonly EditedLine[]
  readonly added: readonly AddedLine[]
  readonly address: AddressInput
}

/** What differs from the order as it was when one began to edit it: nothing else is sent, so nobody's change since then is undone. */
export function modificationsOf(
  before: EditedOrder,
  { lines, added, address }: EditedOrder,
): OrderModifications {
  const quantities = new Map(before.lines.map(({ id, quantity }) => [id, quantity]))
  const changed = lines.filter(({ id, quantity }) => quantity !== quantities.get(id))
  const updateItems = changed
    .filter(({ quantity }) => quantity > 0)
    .map(({ id, quantity }) => ({ id, quantity }))
  const removeItemIds = changed.filter(({ quantity }) => quantity === 0).map(({ id }) => id)
  const addItems = added
    .filter(({ quantity }) => quantity > 0)
    .map(({ productId, variantId, quantity }) => ({
      productId,
      quantity,
      ...(variantId !== null && { variantId }),
    }))
  return {
    ...(updateItems.length > 0 && { updateItems }),
    ...(removeItemIds.length > 0 && { removeItemIds }),
    ...(addItems.length > 0 && { addItems }),
    ...(!same(address, before.address) && { shippingAddress: address }),
  }
}
