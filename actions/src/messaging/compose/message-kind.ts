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
  'LOW_STOCK_ALERT',
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

export type TokenMailKind = (typeof tokenMailKinds)[number]

/** What has a template, which the merchant can word differently. */
export const templateKinds = [...messageKinds, ...tokenMailKinds] as const

export type TemplateKind = (typeof templateKinds)[number]

/** What an e-mail can be: one of the platform, or one of the merchant's own. */
export type EmailKind = TemplateKind | 'CAMPAIGN'

export const isTokenMail = (kind: EmailKind): kind is TokenMailKind =>
  (tokenMailKinds as readonly EmailKind[]).includes(kind)
