import { signatureHeaders } from '../../webhook-signature.ts'
import type { SendOutcome } from './send-outcome.ts'
import type { PushTransport } from './push-transport.ts'
import type { WebhookSecret } from './webhook-secrets.ts'

/** Milliseconds. */
const timeout = 10_000

/**
 * Posts each push as JSON to a server of the operator's, which has the accounts with Apple, Google and the browsers. Signed
 * after Standard Webhooks (https://www.standardwebhooks.com) with every secret, so that a receiver knows it by the old one
 * or the new one while they are changed. Without a secret, as in trials, it isn't signed.
 */
export const createWebhookTransport = (url: string, secrets: readonly WebhookSecret[]): PushTransport => ({
  name: 'webhook',
  async send(push) {
    const body = JSON.stringify(push)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signatureHeaders(push.id, body, secrets) },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      })
      // Only the status counts: of the body, nothing is read.
      await response.body?.cancel()
      return outcomeOf(response.status)
    } catch (error) {
      return { outcome: 'unavailable', reason: `The push webhook could not be reached: ${messageOf(error)}` }
    }
  },
})

/** Whatever says nothing of the push itself may be mended: a wrong address, a secret that the receiver doesn't know yet. */
function outcomeOf(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { outcome: 'accepted', messageId: null }
  const reason = `The push webhook answered ${status}`
  switch (status) {
    case 410:
      return { outcome: 'bounced', reason }
    case 400:
    case 413:
    case 422:
      return { outcome: 'refused', reason }
    default:
      return { outcome: 'unavailable', reason }
  }
}

/** `fetch` says only that it failed; why is in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
