import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/**
 * Answers with a page. It is one document with everything in it, so it works without a network, and its policy lets
 * nothing else in: one script by its hash, workers made of it, and requests to where it came from.
 */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface Page {
  readonly html: Buffer
  readonly gzipped: Buffer
  readonly policy: string
  readonly etag: string
}

/** @param render makes the page's HTML, at its first request */
export function servePage(render: () => string | Promise<string>): PageHandler {
  let page: Promise<Page> | undefined
  return async (request, response) => {
    const { html, gzipped, policy, etag } = await (page ??= preparePage(render))
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

async function preparePage(render: () => string | Promise<string>): Promise<Page> {
  const text = await render()
  const html = Buffer.from(text)
  const script = /<script>([\s\S]*)<\/script>/.exec(text)?.[1] ?? ''
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
  return { html, gzipped: await promisify(gzip)(html), policy, etag: `"${sha256(text)}"` }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64')
