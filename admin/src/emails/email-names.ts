import type { EmailTemplateKind } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'

export const templateKinds = {
  ORDER_CONFIRMATION: 'mailOrderConfirmation',
  ORDER_SHIPPED: 'mailOrderShipped',
  ORDER_REFUNDED: 'mailOrderRefunded',
  ORDER_PAYMENT_REMINDER: 'mailPaymentReminder',
  ORDER_CANCELLED: 'mailOrderCancelled',
  STOCK_ALERT: 'mailStockAlert',
  APPOINTMENT_BOOKED: 'mailAppointmentBooked',
  APPOINTMENT_MOVED: 'mailAppointmentMoved',
  APPOINTMENT_CANCELLED: 'mailAppointmentCancelled',
  APPOINTMENT_REMINDER: 'mailAppointmentReminder',
  STAFF_APPOINTMENT_BOOKED: 'mailStaffBooked',
  STAFF_APPOINTMENT_MOVED: 'mailStaffMoved',
  STAFF_APPOINTMENT_CANCELLED: 'mailStaffCancelled',
  LOW_STOCK_ALERT: 'mailLowStock',
  PAYMENT_DISPUTED: 'mailPaymentDisputed',
  SENDER_LOST: 'mailSenderLost',
  WEBHOOK_DISABLED: 'mailWebhookDisabled',
  USER_INVITATION: 'mailUserInvitation',
  USER_PASSWORD_RESET: 'mailUserPassword',
  USER_EMAIL_VERIFICATION: 'mailUserAddress',
  CUSTOMER_PASSWORD_RESET: 'mailCustomerPassword',
  CUSTOMER_EMAIL_VERIFICATION: 'mailCustomerAddress',
} as const satisfies Record<EmailTemplateKind, MessageName>

export const kindOf = (text: string): EmailTemplateKind | undefined =>
  (Object.keys(templateKinds) as EmailTemplateKind[]).find((kind) => kind === text)
