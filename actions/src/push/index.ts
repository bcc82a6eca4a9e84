export { createLogTransport } from './log/log-transport.ts'
export type { Push, PushTransport } from './push-transport.ts'
export { createWebhookTransport } from './webhook/webhook-transport.ts'
