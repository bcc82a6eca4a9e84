import { type FileRefusal, type FilesRoute, uploadTimeout } from '@commerce-graph/file-storage'
import { boundSending, compress } from '@commerce-graph/http-server'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import {
  type CatalogueError,
  catalogueError,
  syntaxError,
  unexpectedError,
  withStatus,
} from '@commerce-graph/contract/errors'
import { refusalBody } from '../errors/error-body.ts'
import type { Limits } from '../limits/limits.ts'
import { type AllowedOrigins, corsHeaders, preflightHeaders } from './cors.ts'
import type { ReadinessReport } from '../readiness.ts'
import { boundGatewayConnections, type IsTrustedProxy } from './connection-bounds.ts'
import type { PageHandler } from './page.ts'
import { isAdminSessionPath } from '../admin/session-cookie.ts'
import { isSignUpPath } from './forward-sign-up.ts'
import { type Forward, isWebhookPath } from './forward-webhook.ts'
import { refuseSocket } from './refuse-socket.ts'
import { asksByAddress } from './receive-request.ts'
import { requestIdFrom } from './request-id.ts'

/** The answer to a request to /graphql. */
export interface Answer {
  readonly status: number
  /** JSON text; empty with 304. */
  readonly body: string | Buffer
  readonly headers?: OutgoingHttpHeaders
  /** Whether it may be compressed for a client that takes it so. */
  readonly compressible?: boolean
  /** Whether the body has errors, beside data. */
  readonly hasErrors?: boolean
}

/** A request as the GraphQL endpoint sees it. */
export interface Incoming {
  readonly request: IncomingMessage
  readonly requestId: string
  /** Fires when the client has gone or the time is up: what still runs can be cancelled. */
  readonly signal: AbortSignal
}

export interface Routes {
  /** Returns null when the client is gone. */
  readonly graphql: (incoming: Incoming) => Promise<Answer | null>
  readonly readiness: () => Promise<ReadinessReport>
  /** The public keys of access tokens, as a JSON Web Key Set; null when they can't be had now. */
  readonly publicKeys: () => Promise<object | null>
  readonly graphiql: PageHandler
  /** Payment processors' webhooks; null: this gateway takes none. */
  readonly webhook: Forward | null
  /** Requests for a shop; null: this deployment takes none. */
  readonly signUp: Forward | null
  /** Uploaded files, below /files/; null: this gateway has none. */
  readonly files: FilesRoute | null
  /** The contract's types and errors, at /docs/schema. */
  readonly reference: PageHandler
  /** The documentation, below /docs; null: this gateway has /docs/schema alone, and /docs leads there. */
  readonly docs: PageHandler | null
  /** The pages for a merchant's people, below /admin; null: this gateway has none. */
  readonly admin: AdminRoutes | null
}

/** What is below /admin: the sessions of its people, and its pages. */
export interface AdminRoutes {
  readonly sessions: Routes['graphql']
  readonly pages: PageHandler
}

interface ServerSettings {
  readonly isTrustedProxy: IsTrustedProxy
  readonly limits: Limits
  readonly allowedOrigins: AllowedOrigins
  readonly logger: Logger
}

/** The gateway's HTTP surface over bare node:http; nothing between a socket and a route but this. */
export function createHttpServer(
  routes: Routes,
  { limits, allowedOrigins, logger, isTrustedProxy }: ServerSettings,
): Server {
  const server = createServer(
    {
      // Bodies have clocks of their own (`boundReceiving`), because an uploaded file may take longer than a document.
      headersTimeout: limits.receiveMilliseconds,
      requestTimeout: uploadTimeout + limits.receiveMilliseconds,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
      // Node would refuse without a word; `route` says why.
      requireHostHeader: false,
      // Other offers to upgrade (curl's h2c) are none that has to be taken: those requests are answered as they are.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      const requestId = requestIdFrom(request.headers['x-request-id'])
      response.setHeader('x-request-id', requestId)
      boundSending(response, limits)
      if (!isFilesPath(pathOf(request))) boundReceiving(request, limits.receiveMilliseconds * 2)
      for (const [name, value] of Object.entries(corsHeaders(allowedOrigins, request.headers.origin))) {
        if (value !== undefined) response.setHeader(name, value)
      }
      route(routes, request, response, requestId, limits).catch((cause: unknown) => {
        logger.error({ requestId, err: cause }, 'a request failed outside of every stage')
        if (!response.headersSent) refuse(response, requestId, unexpectedError())
        else response.destroy()
      })
    },
  )
  boundGatewayConnections(server, limits, isTrustedProxy)
  server.on('clientError', refuseBrokenRequest)
  // Node itself answers `Expect: 100-continue`, and would refuse any other expectation without a word.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const error = withStatus(syntaxError('Of expectations, only 100-continue is met', 'Expect'), 417)
    const requestId = requestIdFrom(request.headers['x-request-id'])
    refuse(response, requestId, error, { 'x-request-id': requestId, connection: 'close' })
  })
  return server
}

