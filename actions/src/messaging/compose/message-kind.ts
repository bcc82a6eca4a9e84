/** The messages that the platform sends by itself. */
const messageKinds = [
  'ORDER_CONFIRMATION',
  'ORDER_SHIPPED',
  'ORDER_REFUNDED',
  'ORDER_PAYMENT_REMINDER',
  'ORDER_CANCELLED',
  'STOCK_ALERT',
  'APPOINTMENT_BOOKED',
  'APPOINTMENT_MOVED',
  'APPOINTMENT_CANCELLED',
  'APPOINTMENT_REMINDER',
  'STAFF_APPOINTMENT_BOOKED',
  'STAFF_APPOINTMENT_MOVED',
  'STAFF_APPOINTMENT_CANCELLED',
  'LOW_STOCK_ALERT',
  'PAYMENT_DISPUTED',
  'SENDER_LOST',
  'WEBHOOK_DISABLED',
] as const

export type MessageKind = (typeof messageKinds)[number]

/** E-mails with a token, by which a person shows that the address is theirs. They go by no other channel and can't be switched off. */
export const tokenMailKinds = [
  'USER_INVITATION',
  'USER_PASSWORD_RESET',
  'USER_EMAIL_VERIFICATION',
  'CUSTOMER_PASSWORD_RESET',
  'CUSTOMER_EMAIL_VERIFICATION',
] as const

type TokenMailKind = (typeof tokenMailKinds)[number]

/** The kinds of mails with a link to the merchant's site: mails with a token, and mails about a guest's order. */
export type LinkKind = TokenMailKind | 'GUEST_ORDER'

/** The kinds of messages with a template, which the merchant can replace. */
export const templateKinds = [...messageKinds, ...tokenMailKinds] as const

export type TemplateKind = (typeof templateKinds)[number]

/** The kinds of e-mails: the platform's, and the merchant's campaigns. */
export type EmailKind = TemplateKind | 'CAMPAIGN'

export const isTokenMail = (kind: EmailKind): kind is TokenMailKind =>
  (tokenMailKinds as readonly EmailKind[]).includes(kind)
