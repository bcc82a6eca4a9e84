import type { Logger } from 'pino'
import type { PushTransport } from '../push-transport.ts'

/** Sends nothing: a line in the log says what would have gone where, without the device's token. */
export const createLogTransport = (logger: Logger): PushTransport => ({
  name: 'log',
  send({ id, merchantId, platform, kind, title }) {
    logger.info({ push: id, merchantId, platform, kind, title }, 'a push, which goes nowhere')
    return Promise.resolve({ outcome: 'accepted', messageId: null })
  },
})