async function route(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  limits: Limits,
): Promise<void> {
  const path = pathOf(request)
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    refuse(response, requestId, syntaxError('The header Host is missing', 'Host'), { connection: 'close' })
  } else if (path === '/healthz' || path === '/livez') {
    send(response, 200, alive)
  } else if (path === '/readyz') {
    await answerReadiness(routes, response)
  } else if (path === '/.well-known/jwks.json') {
    await answerPublicKeys(routes, response)
  } else if (isDocsPath(path) && (request.method === 'GET' || request.method === 'HEAD')) {
    await answerDocs(routes, request, response)
  } else if (routes.webhook !== null && request.method === 'POST' && isWebhookPath(path)) {
    await answerForwarded(routes.webhook, request, response, requestId, limits)
  } else if (routes.signUp !== null && isSignUpPath(path)) {
    await answerSignUp(routes.signUp, request, response, requestId, limits)
  } else if (routes.files !== null && isFilesPath(path)) {
    await answerFiles(routes.files, request, response, requestId)
  } else if (routes.admin !== null && isAdminPath(path)) {
    await answerAdmin(routes.admin, request, response, requestId, limits)
  } else if (path !== '/graphql') {
    const error = syntaxError(
      'There is nothing at this path: the API is at /graphql, its documentation at /docs',
      'path',
    )
    refuse(response, requestId, withStatus(error, 404))
  } else if (request.method === 'POST' || asksByAddress(request)) {
    await answerGraphQL(routes, request, response, requestId, limits)
  } else if (request.method === 'OPTIONS') {
    response.writeHead(204, { allow: 'POST, OPTIONS', ...preflightHeaders }).end()
  } else if (isBrowser(request)) {
    await routes.graphiql(request, response)
  } else {
    const method = request.method ?? 'request without a method'
    const reason = method === 'GET' ? 'GET, except for a persisted query (docs/caching.md)' : method
    const error = syntaxError(`Send a POST, not a ${reason}`, 'method')
    refuse(response, requestId, withStatus(error, 405), { allow: 'POST, OPTIONS' })
  }
}

const pathOf = ({ url }: IncomingMessage): string | undefined => url?.split('?', 1)[0]

const isFilesPath = (path: string | undefined): boolean => path?.startsWith('/files/') === true

const isAdminPath = (path: string | undefined): boolean =>
  path === '/admin' || path?.startsWith('/admin/') === true

const isDocsPath = (path: string | undefined): boolean =>
  path === '/docs' || path?.startsWith('/docs/') === true

async function answerDocs(
  { docs, reference }: Pick<Routes, 'docs' | 'reference'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (pathOf(request) === '/docs/schema') await reference(request, response)
  else if (docs !== null) await docs(request, response)
  else response.writeHead(302, { location: '/docs/schema' }).end()
}

/** Ends the connection of a client whose body doesn't come to its end, also when no route reads it. */
function boundReceiving(request: IncomingMessage, milliseconds: number): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const timer = setTimeout(() => request.destroy(), milliseconds)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
}

const isBrowser = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true

async function answerGraphQL(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  limits: Limits,
): Promise<void> {
  await answerInTime(routes.graphql, request, response, requestId, limits)
}

/** No other site's page reads what is below /admin, whatever CORS_ORIGINS allows for the API. */
async function answerAdmin(
  { sessions, pages }: AdminRoutes,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  limits: Limits,
): Promise<void> {
  response.removeHeader('access-control-allow-origin')
  if (isAdminSessionPath(pathOf(request))) await answerInTime(sessions, request, response, requestId, limits)
  else if (request.method === 'GET' || request.method === 'HEAD') await pages(request, response)
  else {
    const error = syntaxError(`Send a GET, not a ${request.method ?? 'request without a method'}`, 'method')
    refuse(response, requestId, withStatus(error, 405), { allow: 'GET, HEAD' })
  }
}

