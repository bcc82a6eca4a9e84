import type { MailTransport } from './mail-transport.ts'

/** Of a deployment that has nothing to send e-mail with. */
export const noMailTransport: MailTransport = {
  name: null,
  send: () =>
    Promise.resolve({
      outcome: 'discarded',
      reason: 'This deployment sends no e-mail: no transport is configured (SMTP_URL)',
    }),
  close: () => undefined,
}
