export { inventoryActions } from './actions.ts'
export { reservationMachine, type ReservationEvent, type ReservationStatus } from './reservation-machine.ts'
export { expireReservations } from './stock.ts'
