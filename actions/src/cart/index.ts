export { cartActions } from './actions.ts'
export { purgeExpiredCarts } from './carts.ts'
