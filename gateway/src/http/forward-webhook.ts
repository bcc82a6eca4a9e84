import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http'
import { catalogueError, withStatus } from '@commerce-graph/contract/errors'
import { refusalBody } from '../errors/error-body.ts'
import type { Limits } from '../limits/limits.ts'
import { readBody } from './read-body.ts'

/** The service's answer. */
interface Answer {
  readonly status: number
  readonly body: string | Buffer
  readonly headers?: OutgoingHttpHeaders
}

/** Milliseconds for the answer: a processor's own calls fit in, and processors send again what is not answered. */
const answerTimeout = 20_000
/** Webhooks that wait for their answer at the same time. What comes beyond them is sent again by the processor. */
export const maxAtOnce = 32
/** Of an answer, what is read. */
const maxAnswerBytes = 64 * 1024

/** Hands a request to the service that answers it. Null: the client has gone. */
export type Forward = (
  request: IncomingMessage,
  requestId: string,
  limits: Pick<Limits, 'bodyBytes' | 'receiveMilliseconds'>,
) => Promise<Answer | null>

/**
 * Forwards payment processors' webhooks to the service that knows their accounts.
 * @param target the service's URL, to which the request's own path is added
 */
export const createWebhookForwarder = (target: string): Forward =>
  createForwarder(target, ({ headers }) => signatureHeaders(headers))

/**
 * A signature is over the body's bytes, so they are passed on as they came.
 * @param headersOf those that the service gets
 */
export function createForwarder(
  target: string,
  headersOf: (request: IncomingMessage) => OutgoingHttpHeaders,
): Forward {
  let underWay = 0
  return async (request, requestId, limits) => {
    // Read like any other body, beside the forwarded: anybody may send one, as slowly as they like.
    const body = await readBody(request, limits)
    switch (body.kind) {
      case 'aborted':
        return null
      case 'refused':
        return {
          status: body.error.status,
          body: refusalBody([body.error], { requestId, now: Date.now() }),
        }
      case 'body': {
        if (underWay >= maxAtOnce) return busy(requestId)
        underWay += 1
        return await post(new URL(request.url ?? '/', target), headersOf(request), body.bytes)
          .catch(() => busy(requestId))
          .finally(() => (underWay -= 1))
      }
      default:
        return body satisfies never
    }
  }
}

/** The path of a webhook: a processor, and an account's id. Nothing else of the service can be reached. */
export const isWebhookPath = (path: string | undefined): boolean =>
  path !== undefined && /^\/webhooks\/[a-z]{1,32}\/[0-9a-fA-F-]{36}$/.test(path)

function busy(requestId: string): Answer {
  const error = withStatus(catalogueError('SVC_SRV_001', {}, { reason: 'Send it again' }), 503)
  return {
    status: 503,
    body: refusalBody([error], { requestId, now: Date.now() }),
    headers: { 'retry-after': '5' },
  }
}

const post = (url: URL, headers: OutgoingHttpHeaders, body: Buffer): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      {
        method: 'POST',
        timeout: answerTimeout,
        headers: { ...headers, 'content-length': body.length },
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > maxAnswerBytes) response.destroy(new Error('the answer is too long'))
          else chunks.push(chunk)
        })
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 502,
            body: Buffer.concat(chunks),
            headers: answerHeaders(response.headers),
          }),
        )
      },
    )
    sent.once('timeout', () => sent.destroy(new Error('the webhook was not answered in time')))
    sent.once('error', reject)
    sent.end(body)
  })

const answerHeaders = ({
  'retry-after': retryAfter,
  'cache-control': cacheControl,
}: IncomingMessage['headers']): OutgoingHttpHeaders => ({
  ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
})

/** Those that say what the body is, and who has signed it. */
const signatureHeaders = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(content-type|stripe-signature|paypal-.*)$/.test(name)),
  )
