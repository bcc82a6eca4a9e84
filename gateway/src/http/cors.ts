import type { OutgoingHttpHeaders } from 'node:http'

/** Origins whose pages may call the API from a browser; `*` is any, which is safe as the API reads no cookie. */
export type AllowedOrigins = '*' | ReadonlySet<string>

/** `CORS_ORIGINS`: `*`, or origins separated by commas, e.g. `https://shop.example,https://admin.example`. */
export function allowedOriginsFrom(setting: string | undefined): AllowedOrigins {
  const origins = (setting ?? '*').split(',').map((origin) => origin.trim())
  return origins.includes('*') ? '*' : new Set(origins.filter((origin) => origin !== ''))
}

/** The headers that let the page at `origin` read an answer; none where it may not. */
export function corsHeaders(allowed: AllowedOrigins, origin: string | undefined): OutgoingHttpHeaders {
  if (origin === undefined) return {}
  if (allowed !== '*' && !allowed.has(origin)) return { vary: 'Origin' }
  return {
    'access-control-allow-origin': allowed === '*' ? '*' : origin,
    'access-control-expose-headers':
      'x-request-id, idempotency-replayed, retry-after, ratelimit, ratelimit-policy, www-authenticate, etag',
    ...(allowed !== '*' && { vary: 'Origin' }),
  }
}

/** The additional headers of the answer to a preflight request. */
export const preflightHeaders: OutgoingHttpHeaders = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, if-none-match, x-cart-secret, x-complexity, x-request-id',
  'access-control-max-age': '86400',
}
