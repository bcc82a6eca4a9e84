import type { IncomingHttpHeaders } from 'node:http'
import type { Inspector, SubscriptionCompiler } from '../execute/graphql-executor.ts'
import type { GraphQLExecutor } from '../graphql-request.ts'
import type { SubscriptionHub } from '../live/subscription-hub.ts'
import type { Refetch } from '../live/poller.ts'
import type { Workspace } from '../metadata-api/workspace.ts'
import type { RowCommands } from '../rows/row-commands.ts'
import type { NamingConvention } from '../schema/naming.ts'
import type { Authenticator } from '../session/authenticator.ts'
import type { JwtSecret } from '../session/jwt-config.ts'
import type { HttpResponse } from './response.ts'

/** HASURA_GRAPHQL_ENABLED_APIS. */
export const apiGroups = ['metadata', 'graphql', 'pgdump', 'config', 'developer'] as const
export type ApiGroup = (typeof apiGroups)[number]

/** The APIs that are served by default. */
export const defaultApis: readonly ApiGroup[] = ['metadata', 'graphql', 'pgdump', 'config']

/** The parts that endpoints use. */
export interface Api {
  readonly authenticator: Authenticator
  readonly executor: GraphQLExecutor & SubscriptionCompiler & Inspector
  readonly hub: SubscriptionHub
  readonly workspace: Workspace
  readonly rows: RowCommands
  readonly checkDatabase: () => Promise<void>
  /** Whether a stop has begun. New requests should go elsewhere, but are still answered. */
  readonly isStopping: boolean
  /** For `pg_dump`, which opens its own connection. */
  readonly databaseUrl: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** HASURA_GRAPHQL_PRESERVE_401_ERRORS. */
  readonly preserve401: boolean
  readonly config: ServerConfig
}

/** Which APIs are served, and the values of `/v1alpha1/config`. */
interface ServerConfig {
  readonly enabledApis: ReadonlySet<ApiGroup>
  readonly isAdminSecretSet: boolean
  readonly isAuthHookSet: boolean
  readonly jwtSecrets: readonly JwtSecret[]
  readonly inferFunctionPermissions: boolean
  readonly isAllowlistEnabled: boolean
  readonly remoteSchemaPermissions: boolean
  readonly apolloFederation: boolean
  readonly experimentalFeatures: readonly string[]
  readonly defaultNamingConvention: NamingConvention
  readonly liveQueries: Refetch
  readonly streamingQueries: Refetch
}

export interface HttpRequest {
  readonly method: string
  /** The URL as the request line has it. */
  readonly target: string
  /** The parsed URL. Throws HasuraError `not-found` when it is no URL. */
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly signal: AbortSignal
  readonly text: () => Promise<string>
}

/** Answers a request. Throws HasuraError for a client's mistake. */
export type Handler = (api: Api, request: HttpRequest) => Promise<HttpResponse>
