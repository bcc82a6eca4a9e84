import { z } from 'zod'
import { apiGroups, defaultApis } from './http/api.ts'
import { sessionSettings } from './session/session-settings.ts'

const yes = ['true', 't', 'yes', 'y', '1']
const no = ['false', 'f', 'no', 'n', '0']

const flag = (fallback: boolean) =>
  z
    .string()
    .toLowerCase()
    .pipe(z.enum([...yes, ...no]))
    .transform((value) => yes.includes(value))
    .default(fallback)

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most)
/** Hasura also accepts 0; polling Postgres without a pause is useless, so the least is 10. */
const intervalMs = whole(0, 3_600_000)
  .transform((value) => Math.max(value, 10))
  .default(1_000)
const batchSize = whole(1, 10_000).default(100)
const seconds = whole(1, 3_600)
const text = z.string().min(1)
const list = z
  .string()
  .transform((names) => names.split(',').map((name) => name.trim()))
  .transform((names) => names.filter((name) => name !== ''))

/** Hasura's notations for "every address". */
const everyAddress: ReadonlyMap<string, string> = new Map([
  ['*', '::'],
  ['*6', '::'],
  ['!6', '::'],
  ['*4', '0.0.0.0'],
  ['!4', '0.0.0.0'],
])

/** A JSON list of secrets. */
const secrets = z.string().transform((value, context): readonly string[] => {
  try {
    return z.array(text).min(1).max(100).parse(JSON.parse(value))
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON list of texts' })
    return z.NEVER
  }
})

/**
 * Hasura's environment variables that the engine obeys: their types, defaults and descriptions. SETTINGS.md is written
 * from it.
 * https://hasura.io/docs/latest/deployment/graphql-engine-flags/reference/
 */
