import type { IncomingHttpHeaders } from 'node:http'

/** Headers that belong to the client's own connection, or that name what this request sends itself. */
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
  'host',
  'origin',
  'referer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** Of a client's headers those that a handler or a remote schema may get. */
export const forwardedHeaders = (
  clientHeaders: IncomingHttpHeaders | undefined,
  ignored: readonly string[] = [],
): Readonly<Record<string, string>> => {
  const left = new Set(ignored.map((name) => name.toLowerCase()))
  return Object.fromEntries(
    Object.entries(clientHeaders ?? {}).flatMap(([name, value]) =>
      value === undefined || notForwarded.has(name) || left.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}
