export type { Mail, MailTransport } from './mail-transport.ts'
export { outboxTransport } from './outbox/outbox-transport.ts'
export { createSmtpTransport } from './smtp/smtp-transport.ts'
