import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AdminBuild } from './admin-build.ts'
import { encodings } from './compress-files.ts'
import { progressPage, progressStyle } from './progress-page.ts'

/** Nothing inline, and nothing from elsewhere, except the pictures of products, which may be at any address. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Its rules are in admin/src/trusted-types.ts.
  'trusted-types default',
].join('; ')

const commonHeaders: OutgoingHttpHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The name of a built file: its content is in its name, so it never changes. No other name leads into the folder. */
const assetPath = /^\/admin\/(assets\/[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg|woff2))$/

/** Serves what is below `/admin`: the built pages, or, until they are built, the page that says how far they are. */
export const serveAdmin =
  (build: AdminBuild) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split('?', 1)[0] ?? ''
    if (path === '/admin/progress.css') {
      send(response, 200, progressStyle, {
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'no-cache',
      })
      return
    }
    build.begin()
    const { state } = build
    if (state.kind !== 'ready') {
      const status = state.kind === 'failed' ? 503 : 200
      send(response, status, progressPage(state, Date.now()), {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      })
      return
    }
    const asset = assetPath.exec(path)?.[1]
    if (asset === undefined && path.startsWith('/admin/assets/')) {
      send(response, 404, 'There is no such file', { 'content-type': 'text/plain; charset=utf-8' })
      return
    }
    await sendFile(request, response, join(state.folder, asset ?? 'index.html'), {
      'content-type': asset === undefined ? 'text/html; charset=utf-8' : (types[extname(asset)] ?? ''),
      'cache-control': asset === undefined ? 'no-cache' : 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
  }

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const accepted = request.headers['accept-encoding']?.toString() ?? ''
  const encoding = encodings.find(({ name }) => new RegExp(`\\b${name}\\b`).test(accepted))
  const compressed = encoding && (await sizeOf(`${path}${encoding.ending}`))
  const size = compressed ?? (await sizeOf(path))
  if (size === undefined) {
    send(response, 404, 'There is no such file', { 'content-type': 'text/plain; charset=utf-8' })
    return
  }
  response.writeHead(200, {
    ...commonHeaders,
    ...headers,
    'content-length': size,
    ...(encoding && compressed !== undefined && { 'content-encoding': encoding.name }),
  })
  if (request.method === 'HEAD') response.end()
  else
    await pipeline(
      createReadStream(encoding && compressed !== undefined ? `${path}${encoding.ending}` : path),
      response,
    ).catch(() => response.destroy())
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  )

function send(response: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
