import { action, type MutationDefinition } from '../../mutation/definition.ts'
import { byId, deletion, remove, table } from '../../mutation/rows.ts'

const cartTable = table('Cart', 'carts')
const cart = { record: { relationship: 'cart', projection: 'Cart' } } as const

export const cartMutations: Readonly<Record<string, MutationDefinition>> = {
  createCart: action(cart),
  addCartItem: action(cart),
  updateCartItem: action(cart),
  removeCartItem: action(cart),
  setCartShippingAddress: action(cart),
  setCartShippingMethod: action(cart),
  deleteCart: deletion('Cart', (id) => remove(cartTable, byId(id))),
  checkoutCart: action({ record: { relationship: 'order', projection: 'Order' } }),
}
