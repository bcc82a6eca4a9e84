import type { PushTransport } from './push-transport.ts'

/** Of a deployment that has nothing to send pushes with. */
export const noPushTransport: PushTransport = {
  name: null,
  send: () =>
    Promise.resolve({
      outcome: 'discarded',
      reason: 'This deployment sends no pushes: no transport is configured (PUSH_WEBHOOK_URL)',
    }),
}
