import type { IncomingHttpHeaders } from 'node:http'

/**
 * Headers about the connection or the client's software, not about the client's identity or request: Hasura's list, and
 * the hop-by-hop headers of HTTP.
 */
const notForwarded: ReadonlySet<string> = new Set([
  'accept',
  'accept-datetime',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-length',
  'content-md5',
  'content-type',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** A client's headers as texts. */
export const headerTexts = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** The client's headers that a webhook, a handler or a remote schema may receive. */
export function forwardedHeaders(
  clientHeaders: IncomingHttpHeaders = {},
  ignored: readonly string[] = [],
): Readonly<Record<string, string>> {
  const left = new Set(ignored.map((name) => name.toLowerCase()))
  return Object.fromEntries(
    Object.entries(headerTexts(clientHeaders)).filter(([name]) => !notForwarded.has(name) && !left.has(name)),
  )
}
