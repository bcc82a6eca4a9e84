import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** `*`, or the allowed origins: HASURA_GRAPHQL_CORS_DOMAIN and HASURA_GRAPHQL_DISABLE_CORS. */
export type CorsPolicy =
  | { readonly kind: 'any' }
  | { readonly kind: 'none' }
  | { readonly kind: 'some'; readonly origins: readonly string[] }

const maxAgeSeconds = '1728000'

/** Reads Hasura's setting: `*`, or a list like `https://a.example, https://*.b.example`. */
export function parseCorsDomain(setting: string): CorsPolicy {
  const origins = setting.split(',').map((origin) => origin.trim())
  return origins.includes('*')
    ? { kind: 'any' }
    : { kind: 'some', origins: origins.filter((origin) => origin !== '') }
}

/** The headers that let a browser show the answer to the page that sent the request. */
export function corsHeaders(policy: CorsPolicy, request: IncomingMessage): OutgoingHttpHeaders {
  const { origin } = request.headers
  if (origin === undefined || !allowsOrigin(policy, origin)) return {}
  const headers: OutgoingHttpHeaders = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  }
  if (request.method !== 'OPTIONS') return headers
  return {
    ...headers,
    'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,OPTIONS',
    'access-control-max-age': maxAgeSeconds,
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
  }
}

export function allowsOrigin(policy: CorsPolicy, origin: string): boolean {
  switch (policy.kind) {
    case 'any':
      return true
    case 'none':
      return false
    case 'some':
      return policy.origins.some((pattern) => matches(pattern, origin))
  }
}

/** The leftmost label of a pattern may be a wildcard: `https://*.example.com`. */
function matches(pattern: string, origin: string): boolean {
  const [before, after] = pattern.split('*')
  if (after === undefined || before === undefined) return pattern === origin
  if (!origin.startsWith(before) || !origin.endsWith(after)) return false
  const label = origin.slice(before.length, origin.length - after.length)
  return label !== '' && !/[./:]/.test(label)
}
