import { createReadableStreamFromReadable } from '@react-router/node'
import { PassThrough } from 'node:stream'
import { renderToPipeableStream } from 'react-dom/server'
import { type EntryContext, type RouterContextProvider, ServerRouter } from 'react-router'
import { nonceContext, NonceProvider, policyFor } from './shop/policy.server.ts'

/** Milliseconds in which a page is rendered. */
const renderTimeout = 10_000

/** Answers with the whole page: its data is there already, so nothing is streamed. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: Readonly<RouterContextProvider>,
): Promise<Response> {
  const nonce = context.get(nonceContext)
  headers.set('Content-Type', 'text/html; charset=utf-8')
  headers.set('Content-Security-Policy', policyFor(nonce))
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Referrer-Policy', 'strict-origin-when-cross-origin')
  headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  // Each page has a nonce of its own, so no cache may give it to others. The language is that of the visitor.
  headers.set('Cache-Control', 'private, no-cache')
  headers.append('Vary', 'Cookie, Accept-Language')
  return new Promise((resolve, reject) => {
    let failed = false
    const { pipe, abort } = renderToPipeableStream(
      <NonceProvider value={nonce}>
        <ServerRouter context={routerContext} url={request.url} nonce={nonce} />
      </NonceProvider>,
      {
        nonce,
        onAllReady() {
          clearTimeout(timer)
          const body = new PassThrough()
          pipe(body)
          resolve(
            new Response(createReadableStreamFromReadable(body), { headers, status: failed ? 500 : status }),
          )
        },
        onShellError(error: unknown) {
          clearTimeout(timer)
          reject(error instanceof Error ? error : new Error(String(error)))
        },
        onError(error: unknown) {
          failed = true
          console.error(error)
        },
      },
    )
    const timer = setTimeout(abort, renderTimeout)
  })
}
