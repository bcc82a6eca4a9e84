export { cartActions } from './actions.ts'
export { mergeCart, purgeExpiredCarts } from './carts.ts'
