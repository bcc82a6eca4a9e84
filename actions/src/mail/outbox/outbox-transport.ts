import type { MailTransport } from '../mail-transport.ts'

/** Sends nothing: a delivery keeps what was rendered, and the API shows it. For development, where nobody's mailbox is meant. */
export const outboxTransport: MailTransport = {
  name: 'outbox',
  send: () => Promise.resolve({ outcome: 'accepted', messageId: null }),
  close: () => undefined,
}
