import { keepAliveTimeoutBuffer, stopping, type StopOptions } from '@commerce-graph/http-server'
import type { RateLimits } from '@commerce-graph/rate-limits'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type Express, type Response } from 'express'
import { z } from 'zod'
import { actorOf } from './actor.ts'
import type { Origin } from '@commerce-graph/audit'
import {
  createAuthenticator,
  type AuthenticationRequest,
  type Authenticator,
  type AuthenticatorOptions,
} from './authenticator.ts'
import { type Principal, rateHolderOf } from './principal.ts'

export type AuthWebhookOptions = AuthenticatorOptions & {
  /** 0 takes any free port. */
  readonly port: number
  readonly host?: string
  /**
   * The maximum time in seconds for which Hasura may use an answer: it closes WebSocket connections after this time,
   * or when the credential expires. The default is a minute. If `isCurrent` does not close sockets, this bounds how
   * long a revoked credential can read.
   */
  readonly maxAgeSeconds?: number
  /** The limits of `/v1/graphql`, too: Hasura calls the webhook for each request. No limits if absent. */
  readonly rateLimits?: RateLimits
}

export interface AuthWebhook {
  readonly url: string
  /**
   * Whether these headers would still get the session that the webhook returned for them. An engine in this process
   * passes the headers on. True while it can't be determined, because the same database is unavailable. It does not
   * count towards a rate.
   */
  isCurrent(headers: Headers, sessionVariables: Readonly<Record<string, string>>): Promise<boolean>
  /**
   * From now on, `/healthz` answers that the webhook stops, and each answer closes its connection. `close` continues
   * the stop.
   */
  beginDrain(): void
  /** Answers running requests, then closes. */
  close(options?: StopOptions): Promise<void>
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const defaultMaxAgeSeconds = 60
const maxRequestId = 128
/** Milliseconds: Hasura waits no longer for an answer. */
const closingGrace = 5_000
const loopback = '127.0.0.1'

// Hasura's POST mode. `request` holds the GraphQL document, which the webhook ignores.
const postBody = z.object({ headers: z.record(z.string(), z.string()) })

/** Starts Hasura's auth webhook: GET and POST on `/`, and `/healthz`. Resolves when it accepts connections. */
export async function startAuthWebhook(options: AuthWebhookOptions): Promise<AuthWebhook> {
  const { rateLimits, maxAgeSeconds = defaultMaxAgeSeconds } = options
  const authenticator = createAuthenticator({
    source: 'HASURA',
    ...options,
  })
  const server = createServer({ keepAliveTimeoutBuffer })
  const httpServer = stopping(server)
  const isStopping = () => httpServer.isStopping
  server.on('request', createAuthWebhook(authenticator, { maxAgeSeconds, rateLimits, isStopping }))
  server.listen(options.port, options.host ?? '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    await authenticator.close()
    throw error
  }
  const { address, family, port } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async isCurrent(headers, sessionVariables) {
      const authentication = await authenticator.authenticate(requestOf(headers, loopback))
      if (authentication.kind !== 'authenticated') return authentication.kind === 'unavailable'
      return Object.entries(authentication.principal.sessionVariables).every(
        ([name, value]) => sessionVariables[name] === value,
      )
    },
    beginDrain: () => httpServer.begin(),
    async close({ drain = false } = {}) {
      await httpServer.stop({ drain, graceMilliseconds: closingGrace })
      await authenticator.close()
    },
  }
}

interface AppOptions {
  readonly maxAgeSeconds: number
  readonly rateLimits: RateLimits | undefined
  readonly isStopping: () => boolean
}

function createAuthWebhook(
  authenticator: Authenticator,
  { maxAgeSeconds, rateLimits, isStopping }: AppOptions,
): Express {
  const app = express().disable('x-powered-by').disable('etag')

  async function answer(request: AuthenticationRequest, response: Response): Promise<void> {
    const authentication = await authenticator.authenticate(request)
    switch (authentication.kind) {
      case 'authenticated': {
        const { principal, clientAddress, expiresAt } = authentication
        const admission = await rateLimits?.admit(rateHolderOf(principal, clientAddress))
        if (admission?.kind === 'exceeded') {
          recordExceeded(authenticator, principal, { clientAddress, requestId: request.requestId ?? null })
          refuseForNow(response, admission.retryAfter)
          return
        }
        response.json({
          ...principal.sessionVariables,
          ...originOf(request, clientAddress),
          'Cache-Control': `max-age=${secondsUntil(expiresAt, maxAgeSeconds)}`,
        })
        return
      }
      case 'refused':
        response.status(401).json({ message: 'refused' })
        return
      case 'unavailable':
        response.status(503).json({ message: 'unavailable' })
        return
      default:
        authentication satisfies never
    }
  }

  app.get('/livez', (_request, response) => response.send('OK'))
  app.get(['/healthz', '/readyz'], (_request, response) => {
    if (isStopping()) response.status(503).send('stopping')
    else response.status(authenticator.healthy ? 200 : 503).send(authenticator.healthy ? 'OK' : 'no database')
  })
  app.get('/', (request, response) =>
    answer(requestOf(request.headers, request.socket.remoteAddress), response),
  )
  app.post('/', express.json({ limit: '1mb' }), async (request, response) => {
    const body = postBody.safeParse(request.body)
    if (!body.success) {
      response.status(400).json({ message: z.prettifyError(body.error) })
      return
    }
    const entries = Object.entries(body.data.headers).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    )
    await answer(requestOf(Object.fromEntries(entries), request.socket.remoteAddress), response)
  })
  app.use(answerUnreadableBody)
  return app
}

// Never 0, which Hasura treats as no expiry.
const secondsUntil = (expiresAt: number, atMost: number): number =>
  Math.max(1, Math.min(atMost, Math.ceil((expiresAt - Date.now()) / 1000)))

// Hasura understands 200 and 401 of a webhook. It answers 500 to its client for any other status, so that the
// client may try again with its valid key.
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

// Errors of express.json. Without this handler, Express would answer with a stack trace.
const answerUnreadableBody: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) next(error)
  else response.status(400).json({ message: 'the body is no JSON that can be read' })
}

// The socket's peer is Hasura. The caller's address is known only if Hasura is a trusted proxy and another proxy in
// front of it writes X-Forwarded-For. Otherwise an allow-list sees Hasura's own address and refuses it.
const requestOf = (headers: Headers, remoteAddress: string | undefined) => ({
  authorization: single(headers['authorization']),
  remoteAddress,
  forwardedFor: single(headers['x-forwarded-for']),
  origin: single(headers['origin']),
  cartSecret: single(headers['x-cart-secret']),
  requestId: single(headers['x-request-id'])?.slice(0, maxRequestId),
})

// For the audit log: triggers record Hasura's writes, and see only the session. The socket's peer is Hasura and no
// client, so its address is not recorded.
const originOf = (
  { remoteAddress, requestId }: AuthenticationRequest,
  clientAddress: string | null,
): Record<string, string> => ({
  ...(clientAddress !== null &&
    clientAddress !== remoteAddress && { 'x-hasura-client-address': clientAddress }),
  ...(requestId !== undefined && { 'x-hasura-request-id': requestId }),
})

const single = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(',') : value
