import {
  boundConnections,
  boundSending,
  compress,
  type ConnectionRefusal,
  inNetworks,
  type SendingBounds,
  type StopOptions,
  stopping,
} from '@commerce-graph/http-server'
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import { HasuraError } from '../hasura-error.ts'
import { type CorsPolicy, corsHeaders } from './cors.ts'
import { readBody } from './read-body.ts'
import type { SessionCheck } from '../session/types.ts'
import { StartError } from '../start-error.ts'
import { refuseSocket } from './refuse-socket.ts'
import { type HttpResponse, errorResponse, graphqlErrorResponse } from './response.ts'
import type { Api } from './api.ts'
import { resourceNotFound, route } from './routes.ts'
import { type WebSocketOptions, serveWebSockets } from './websocket/websocket-server.ts'

/** How many connections may be open at once, WebSockets included, and how slowly a client may read. */
export interface SocketLimits extends SendingBounds {
  readonly connections: number
  /** The limit for one IPv4 address or IPv6 network. */
  readonly connectionsPerAddress: number
  /** Networks (CIDR) of proxies. Their connections carry many clients, so only the total limits them. */
  readonly trustedProxies: readonly string[]
}

export interface HttpServerOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly cors: CorsPolicy
  /** Logs a line for each request. */
  readonly logRequests: boolean
  /** The most bytes of all headers of a request. */
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  /** Milliseconds from a request's first byte to its answer; then its statement is cancelled in Postgres, too. */
  readonly requestTimeoutMs: number
  readonly sockets: SocketLimits
  readonly webSockets: Omit<WebSocketOptions, 'cors' | 'logger' | 'requestTimeoutMs' | 'sendMilliseconds'>
  readonly logger: Logger
}

export interface HttpServer {
  readonly port: number
  readonly url: string
  readonly endSessions: (isOver: SessionCheck) => Promise<void>
  /** From now on `/healthz` reports the stop, and each answer closes its connection. */
  beginDrain(): void
  /**
   * Takes no more requests, lets running ones finish for some time, then ends them. A second call waits for the first.
   */
  close(options?: StopOptions): Promise<void>
}

const maxRequestIdLength = 200
const closingGraceMs = 5_000

export async function startHttpServer(
  api: Omit<Api, 'isStopping'>,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const server = createServer({ maxHeaderSize: options.maxHeaderBytes }, (request, response) => {
    boundSending(response, options.sockets)
    void serve(draining, options, request, response)
  })
  server.requestTimeout = options.requestTimeoutMs
  server.headersTimeout = Math.min(60_000, options.requestTimeoutMs)
  boundSockets(server, options.sockets)
  const httpServer = stopping(server)
  const draining: Api = {
    ...api,
    get isStopping() {
      return httpServer.isStopping
    },
  }
  const webSockets = api.config.enabledApis.has('graphql')
    ? serveWebSockets(server, draining, {
        ...options,
        ...options.webSockets,
        sendMilliseconds: options.sockets.sendMilliseconds,
      })
    : undefined
  const { port } = await listen(server, options)
  const close = async (drain: boolean): Promise<void> => {
    httpServer.begin()
    await webSockets?.close()
    await httpServer.stop({ drain, graceMilliseconds: closingGraceMs })
  }
  let closed: Promise<void> | undefined
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    endSessions: async (isOver) => {
      await webSockets?.endSessions(isOver)
    },
    beginDrain: () => httpServer.begin(),
    close: ({ drain = false } = {}) => (closed ??= close(drain)),
  }
}

const listen = (server: Server, { host, port }: HttpServerOptions): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `port ${port} of ${host} is in use by another program`
      reject(error.code === 'EADDRINUSE' ? new StartError(inUse) : error)
    })
    server.listen(port, host, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(address)
    })
  })

function boundSockets(
  server: Server,
  { connections, connectionsPerAddress, trustedProxies }: SocketLimits,
): void {
  const refusals: Readonly<Record<ConnectionRefusal, HasuraError>> = {
    too_many: new HasuraError('unexpected', 'too many connections are open', { status: 503 }),
    too_many_from_address: new HasuraError(
      'unexpected',
      `at most ${connectionsPerAddress} connections may be open from one address`,
      { status: 429 },
    ),
  }
  boundConnections(server, {
    connections,
    connectionsPerAddress,
    isTrustedProxy: inNetworks(trustedProxies),
    refuse: (socket: Socket, refusal) => refuseSocket(socket, refusals[refusal]),
  })
}

async function serve(
  api: Api,
  options: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = requestIdOf(request)
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'))
  })
  const deadline = setTimeout(() => controller.abort(timedOut()), options.requestTimeoutMs)
  try {
    const answer = await answerTo(api, options, request, controller.signal)
    const { body, headers } = answer.compressible ? await compress(answer.body, request.headers) : answer
    const coded = { ...answer, body, headers: { ...answer.headers, ...headers } }
    send(response, coded, { ...corsHeaders(options.cors, request), 'x-request-id': requestId }, request)
  } catch (error) {
    // A client that disconnects during its request is not an error of the engine.
    const level = response.destroyed || request.destroyed ? 'debug' : 'error'
    options.logger[level]({ err: error, requestId, path: request.url }, 'request failed')
    send(response, internalError(request, controller.signal), { 'x-request-id': requestId }, request)
  } finally {
    clearTimeout(deadline)
    if (options.logRequests) logRequest(options.logger, request, response, requestId)
  }
}

/** Logs a line of Hasura's type `http-log`. */
function logRequest(
  logger: Logger,
  { method, url, httpVersion, socket }: IncomingMessage,
  { statusCode: status }: ServerResponse,
  requestId: string,
): void {
  const http = { method, url, status, ip: socket.remoteAddress, http_version: `HTTP/${httpVersion}` }
  logger.info({ type: 'http-log', detail: { request_id: requestId, http_info: http } }, 'request')
}

async function answerTo(
  api: Api,
  options: HttpServerOptions,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return { status: 204, body: '' }
  const target = request.url ?? '/'
  return route(api, {
    method: request.method ?? 'GET',
    target,
    get url() {
      // The host is only needed to parse the path as a URL. It doesn't depend on the client's Host header.
      const url = URL.parse(target, 'http://localhost')
      if (!url) throw resourceNotFound()
      return url
    },
    headers: request.headers,
    signal,
    text: () => readBody(request, options.maxBodyBytes),
  })
}

const timedOut = (): HasuraError =>
  new HasuraError('unexpected', 'the request took longer than the server allows', { status: 504 })

/** The answer hides the cause; the log has it, under the request id. */
function internalError(request: IncomingMessage, signal: AbortSignal): HttpResponse {
  const error =
    signal.reason instanceof HasuraError
      ? signal.reason
      : new HasuraError('unexpected', 'internal error', { status: 500 })
  const isGraphQL = ['/v1/graphql', '/v1beta1/relay'].some((path) => request.url?.startsWith(path))
  return isGraphQL ? graphqlErrorResponse(error) : errorResponse(error)
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && given !== '' && given.length <= maxRequestIdLength
    ? given
    : randomUUID()
}

function send(
  response: ServerResponse,
  { status, headers, body }: Omit<HttpResponse, 'body'> & { readonly body: string | Buffer },
  extra: Record<string, unknown>,
  request: IncomingMessage,
): void {
  if (response.headersSent || response.destroyed) return
  const bytes = Buffer.byteLength(body)
  response.writeHead(status, {
    ...extra,
    ...headers,
    ...(status === 204 ? {} : { 'content-length': bytes }),
    // A client refused in the middle of its body can't send another request on this connection.
    ...(status === 413 ? { connection: 'close' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
