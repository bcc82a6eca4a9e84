export { inventoryActions } from './actions.ts'
export { expireReservations, settleProducts } from './stock.ts'
