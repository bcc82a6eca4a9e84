import type { PushTransport } from '../push-transport.ts'

/** Milliseconds. */
const TIMEOUT = 10_000

/**
 * Posts each push as JSON to a server of the operator's, which has the accounts with Apple, Google and the browsers.
 * 2xx: taken. 404 and 410: there is no such device any more. 429, 5xx and silence: later. Anything else: never.
 */
export const createWebhookTransport = (url: string): PushTransport => ({
  name: 'webhook',
  async send(push) {
    let status: number
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': push.id },
        body: JSON.stringify(push),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT),
      })
      status = response.status
      await response.body?.cancel()
    } catch (error) {
      return { outcome: 'unavailable', reason: error instanceof Error ? error.message : String(error) }
    }
    const reason = `The push webhook answered ${status}`
    if (status >= 200 && status < 300) return { outcome: 'accepted', messageId: null }
    if (status === 404 || status === 410) return { outcome: 'bounced', reason }
    if (status === 429 || status >= 500) return { outcome: 'unavailable', reason }
    return { outcome: 'refused', reason }
  },
})
