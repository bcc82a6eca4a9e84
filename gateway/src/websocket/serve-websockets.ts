import type { ExecutionResult, FormattedExecutionResult } from 'graphql'
import { type ConnectionInitMessage, handleProtocols, makeServer } from 'graphql-ws'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { constants } from 'node:zlib'
import { type PerMessageDeflateOptions, type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { EndpointParts } from '../endpoint-parts.ts'
import {
  type CatalogueError,
  catalogueError,
  syntaxError,
  unexpectedError,
  withStatus,
} from '@commerce-graph/contract/errors'
import type { AllowedOrigins } from '../http/cors.ts'
import { refuseSocket } from '../http/refuse-socket.ts'
import type { Limits } from '../limits/limits.ts'
import { bodyOf, closeCodes, Connection } from './connection.ts'
import { Quota } from './quota.ts'

export interface WebSockets {
  /** How many are open. */
  readonly open: () => number
  /** Tells every client that the server goes, takes no more, and ends the connections of those that don't leave in time. */
  readonly close: (graceMilliseconds: number) => void
}

/** A key that is revoked may be of use for no longer than a second, and finding out takes a moment as well. */
const recheckMilliseconds = 400

/** The share of a merchant's WebSockets that its shoppers may use. */
const shoppersShare = 0.8

/** For clients that offer it; browsers do. No context is kept between messages: it would take 300 kB for each socket. */
const compression: PerMessageDeflateOptions = {
  threshold: 4_096,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { level: constants.Z_BEST_SPEED },
  concurrencyLimit: 10,
}

/** Serves subscriptions over WebSocket (graphql-transport-ws) at `/graphql` of the HTTP server. */
export function serveWebSockets(
  server: Server,
  parts: EndpointParts,
  allowedOrigins: AllowedOrigins,
): WebSockets {
  const { limits, logger } = parts
  const connections = new Set<Connection>()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socketMessageBytes,
    handleProtocols,
    perMessageDeflate: compression,
  })
  const shared = {
    ...parts,
    merchantQuota: new Quota(limits.socketMerchantConnections),
    shoppersQuota: new Quota(Math.ceil(limits.socketMerchantConnections * shoppersShare)),
    connectionQuota: new Quota(limits.socketConnections),
    subscriptionQuota: new Quota(limits.socketSubscriptions),
  }
  const protocol = createProtocol(limits)
  let closing = false

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = closing ? stopping() : refusalOf(request, sockets.clients.size, limits, allowedOrigins)
    if (refusal !== undefined) {
      refuseSocket(socket, refusal)
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Connection(webSocket, request, shared)
      connections.add(connection)
      webSocket.once('close', () => connections.delete(connection))
      // The socket closes itself after an error: a frame that is too long or malformed.
      webSocket.on('error', (error) => logger.debug({ err: error }, 'a WebSocket failed'))
      serve(webSocket, connection, protocol, limits)
    })
  })
  // An invalid request for a WebSocket, which ws would answer in plain text.
  sockets.on('wsClientError', ({ message }, socket) => refuseSocket(socket, syntaxError(message, 'upgrade')))
  const rechecking = setInterval(() => {
    for (const connection of connections)
      connection
        .recheck()
        .catch((error: unknown) => logger.error({ err: error }, 'a connection could not be checked'))
  }, recheckMilliseconds)
  return {
    open: () => sockets.clients.size,
    close: (graceMilliseconds) => {
      closing = true
      clearInterval(rechecking)
      for (const connection of connections) connection.close(closeCodes.goingAway, 'The server is stopping')
      setTimeout(() => {
        for (const client of sockets.clients) client.terminate()
      }, graceMilliseconds).unref()
    },
  }
}

/** The protocol itself is graphql-ws's; what a subscription is, and who may have one, is the connection's. */
const createProtocol = ({ socketInitMilliseconds }: Limits) =>
  makeServer<ConnectionInitMessage['payload'], Connection>({
    connectionInitWaitTimeout: socketInitMilliseconds,
    onConnect: ({ extra, connectionParams }) => extra.introduce(connectionParams),
    onSubscribe: ({ extra }, id, payload) => extra.start(id, payload),
    subscribe: ({ contextValue }) => contextValue as AsyncGenerator<ExecutionResult>,
    // The connection's answers are formatted already.
    onNext: (_context, _id, _payload, _args, result) => result as FormattedExecutionResult,
    onError: (_context, _id, _payload, errors) => errors.map(bodyOf),
  })

function serve(
  socket: WebSocket,
  connection: Connection,
  protocol: ReturnType<typeof createProtocol>,
  limits: Limits,
): void {
  const rate = messageRate(limits.socketMessagesPerSecond)
  let answered = true
  const pinging = setInterval(() => {
    if (!answered) socket.terminate()
    answered = false
    socket.ping()
  }, limits.socketPingMilliseconds)
  socket.on('pong', () => (answered = true))
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => connection.send(text),
      close: (code, reason) => connection.close(code ?? 1000, reason ?? ''),
      onMessage: (handle) => {
        socket.on('message', (data: RawData, isBinary: boolean) => {
          if (rate.isExceeded()) connection.close(closeCodes.tooMany, 'Too many messages')
          else if (isBinary) connection.close(closeCodes.badRequest, 'Send text')
          // graphql-ws throws for messages that only a server sends.
          else
            handle(textOf(data)).catch(() =>
              connection.close(closeCodes.badRequest, 'Invalid message received'),
            )
        })
      },
    },
    connection,
  )
  socket.once('close', (code, reason) => {
    clearInterval(pinging)
    void closed(code, reason.toString())
  })
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)).toString('utf8')

/** Counts the messages of each second. */
function messageRate(bound: number): { readonly isExceeded: () => boolean } {
  let second = 0
  let count = 0
  return {
    isExceeded: () => {
      const now = Math.floor(performance.now() / 1000)
      count = now === second ? count + 1 : 1
      second = now
      return count > bound
    },
  }
}

/** A client connects again where others serve. */
const stopping = (): CatalogueError => withStatus(unexpectedError(), 503)

function refusalOf(
  { url, headers: { origin } }: IncomingMessage,
  open: number,
  { sockets }: Limits,
  allowedOrigins: AllowedOrigins,
): CatalogueError | undefined {
  if (URL.parse(url ?? '/', 'http://localhost')?.pathname !== '/graphql')
    return withStatus(syntaxError('There is no WebSocket at this path: it is at /graphql', 'path'), 404)
  // Browsers open a WebSocket to anywhere; no CORS keeps a page from it.
  if (origin !== undefined && allowedOrigins !== '*' && !allowedOrigins.has(origin))
    return catalogueError(
      'SVC_AUTH_003',
      {},
      { field: 'Origin', reason: 'Pages of this origin may not connect' },
    )
  return open >= sockets ? withStatus(unexpectedError(), 503) : undefined
}
