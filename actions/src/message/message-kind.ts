/** What the platform tells somebody by itself. The merchant can word each of them differently. */
export const messageKinds = [
  'ORDER_CONFIRMATION',
  'ORDER_SHIPPED',
  'ORDER_REFUNDED',
  'STOCK_ALERT',
  'APPOINTMENT_REMINDER',
  'LOW_STOCK_ALERT',
] as const

export type MessageKind = (typeof messageKinds)[number]

/** What an e-mail can be: a message of the platform, or one of the merchant's own. */
export type EmailKind = MessageKind | 'CAMPAIGN'
