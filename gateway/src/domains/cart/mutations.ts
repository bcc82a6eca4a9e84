import type { MutationDefinition } from '../../mutation/definition.ts'
import { byId, deletion, remove, table } from '../../mutation/rows.ts'

const cartTable = table('cart_cart')

export const cartMutations: Readonly<Record<string, MutationDefinition>> = {
  deleteCart: deletion('Cart', (id) => remove(cartTable, byId(id))),
}
