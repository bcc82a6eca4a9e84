import type { OrderModifications } from '../generated/operations.ts'
import { type AddressDraft, addressInputOf } from '../ui/address-fields.tsx'

export interface EditedLine {
  readonly id: string
  readonly quantity: number
}

export interface AddedLine {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

export interface EditedOrder {
  /** Units of each line; 0 takes it out. */
  readonly quantities: ReadonlyMap<string, number>
  readonly added: readonly AddedLine[]
  readonly address: AddressDraft
}

/** What differs from the order as it is: nothing else is sent. */
export function modificationsOf(
  lines: readonly EditedLine[],
  addressBefore: AddressDraft,
  { quantities, added, address }: EditedOrder,
): OrderModifications {
  const changed = lines.filter(({ id, quantity }) => (quantities.get(id) ?? quantity) !== quantity)
  const quantityOf = (id: string) => quantities.get(id) ?? 0
  const updateItems = changed
    .filter(({ id }) => quantityOf(id) > 0)
    .map(({ id }) => ({ id, quantity: quantityOf(id) }))
  const removeItemIds = changed.filter(({ id }) => quantityOf(id) === 0).map(({ id }) => id)
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
    ...(JSON.stringify(address) !== JSON.stringify(addressBefore) && {
      shippingAddress: addressInputOf(address),
    }),
  }
}
