import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import { HasuraError } from '../../hasura-error.ts'
import { type CorsPolicy, allowsOrigin } from '../cors.ts'
import type { GraphQLApi } from '../../schema/role-schema.ts'
import type { SessionCheck } from '../../session/types.ts'
import { refuseSocket } from '../refuse-socket.ts'
import { Connection, type ConnectionEndpoint, type ConnectionLimits } from './connection.ts'
import { legacyProtocol, transportProtocol } from './protocol.ts'

export interface WebSocketOptions extends ConnectionLimits {
  readonly cors: CorsPolicy
  /** Like Hasura, reads no cookies with CORS disabled, because any page could send them. */
  readonly readsCookies: boolean
  /** The most connections at once; further ones are answered 503. */
  readonly maxConnections: number
  readonly maxMessageBytes: number
  /** Whether messages are compressed for clients that support it (permessage-deflate). */
  readonly compresses: boolean
  readonly logger: Logger
}

export interface WebSockets {
  /** Closes the connections whose sessions are over. */
  readonly endSessions: (isOver: SessionCheck) => Promise<void>
  /** Announces the stop to every client, accepts no more connections, and ends those that stay open. */
  readonly close: () => Promise<void>
}

const apis: Readonly<Record<string, GraphQLApi>> = {
  '/v1/graphql': 'graphql',
  '/v1alpha1/graphql': 'graphql',
  '/v1beta1/relay': 'relay',
}

function apiOf(url: string | undefined): GraphQLApi | undefined {
  const path = URL.parse(url ?? '/', 'http://localhost')?.pathname ?? ''
  return Object.hasOwn(apis, path) ? apis[path] : undefined
}

const closingGraceMs = 1_000

/** The code with which Hasura closes when it stops. Clients then reconnect. */
const serviceRestart = 1012

/** Serves GraphQL over WebSocket on the HTTP server's own port. */
export function serveWebSockets(
  server: Server,
  endpoint: Omit<ConnectionEndpoint, 'api'>,
  options: WebSocketOptions,
): WebSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxMessageBytes,
    perMessageDeflate: options.compresses,
    // Like Hasura, the older protocol is used for clients that name none or an unknown one.
    handleProtocols: (offered) =>
      ['graphql-transport-ws', 'graphql-ws'].find((name) => offered.has(name)) ?? false,
  })
  const connections = new Set<Connection>()
  let closing = false
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = closing ? stopping : refusalOf(request, sockets.clients.size, options)
    if (refusal !== undefined) {
      refuseSocket(socket, refusal)
      return
    }
    const api = apiOf(request.url) ?? 'graphql'
    sockets.handleUpgrade(request, socket, head, (client) => {
      const protocol = client.protocol === 'graphql-transport-ws' ? transportProtocol : legacyProtocol
      const upgradeHeaders = headersOf(request, options.readsCookies)
      const connection = new Connection(
        { socket: client, protocol, upgradeHeaders },
        { ...endpoint, api },
        options,
        options.logger,
      )
      connections.add(connection)
      client.once('close', () => connections.delete(connection))
    })
  })
  return {
    endSessions: async (isOver) => {
      await Promise.all([...connections].map((connection) => connection.endIf(isOver)))
    },
    close: async () => {
      closing = true
      for (const client of sockets.clients) client.close(serviceRestart, 'shutting server down')
      const deadline = setTimeout(() => {
        for (const client of sockets.clients) client.terminate()
      }, closingGraceMs)
      await Promise.all(
        [...sockets.clients].map((client) => new Promise((resolve) => client.once('close', resolve))),
      )
      clearTimeout(deadline)
    },
  }
}

const unavailable = new HasuraError('unexpected', 'too many WebSockets are open', { status: 503 })
const stopping = new HasuraError('unexpected', 'the server is stopping', { status: 503 })
const elsewhere = new HasuraError(
  'not-found',
  "only '/v1/graphql' and '/v1beta1/relay' are supported on websockets",
  { status: 404 },
)
const foreignOrigin = new HasuraError(
  'access-denied',
  'received origin header does not match configured CORS domains',
)

function refusalOf(
  { url, headers: { origin } }: IncomingMessage,
  connections: number,
  { maxConnections, cors }: WebSocketOptions,
): HasuraError | undefined {
  if (apiOf(url) === undefined) return elsewhere
  if (connections >= maxConnections) return unavailable
  // Browsers let a page open WebSockets to any host, with cookies. With CORS disabled, cookies are ignored instead.
  if (origin !== undefined && cors.kind === 'some' && !allowsOrigin(cors, origin)) return foreignOrigin
  return undefined
}

/** The client's headers, without those of the upgrade itself. */
const headersOf = ({ headers }: IncomingMessage, readsCookies: boolean): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith('sec-websocket-') && (readsCookies || name !== 'cookie'),
    ),
  )
