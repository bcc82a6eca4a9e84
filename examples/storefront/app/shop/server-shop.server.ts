import { type Client, createClient } from '@commerce-graph/client'
import { shopSettings } from './settings.server.ts'

/**
 * The shop, as this server asks it for a visitor who isn't known yet: with the publishable key, as a page would. So a page that is
 * rendered here never shows more than its visitor may see. The visitor's address is what requests are counted by; the platform
 * believes it of the addresses in its TRUSTED_PROXIES.
 */
export function serverShop(request: Request): Client {
  const { url, key, origin } = shopSettings()
  const visitor = request.headers.get('x-visitor-address')
  return createClient({
    url,
    publishableKey: key,
    headers: { Origin: origin, ...(visitor !== null && { 'X-Forwarded-For': visitor }) },
    timeoutMs: 8_000,
    retryPolicy: { retries: 1 },
  })
}
