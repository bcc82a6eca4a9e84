import { splitCredentials } from './url-credentials.ts'

/** A request for `fetch`, without options about redirects. */
export interface RedirectableRequest {
  readonly method: string
  readonly headers: Headers
  readonly body: string | null
  readonly signal: AbortSignal
}

/** As many as Hasura follows. */
const maxRedirects = 10

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Headers that a redirect to another host may carry. All others may be secrets, those of metadata and those of the
 * client. (`fetch` itself would remove only `Authorization` and `Cookie`.)
 */
const harmless: ReadonlySet<string> = new Set([
  'content-type',
  'user-agent',
  'x-b3-parentspanid',
  'x-b3-sampled',
  'x-b3-spanid',
  'x-b3-traceid',
])

/**
 * `fetch` that follows redirects as Hasura's HTTP client does (302 and 303 by GET without the body, others by the same
 * request), but doesn't send other headers than `harmless` to other hosts. A user and a password of the URL become the
 * header `Authorization`.
 *
 * @param staysWithHost a redirect to another host is not followed: it is the answer
 * @throws TypeError after too many redirects, or without an answer
 */
export async function fetchFollowingRedirects(
  url: string,
  request: RedirectableRequest,
  staysWithHost: boolean,
): Promise<Response> {
  let [at, sent] = [url, request]
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const { url: address, authorization } = splitCredentials(at)
    sent = withAuthorization(sent, authorization)
    const response = await fetch(address, { ...sent, redirect: 'manual' })
    const next = targetOf(response, address)
    if (next === undefined) return response
    const isSameHost = isHostOf(next, new URL(address))
    if (!isSameHost && staysWithHost) return response
    await response.body?.cancel()
    sent = redirected(sent, response.status, isSameHost)
    at = next.href
  }
  throw new TypeError('Too many redirects')
}

/** A header of the request goes before the user and the password of its URL. */
function withAuthorization(
  request: RedirectableRequest,
  authorization: string | undefined,
): RedirectableRequest {
  if (authorization === undefined || request.headers.has('authorization')) return request
  const headers = new Headers(request.headers)
  headers.set('authorization', authorization)
  return { ...request, headers }
}

function targetOf({ status, headers }: Response, at: string): URL | undefined {
  const location = headers.get('location')
  if (!redirectStatuses.has(status) || location === null || !URL.canParse(location, at)) return undefined
  const target = new URL(location, at)
  return target.protocol === 'http:' || target.protocol === 'https:' ? target : undefined
}

/** The same origin, or the same host by https in place of http, each at its default port: the most common redirect. */
const isHostOf = (target: URL, { origin, protocol, hostname, port }: URL): boolean =>
  target.origin === origin ||
  (target.hostname === hostname &&
    protocol === 'http:' &&
    target.protocol === 'https:' &&
    port === '' &&
    target.port === '')

function redirected(
  { method, headers, body, signal }: RedirectableRequest,
  status: number,
  isSameHost: boolean,
): RedirectableRequest {
  const kept = new Headers([...headers].filter(([name]) => isSameHost || harmless.has(name)))
  if (status !== 302 && status !== 303) return { method, headers: kept, body, signal }
  kept.delete('content-type')
  return { method: 'GET', headers: kept, body: null, signal }
}
