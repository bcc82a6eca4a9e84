export { noPushTransport } from './none/no-push-transport.ts'
export type { Push, PushTransport } from './push-transport.ts'
export { parseWebhookSecrets, type WebhookSecret } from './webhook/webhook-secrets.ts'
export { createWebhookTransport } from './webhook/webhook-transport.ts'
