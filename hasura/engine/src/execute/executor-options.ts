import type { NamingConvention } from '../schema/naming.ts'
import type { Logger } from 'pino'
import type { LocalHandlers } from '../actions/local-handler.ts'
import type { ReadObserver } from '../live/read-observer.ts'
import type { Replicas } from '../replicas.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { SchemaFeature } from '../schema/schema-feature.ts'

/** The roles whose errors include Postgres's own message (HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS, _DEV_MODE). */
export type InternalErrors = 'none' | 'admin' | 'all'

export interface GraphQLExecutorOptions {
  /** Default: no role. */
  readonly internalErrors?: InternalErrors | undefined
  /** HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES. */
  readonly stringifyNumericTypes: boolean
  /** HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS. */
  readonly inferFunctionPermissions: boolean
  /** HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION. */
  readonly defaultNamingConvention?: NamingConvention | undefined
  /** HASURA_GRAPHQL_ENABLE_ALLOWLIST. */
  readonly enableAllowlist: boolean
  /** HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS. */
  readonly remoteSchemaPermissions?: boolean | undefined
  /** HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION. */
  readonly apolloFederation?: boolean | undefined
  /** HASURA_GRAPHQL_EXPERIMENTAL_FEATURES. */
  readonly experimentalFeatures?: readonly SchemaFeature[] | undefined
  /** HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA. */
  readonly prioritizeRemoteData?: boolean | undefined
  /** The variables of `{{NAME}}` and `value_from_env`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Handlers of actions in this process, which are called without HTTP. Asynchronous actions are not among them. */
  readonly localHandlers?: LocalHandlers | undefined
  /** Answers queries whose client takes what is a little old; absent where there are none. */
  readonly replicas?: Pick<Replicas, 'choose'> | undefined
  /** Says of answers how long they are valid; absent where changes aren't followed. */
  readonly readObserver?: Pick<ReadObserver, 'observe'> | undefined
  /** Records spans of operations and statements. */
  readonly tracer?: Tracer | undefined
  /** A statement that takes as long is logged with the id of its request; none is when absent. */
  readonly slowStatementMs?: number | undefined
  readonly logger?: Logger | undefined
}