async function answerInTime(
  handler: Routes['graphql'],
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  limits: Limits,
): Promise<void> {
  const abort = new AbortController()
  const timer = setTimeout(
    () => abort.abort(new DOMException('the request took too long', 'TimeoutError')),
    limits.requestMilliseconds,
  )
  response.once('close', () => {
    clearTimeout(timer)
    if (!response.writableFinished) abort.abort(new DOMException('the client has gone', 'AbortError'))
  })
  const answer = await handler({ request, requestId, signal: abort.signal })
  clearTimeout(timer)
  if (answer === null || response.destroyed) return
  // The server would take the unread rest of a refused body for the connection's next request.
  if (!request.complete) response.setHeader('connection', 'close')
  const { body, headers } = answer.compressible ? await compress(answer.body, request.headers) : answer
  send(response, answer.status, body, { ...answer.headers, ...headers })
}

async function answerSignUp(
  forward: Forward,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  limits: Limits,
): Promise<void> {
  if (request.method === 'POST') {
    await answerForwarded(forward, request, response, requestId, limits)
  } else if (request.method === 'OPTIONS') {
    response.writeHead(204, { allow: 'POST, OPTIONS', ...preflightHeaders }).end()
  } else {
    const error = syntaxError(`Send a POST, not a ${request.method ?? 'request without a method'}`, 'method')
    refuse(response, requestId, withStatus(error, 405), { allow: 'POST, OPTIONS' })
  }
}

async function answerForwarded(
  forward: Forward,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  limits: Limits,
): Promise<void> {
  const answer = await forward(request, requestId, limits)
  if (answer === null || response.destroyed) return
  if (!request.complete) response.setHeader('connection', 'close')
  send(response, answer.status, answer.body, answer.headers)
}

async function answerFiles(
  files: FilesRoute,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  const refusal: FileRefusal | null = await files(request, response)
  if (refusal === null || response.destroyed) return
  if (!request.complete) response.setHeader('connection', 'close')
  refuse(response, requestId, withStatus(syntaxError(refusal.reason, refusal.field), refusal.status))
}

/** Says that the process runs, and asks nothing else: what restarts processes must not restart all of them when the database is away. */
const alive = JSON.stringify({ status: 'ok' })

async function answerReadiness(routes: Routes, response: ServerResponse): Promise<void> {
  const report = await routes.readiness()
  const serves = report.status === 'ok' || report.status === 'degraded'
  send(response, serves ? 200 : 503, JSON.stringify(report))
}

/**
 * Sends the public keys with which other services verify our access tokens (RFC 7517). A new key signs tokens at once, so a service
 * that keeps this answer has to ask again for the key of a token that it doesn't find in it.
 */
async function answerPublicKeys(routes: Routes, response: ServerResponse): Promise<void> {
  const keys = await routes.publicKeys()
  const headers = { 'cache-control': keys === null ? 'no-store' : 'public, max-age=60' }
  send(response, keys === null ? 503 : 200, JSON.stringify(keys ?? { keys: [] }), headers)
}

function refuse(
  response: ServerResponse,
  requestId: string,
  error: CatalogueError,
  headers?: OutgoingHttpHeaders,
): void {
  send(response, error.status, refusalBody([error], { requestId, now: Date.now() }), headers)
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers?: OutgoingHttpHeaders,
): void {
  if (status === 304) {
    response.writeHead(status, headers).end()
    return
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    // No browser may take an answer for a page or a script, whatever a client has stored in it.
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

/**
 * Answers a connection that doesn't speak HTTP. It has no request to respond to, so the answer goes to the socket.
 */
function refuseBrokenRequest(cause: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || cause.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  refuseSocket(socket, brokenRequest(cause.code))
}

function brokenRequest(code: string | undefined): CatalogueError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return withStatus(syntaxError('The request did not arrive in time', 'request'), 408)
    case 'HPE_HEADER_OVERFLOW': {
      const reason = 'The headers are too large'
      const error = catalogueError(
        'SVC_VAL_003',
        { value: 'headers', min: 0, max: 16_384 },
        { field: 'headers', reason },
      )
      return withStatus(error, 431)
    }
    default:
      return syntaxError('The request is not valid HTTP', 'request')
  }
}
