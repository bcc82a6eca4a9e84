import type { RateLimits } from '@commerce-graph/rate-limits'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import { z } from 'zod'
import { actorOf, type Origin } from './audit/index.ts'
import {
  createAuthenticator,
  type AuthenticationRequest,
  type Authenticator,
  type AuthenticatorOptions,
} from './authenticator.ts'
import type { Principal } from './principal.ts'

export type AuthWebhookOptions = AuthenticatorOptions & {
  /** 0 takes any free port. */
  readonly port: number
  readonly host?: string
  /**
   * For how long Hasura may go on with an answer: it closes WebSocket connections after it, and the Enterprise
   * Edition caches answers for as long. It is what bounds revocation there.
   */
  readonly maxAgeSeconds?: number
  /** What `/v1/graphql` is held to, too: Hasura asks here for each request. Nothing when absent. */
  readonly rateLimits?: RateLimits
}

export type AuthWebhook = { readonly url: string; close(): Promise<void> }

const DEFAULT_MAX_AGE_SECONDS = 1
const MAX_REQUEST_ID = 128

// Hasura's POST mode. `request` holds the GraphQL document, which has no say in who is calling.
const postBody = z.object({ headers: z.record(z.string(), z.string()) })

/** Starts Hasura's auth webhook: GET and POST on `/`, and `/healthz`. Resolves when it accepts connections. */
export async function startAuthWebhook(options: AuthWebhookOptions): Promise<AuthWebhook> {
  const { rateLimits, maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS } = options
  const authenticator = createAuthenticator({
    source: 'HASURA',
    ...options,
    ...(rateLimits && { guesses: rateLimits.guesses }),
  })
  const app = createAuthWebhook(authenticator, { maxAgeSeconds, rateLimits })
  const server = app.listen(options.port, options.host ?? '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    await authenticator.close()
    throw error
  }
  const { address, family, port } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      await closeServer(server)
      await authenticator.close()
    },
  }
}

type AppOptions = { readonly maxAgeSeconds: number; readonly rateLimits: RateLimits | undefined }

function createAuthWebhook(authenticator: Authenticator, { maxAgeSeconds, rateLimits }: AppOptions): Express {
  const app = express().disable('x-powered-by').disable('etag')

  async function answer(request: AuthenticationRequest, response: Response): Promise<void> {
    const authentication = await authenticator.authenticate(request)
    switch (authentication.kind) {
      case 'authenticated': {
        const { principal, clientAddress } = authentication
        const admission = await rateLimits?.admit(principal)
        if (admission?.kind === 'exceeded') {
          recordExceeded(authenticator, principal, { clientAddress, requestId: request.requestId ?? null })
          refuseForNow(response, admission.retryAfter)
          return
        }
        response.json({
          ...principal.sessionVariables,
          ...originOf(request, clientAddress),
          'Cache-Control': `max-age=${maxAgeSeconds}`,
        })
        return
      }
      case 'refused':
        response.status(401).json({ message: 'refused' })
        return
      case 'too-many-guesses':
        refuseForNow(response, authentication.retryAfter)
        return
      case 'unavailable':
        response.status(503).json({ message: 'unavailable' })
        return
      default:
        authentication satisfies never
    }
  }

  app.get('/healthz', (_request, response) => {
    response.status(authenticator.healthy ? 200 : 503).send(authenticator.healthy ? 'OK' : 'no database')
  })
  app.get('/', (request, response) => answer(requestOf(request.headers, request), response))
  app.post('/', express.json({ limit: '1mb' }), async (request, response) => {
    const body = postBody.safeParse(request.body)
    if (!body.success) {
      response.status(400).json({ message: z.prettifyError(body.error) })
      return
    }
    const entries = Object.entries(body.data.headers).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    )
    await answer(requestOf(Object.fromEntries(entries), request), response)
  })
  app.use(answerUnreadableBody)
  return app
}

// Hasura knows 200 and 401 of a hook, and tells its client 500 for the rest: it may try again, and its key is good.
function refuseForNow(response: Response, retryAfter: number): void {
  response.status(429).set('retry-after', String(retryAfter)).json({ message: 'rate limit exceeded' })
}

function recordExceeded(
  authenticator: Authenticator,
  principal: Principal,
  origin: Omit<Origin, 'source'>,
): void {
  authenticator.audit.refused({
    actor: actorOf(principal),
    code: 'SVC_RATE_001',
    ...origin,
    source: 'HASURA',
    operation: null,
  })
}

// What express.json refuses. Without this, Express would answer with a stack trace.
const answerUnreadableBody: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) next(error)
  else response.status(400).json({ message: 'the body is no JSON that can be read' })
}

// The socket's other end is Hasura. So the caller's address is known only where Hasura is a trusted proxy and a
// proxy before it writes X-Forwarded-For; otherwise an allow-list sees Hasura's own address and refuses.
function requestOf(headers: Readonly<Record<string, string | string[] | undefined>>, request: Request) {
  return {
    authorization: single(headers.authorization),
    remoteAddress: request.socket.remoteAddress,
    forwardedFor: single(headers['x-forwarded-for']),
    requestId: single(headers['x-request-id'])?.slice(0, MAX_REQUEST_ID),
  }
}

// For the audit log: what Hasura runs is recorded by triggers, which see nothing but the session. The socket's other end is Hasura and
// no client, so its address says nothing.
function originOf(
  { remoteAddress, requestId }: AuthenticationRequest,
  clientAddress: string | null,
): Record<string, string> {
  return {
    ...(clientAddress !== null &&
      clientAddress !== remoteAddress && { 'x-hasura-client-address': clientAddress }),
    ...(requestId !== undefined && { 'x-hasura-request-id': requestId }),
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
