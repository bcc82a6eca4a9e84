import type { Authenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { FilesRoute } from '@commerce-graph/file-storage'
import type { Observer } from '@commerce-graph/telemetry'
import { stopping, type StopOptions } from '@commerce-graph/http-server'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createAdminSessions } from './admin/sessions.ts'
import { KeptAnswers } from './answers/kept-answers.ts'
import { type EndpointParts, endpointParts } from './endpoint-parts.ts'
import { answerGraphQL, credentialsOf } from './graphql-endpoint.ts'
import { type AllowedOrigins, allowedOriginsFrom } from './http/cors.ts'
import { createSignUpForwarder, type SignUpTarget } from './http/forward-sign-up.ts'
import { createWebhookForwarder } from './http/forward-webhook.ts'
import { graphiql } from './http/graphiql.ts'
import { type PageHandler, servePage } from './http/page.ts'
import { type AdminRoutes, createHttpServer } from './http/server.ts'
import { type Limits, limitsFrom } from './limits/limits.ts'
import { type RecentWrites, writesInMemory, writesInRedis } from './replica/recent-writes.ts'
import { ReplicaReads } from './replica/replica-reads.ts'
import { Readiness } from './readiness.ts'
import { gatewayChecks } from './readiness-checks.ts'
import { referencePage } from './reference/reference-page.ts'
import { serveWebSockets } from './websocket/serve-websockets.ts'

export type { Finding, ReadinessCheck, ReadinessReport } from './readiness.ts'
export { Readiness, type RecentWrites, writesInMemory, writesInRedis }

export interface GatewayOptions {
  readonly dataLayer: DataLayer
  readonly authenticator: Pick<
    Authenticator,
    | 'audit'
    | 'authenticate'
    | 'authenticateSignInPage'
    | 'usedKeys'
    | 'healthy'
    | 'publicKeys'
    | 'untrustedProxy'
    | 'isTrustedProxy'
    | 'addressOf'
  >
  /** Every request is counted there. The caller closes them. */
  readonly rateLimits: RateLimits
  readonly logger: Logger
  /** 0 takes a free one. */
  readonly port: number
  /** Where to listen; every address when absent. */
  readonly host?: string
  /** From the environment (`LIMIT_…`) when absent. */
  readonly limits?: Limits
  /** From the environment (`CORS_ORIGINS`) when absent. */
  readonly allowedOrigins?: AllowedOrigins
  /** The query that GraphiQL shows at first. */
  readonly firstQuery: string
  /** The actions, which payment processors' webhooks are handed to; absent: none are taken. */
  readonly webhooksUrl?: string
  /** Where requests for a shop are handed to, which come without a credential; absent: none are taken. */
  readonly signUp?: SignUpTarget
  /** Serves uploaded files below /files/; absent: there are none. */
  readonly files?: FilesRoute
  /** The pages for a merchant's people, below /admin; absent: there are none. */
  readonly admin?: AdminOptions
  /** The documentation, below /docs; absent: there is the schema's page alone. */
  readonly docs?: PageHandler
  /** The checks of `/readyz`, to which the gateway adds its own. */
  readonly readiness?: Readiness
  /** Told of each request when it is answered. */
  readonly observe?: Observer['request'] | undefined
  /** Who has written a moment ago; absent where no standby of the database answers. */
  readonly recentWrites?: Pick<RecentWrites, 'note' | 'has'> | undefined
  /** Whether answers are kept, as long as the data layer knows them to be right. */
  readonly keepsAnswers?: boolean | undefined
  /** A request that takes as long is logged as slow; none is when absent. */
  readonly slowMilliseconds?: number | undefined
}

export interface AdminOptions {
  readonly pages: PageHandler
  /** The shop that the sign-in page assumes; absent: it asks. */
  readonly defaultShop?: string | undefined
  /** Whether browsers send the session's cookie over HTTPS only. */
  readonly secureCookie: boolean
}

const adminRoutes = (
  { pages, defaultShop, secureCookie }: AdminOptions,
  parts: EndpointParts,
  authenticator: GatewayOptions['authenticator'],
): AdminRoutes => ({
  pages,
  sessions: createAdminSessions({ parts, authenticator, defaultShop, secureCookie }),
})

export interface Gateway {
  readonly port: number
  /** WebSockets that are open. */
  readonly sockets: () => number
  /** The answers that are kept; undefined where none are. */
  readonly keptAnswers: Pick<KeptAnswers, 'bytes' | 'counts'> | undefined
  /** `/readyz` says so first; then it takes no new requests, lets those that run come to their end, and closes what is left. */
  stop(options?: GatewayStop): Promise<void>
}

export interface GatewayStop extends StopOptions {
  /** The time in which a running request may finish; by default the time limit of requests. */
  readonly graceMilliseconds?: number
}

/**
 * Milliseconds in which a client may answer the closing of its socket. Most clients answer at once or have
 * disconnected.
 */
const maxFarewellMilliseconds = 1_000

/**
 * Serves the contract at `/graphql`, subscriptions over WebSocket included; `/healthz` (or `/livez`) says that the process
 * lives, `/readyz` how well it can serve. Throws when the port is taken.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const {
    dataLayer,
    authenticator,
    rateLimits,
    logger,
    firstQuery,
    readiness = new Readiness(),
    observe,
  } = options
  for (const check of gatewayChecks(dataLayer, authenticator, rateLimits)) readiness.add(check)
  const limits = options.limits ?? limitsFrom(process.env)
  const allowedOrigins = options.allowedOrigins ?? allowedOriginsFrom(process.env['CORS_ORIGINS'])
  const keptAnswers = options.keepsAnswers === true ? new KeptAnswers(limits) : undefined
  const parts = endpointParts({
    dataLayer,
    authenticator,
    rateLimits,
    limits,
    logger,
    observe,
    slowMilliseconds: options.slowMilliseconds,
    keptAnswers,
    replicaReads: options.recentWrites && new ReplicaReads(options.recentWrites),
  })
  const { contract } = parts
  const routes = {
    graphql: answerGraphQL.bind(null, parts),
    readiness: () => readiness.report(),
    publicKeys: () => authenticator.publicKeys(),
    reference: servePage(() => referencePage(contract.schema, firstQuery)),
    docs: options.docs ?? null,
    webhook: options.webhooksUrl === undefined ? null : createWebhookForwarder(options.webhooksUrl),
    signUp:
      options.signUp === undefined
        ? null
        : createSignUpForwarder(options.signUp, (request) => authenticator.addressOf(credentialsOf(request))),
    files: options.files ?? null,
    admin: options.admin ? adminRoutes(options.admin, parts, authenticator) : null,
    graphiql: graphiql({ title: 'Commerce Graph', defaultQuery: firstQuery, schema: contract.schema }),
  }
  const server = createHttpServer(routes, {
    limits,
    allowedOrigins,
    logger,
    isTrustedProxy: (address) => authenticator.isTrustedProxy(address),
  })
  const httpServer = stopping(server)
  const webSockets = serveWebSockets(server, parts, allowedOrigins)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    sockets: () => webSockets.open(),
    keptAnswers,
    async stop({ graceMilliseconds = limits.requestMilliseconds, drain = false } = {}) {
      readiness.stop()
      webSockets.close(Math.min(graceMilliseconds, maxFarewellMilliseconds))
      await httpServer.stop({ drain, graceMilliseconds })
    },
  }
}
