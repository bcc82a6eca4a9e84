export { inventoryActions } from './actions.ts'
export { expireReservations } from './stock.ts'
