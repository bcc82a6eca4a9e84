export type { Action } from './action/action.ts'
export type { Answer } from './action/answer.ts'
export type { WebhookOptions } from './events/index.ts'
export { hashPassword } from './identity/index.ts'
export {
  defaultRetention,
  type Retention,
  startWorkers,
  type Workers,
  type WorkersOptions,
} from './jobs/index.ts'
export type { DkimKey } from './messaging/sender-domain.ts'
export { openSenders, type Senders } from './merchant/index.ts'
export { lapseUnpaidOrders } from './ordering/index.ts'
export { findProcessor, openPaymentAccounts } from './payment/index.ts'
export {
  createOutboxTransport,
  createSmtpTransport,
  createWebhookTransport,
  type MailTransport,
  type PushTransport,
} from './messaging/transports/index.ts'
export {
  createRetiredProcessor,
  checkStripeKey,
  createStripeProcessor,
  type KeyState,
  type PaymentProcessor,
  paypalAddress,
  type ProcessorEndpoints,
  type StripeOptions,
} from './processors/index.ts'
export { startSandbox, type Sandbox, type SandboxOptions } from './processors/sandbox/index.ts'
export { type Actions, actionsByDomain, type ActionsOptions, startActions } from './start-actions.ts'
