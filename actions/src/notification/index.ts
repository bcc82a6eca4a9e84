export { notificationActions } from './actions.ts'
export {
  remindOfAppointment,
  tellBackInStock,
  tellEverythingBackInStock,
  tellLowStock,
  tellOrderConfirmed,
  tellOrderShipped,
  tellRefunded,
} from './happenings.ts'
export { deliverPushes, type PushSending } from './pushes.ts'
