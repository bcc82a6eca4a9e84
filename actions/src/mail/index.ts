export type { Mail, MailTransport } from './mail-transport.ts'
export { noMailTransport } from './none/no-mail-transport.ts'
export { createOutboxTransport } from './outbox/outbox-transport.ts'
export { createSmtpTransport } from './smtp/smtp-transport.ts'
