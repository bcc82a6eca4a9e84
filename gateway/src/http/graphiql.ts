import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** The page that a browser finds at /graphql: GraphiQL with a first query to run. */
export interface GraphiQLSettings {
  readonly title: string
  readonly defaultQuery: string
}

/**
 * Answers with GraphiQL. The page is one document with everything in it, so it works without a network, and its
 * policy lets nothing else in: one script by its hash, workers made of it, and requests to where it came from.
 */
export type GraphiQL = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface Page {
  readonly html: Buffer
  readonly gzipped: Buffer
  readonly policy: string
  readonly etag: string
}

export function graphiql(settings: GraphiQLSettings): GraphiQL {
  // Nine megabytes of page are loaded only once somebody opens it.
  let page: Promise<Page> | undefined
  return async (request, response) => {
    const { html, gzipped, policy, etag } = await (page ??= render(settings))
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end()
      return
    }
    const acceptsGzip = request.headers['accept-encoding']?.toString().includes('gzip') ?? false
    const body = acceptsGzip ? gzipped : html
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
      ...(acceptsGzip && { 'content-encoding': 'gzip' }),
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      vary: 'Accept, Accept-Encoding',
      etag,
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

async function render({ title, defaultQuery }: GraphiQLSettings): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL({
    title,
    defaultQuery,
    headers: JSON.stringify({ Authorization: 'Bearer <API_KEY>' }, null, 2),
    // A key that somebody tried out doesn't stay in the browser.
    shouldPersistHeaders: false,
  })
  const html = Buffer.from(page)
  const script = /<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? ''
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}' blob:`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, gzipped: await promisify(gzip)(html), policy, etag: `"${sha256(page)}"` }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64')
