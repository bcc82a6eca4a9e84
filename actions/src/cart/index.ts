export { cartActions } from './actions.ts'
export { markAbandonedCarts, mergeCart, purgeExpiredCarts } from './carts.ts'
