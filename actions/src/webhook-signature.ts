import { createHmac } from 'node:crypto'

/** The key that signs webhooks: the bytes behind `whsec_`. */
export type WebhookSecret = Buffer

/**
 * The headers of a webhook after Standard Webhooks (https://www.standardwebhooks.com), signed with every secret: while one replaces
 * another, a receiver knows it by either. Without a secret it isn't signed.
 *
 * @param id the message's, whichever attempt it is: a receiver knows a repetition by it
 */
export function signatureHeaders(
  id: string,
  body: string,
  secrets: readonly WebhookSecret[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