export const environment = z.object({
  HASURA_GRAPHQL_DATABASE_URL: text
    .optional()
    .describe('The Postgres with data and metadata; `{{NAME}}` in it stands for another variable.'),
  HASURA_GRAPHQL_METADATA_DATABASE_URL: text
    .optional()
    .describe('Must be the same database, if given: the engine keeps metadata beside the data.'),
  HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA: text
    .default('public')
    .describe('The schema in which the extension pgcrypto is created, unless the database has it.'),
  HASURA_GRAPHQL_STRICT_METADATA: flag(false).describe(
    'Refuses metadata with unknown keys. Otherwise they are left out, with a warning. (Not in Hasura, which leaves them out silently.)',
  ),
  HASURA_GRAPHQL_METADATA_DIR: text.optional().describe('As `--metadata`; as in the image `cli-migrations`.'),
  HASURA_GRAPHQL_MIGRATIONS_DIR: text
    .optional()
    .describe('As `--migrations`; as in the image `cli-migrations`.'),
  HASURA_GRAPHQL_ADMIN_SECRET: text
    .optional()
    .describe('A client that sends it is admin, or any role that it names.'),
  HASURA_GRAPHQL_ADMIN_SECRETS: secrets
    .optional()
    .describe(
      'A JSON list of secrets, all of them valid, so that one can be replaced without a pause. (Enterprise in Hasura.)',
    ),
  HASURA_GRAPHQL_ACCESS_KEY: text.optional().describe('The old name of the admin secret.'),
  HASURA_GRAPHQL_AUTH_HOOK: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('The URL of a webhook that authenticates requests.'),
  HASURA_GRAPHQL_AUTH_HOOK_MODE: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'POST']))
    .default('GET')
    .describe('The method of the request to the webhook.'),
  HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: flag(true).describe(
    'Whether a POST to it includes the GraphQL request.',
  ),
  HASURA_GRAPHQL_JWT_SECRET: text
    .optional()
    .describe('The key that verifies tokens, and where the claims are, as JSON.'),
  HASURA_GRAPHQL_JWT_SECRETS: text
    .optional()
    .describe('A JSON list of such keys. It takes precedence over the single one.'),
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: text
    .optional()
    .describe('The role of requests with neither secret nor token.'),
  HASURA_GRAPHQL_PRESERVE_401_ERRORS: flag(false).describe(
    'Whether `/v1/graphql` answers 401 to requests that are not authenticated, in place of 200 with errors.',
  ),
  HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: flag(false).describe('`bigint` and `numeric` as JSON strings.'),
  HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS: flag(true).describe(
    'Functions in the query root are open to every role that may select from their table.',
  ),
  HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION: z
    .enum(['hasura-default', 'graphql-default'])
    .default('hasura-default')
    .describe('The naming convention of sources whose metadata names none.'),
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: flag(false).describe(
    'Roles other than admin may send only documents of the allow-list.',
  ),
  HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: flag(false).describe(
    'Roles other than admin may use only the parts of remote schemas for which they have permissions.',
  ),
  HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION: flag(false).describe(
    'The engine is a subgraph: `_service`, and `_entities` of tables with `apollo_federation_config`.',
  ),
  HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA: flag(false).describe(
    'When a remote schema answers with data and errors, the data is passed on, and the errors are not.',
  ),
  HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: z
    .string()
    .toLowerCase()
    .pipe(list)
    .default([])
    .describe(
      '`hide_update_many_fields`, `hide_aggregation_predicates`, `hide_stream_fields` and `apollo_federation` are obeyed.',
    ),
  HASURA_GRAPHQL_ENABLED_APIS: z
    .string()
    .toLowerCase()
    .pipe(list)
    .pipe(z.array(z.enum([...apiGroups, 'metrics'])))
    .transform((names) => apiGroups.filter((group) => names.includes(group)))
    .default([...defaultApis])
    .describe(
      'The served APIs: some of `metadata`, `graphql`, `pgdump`, `config` and `developer`. (`metrics` belongs to the Enterprise Edition.)',
    ),
  HASURA_GRAPHQL_CORS_DOMAIN: z.string().default('*').describe('Origins that browsers may call from.'),
  HASURA_GRAPHQL_DISABLE_CORS: flag(false).describe(
    'No headers of CORS at all; WebSockets then read no cookies.',
  ),
  HASURA_GRAPHQL_WS_READ_COOKIE: flag(false).describe('WebSockets read cookies although CORS is disabled.'),
  HASURA_GRAPHQL_SERVER_PORT: whole(0, 65_535).default(8080).describe('The port; 0 takes a free one.'),
  HASURA_GRAPHQL_SERVER_HOST: text
    .default('127.0.0.1')
    .transform((host) => everyAddress.get(host) ?? host)
    .describe('The address; `*` is every address, which is Hasura’s default.'),
  HASURA_GRAPHQL_DIRECT_DATABASE_URL: text
    .optional()
    .describe(
      'Where Postgres itself is, when the database’s URL leads to a pooler in transaction mode, such as PgBouncer. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_POOLER_NAMED_STATEMENTS: flag(false).describe(
    'Whether that pooler keeps named statements, as PgBouncer does from 1.21 on. (Not in Hasura.)',
  ),
  HASURA_GRAPHQL_READ_REPLICA_URLS: text
    .optional()
    .transform((urls) => (urls ?? '').split(',').filter((url) => url.trim() !== ''))
    .describe(
      'Hot standbys, separated by commas, for queries with the header `x-read-replica: allowed`; in Hasura for all queries.',
    ),
  HASURA_GRAPHQL_READ_REPLICA_MAX_LAG: whole(100, 3_600_000)
    .default(1_000)
    .describe('Milliseconds that what a standby shows may be old. (Not in Hasura.)'),
  HASURA_GRAPHQL_SESSION_SETTINGS: z
    .string()
    .transform((value, context) => {
      try {
        return JSON.parse(value) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(sessionSettings)
    .optional()
    .describe(
      'Settings of Postgres that each statement of a session has, for row security: `{"variables": {"app.tenant": "x-hasura-tenant-id"}, "roles": {"admin": {"role": "sees_all_tenants"}}}`. Of roles, `role` is the role in Postgres, unless the user has its rights anyway. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_PG_CONNECTIONS: whole(1, 1_000)
    .default(20)
    .describe('The most connections to Postgres; 50 in Hasura.'),
  HASURA_GRAPHQL_PG_TIMEOUT: whole(1, 86_400)
    .default(180)
    .describe('Seconds that an idle connection is kept.'),
  HASURA_GRAPHQL_PG_CONN_LIFETIME: whole(0, 86_400)
    .default(600)
    .describe('Seconds after which a connection is replaced; 0: never.'),
  HASURA_GRAPHQL_PG_POOL_TIMEOUT: whole(1, 3_600).default(10).describe('Seconds to wait for a connection.'),
  HASURA_GRAPHQL_TX_ISOLATION: z
    .enum(['read-committed', 'repeatable-read', 'serializable'])
    .default('read-committed')
    .describe('The isolation of transactions.'),
  HASURA_GRAPHQL_LIVE_QUERIES_FOLLOW_CHANGES: flag(true).describe(
    'Whether subscriptions are asked again when a table that they read has changed, where the log of the database can be followed. `false`: each interval, as in Hasura. (Not in Hasura.)',
  ),
  HASURA_GRAPHQL_CHANGE_FEED_URL: text
    .optional()
    .describe(
      'Where that log is followed, on a database that the engine has not brought itself: Postgres itself, as a user with the attribute REPLICATION. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_CHANGE_FEED_PUBLICATION: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/, 'must be a name of small letters, digits and underscores')
    .default('hasura_changes')
    .describe(
      'The publication of the tables that are followed. The engine keeps it up to date if it owns the tables. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_ANSWER_CACHE_BYTES: whole(0, 1_000_000_000_000)
    .default(0)
    .describe(
      'Bytes of the answers to queries that are kept as long as they are what the database would answer, where its log is followed; 0: none. (Not in Hasura, whose cloud keeps answers for a time.)',
    ),
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: intervalMs.describe(
    'Milliseconds between two runs of a live query whose changes are not followed.',
  ),
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: batchSize.describe(
    'Distinct subscribers in one statement.',
  ),
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: intervalMs.describe(
    'Milliseconds between two runs of a stream whose changes are not followed.',
  ),
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE: batchSize.describe(
    'Distinct subscribers in one statement of a stream.',
  ),
  HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE: whole(1, 10_000)
    .default(100)
    .describe('The most webhooks called at once.'),
  HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: intervalMs.describe('Milliseconds between two polls for events.'),
  HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE: whole(0, 10_000)
    .default(100)
    .describe('The most events taken at once. 0: this engine delivers none; another engine does.'),
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: whole(0, 3_600_000)
    .default(1_000)
    .describe(
      'Milliseconds between two polls for asynchronous actions. 0: this engine runs none; another engine does.',
    ),
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_BATCH_SIZE: whole(1, 10_000)
    .default(10)
    .describe('The most asynchronous actions taken at once.'),
  HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: whole(0, 3_600_000)
    .default(1_000)
    .describe('Milliseconds between two polls for metadata changes by another engine; 0: never.'),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: whole(0, 3_600)
    .default(60)
    .describe('Seconds that events under way may take when the engine stops.'),
  HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: seconds.default(5).describe('Seconds between two keep-alive messages.'),
  HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: seconds
    .default(3)
    .describe('Seconds in which a client must send `connection_init`; for `graphql-transport-ws` only.'),
  HASURA_GRAPHQL_CONNECTION_COMPRESSION: flag(false).describe(
    'Compresses WebSockets for clients that support it (permessage-deflate).',
  ),
  HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH: whole(1_024, 16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('The most bytes of all headers of a request.'),
  HASURA_GRAPHQL_MAX_CONNECTIONS: whole(1, 1_000_000)
    .default(20_000)
    .describe(
      'The most connections open at once, WebSockets included; further ones are answered 503. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_MAX_CONNECTIONS_PER_ADDRESS: whole(1, 1_000_000)
    .default(1_000)
    .describe(
      'The most connections of one IPv4 address or IPv6 /64; further ones are answered 429. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks like 10.0.0.0/8,fd00::/8' })))
    .default([])
    .describe('Networks of proxies, which have no limit per address. (Not in Hasura.)'),
  HASURA_GRAPHQL_SEND_TIMEOUT: whole(1, 86_400)
    .default(30)
    .describe(
      'Seconds in which a client must read some of its answer, or of its WebSocket’s messages. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_SEND_BYTES_PER_SECOND: whole(1, 1_000_000_000)
    .default(20_000)
    .describe('Bytes per second that it must read on average. (Not in Hasura.)'),
  HASURA_GRAPHQL_DEV_MODE: flag(false).describe(
    'Errors include Postgres’s message (`internal`) for every role.',
  ),
  HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: flag(true).describe('Errors include it for admin.'),
  HASURA_GRAPHQL_LOG_LEVEL: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['debug', 'info', 'warn', 'error']))
    .default('info')
    .describe('The least severe level that is logged.'),
  HASURA_GRAPHQL_ENABLED_LOG_TYPES: list
    .default([])
    .describe('`http-log` logs a line for each request; other types have no effect.'),
})

export type EnvironmentValues = z.output<typeof environment>

/** Values of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES without an effect: they are always on, or about other databases. */
export const presentFeatures: readonly string[] = [
  'inherited_roles',
  'naming_convention',
  'streaming_subscriptions',
  'optimize_permission_filters',
  'bigquery_string_numeric_input',
]

/** Hasura's variables that have no effect here, and why. */
export const notApplied: Readonly<Record<string, string>> = {
  HASURA_GRAPHQL_ENABLE_CONSOLE: 'there is no console; requests of `hasura-cli console` are answered',
  HASURA_GRAPHQL_CONSOLE_ASSETS_DIR: 'there is no console',
  HASURA_GRAPHQL_ENABLE_TELEMETRY: 'there is no telemetry',
  HASURA_GRAPHQL_PG_STRIPES: 'there is one pool of connections',
  HASURA_GRAPHQL_USE_PREPARED_STATEMENTS:
    'statements are always prepared; a pooler in transaction mode does not work',
  HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: 'subscriptions are planned again and continue',
  HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE: 'null in a comparison is refused, as with `false`',
  HASURA_GRAPHQL_ENABLE_METADATA_QUERY_LOGGING: 'metadata requests are not logged with their bodies',
  HASURA_GRAPHQL_HTTP_LOG_QUERY_ONLY_ON_ERROR: 'queries are not logged',
  HASURA_GRAPHQL_ENABLE_TRIGGERS_ERROR_LOG_LEVEL:
    'webhooks’ answers are in the catalog tables, not in the log',
  HASURA_GRAPHQL_METADATA_DEFAULTS: 'there are no data connectors',
  HASURA_GRAPHQL_CONFIGURED_HEADER_PRECEDENCE: "metadata's headers always take precedence over a client's",
  HASURA_GRAPHQL_REMOTE_SCHEMA_SKIP_NULLS: 'a client’s null is passed on',
  HASURA_GRAPHQL_BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES: 'variables follow the GraphQL specification',
  HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE: 'the catalog is upgraded at the start, under a lock',
  HASURA_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX: 'secrets are read from variables, not from files',
  HASURA_GRAPHQL_QUERY_PLAN_CACHE_SIZE: 'it has no effect in Hasura, either; the size of the cache is fixed',
  HASURA_GRAPHQL_NO_OF_RETRIES:
    'an engine that cannot reach its database at the start ends; its process manager starts it again',
  HASURA_GRAPHQL_BIGQUERY_STRING_NUMERIC_INPUT: 'there is no BigQuery',
  HASURA_GRAPHQL_MIGRATIONS_SERVER_PORT: 'migrations need no server of their own',
  HASURA_GRAPHQL_MIGRATIONS_SERVER_TIMEOUT: 'migrations need no server of their own',
  HASURA_GRAPHQL_MIGRATIONS_DATABASE_ENV_VAR: 'migrations run in the engine',
  HASURA_GRAPHQL_CLI_ENVIRONMENT: 'it is for hasura-cli',
  HASURA_GRAPHQL_ENDPOINT: 'it is for hasura-cli',
}
