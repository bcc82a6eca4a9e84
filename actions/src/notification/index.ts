export { notificationActions } from './actions.ts'
export {
  remindOfPayments,
  tellBackInStock,
  tellEverythingBackInStock,
  tellLowStock,
  tellOfAppointment,
  tellOrderCancelled,
  tellOrderConfirmed,
  tellOrderShipped,
  tellRefunded,
} from './happenings.ts'
export { deliverPushes, type PushSending } from './pushes.ts'
