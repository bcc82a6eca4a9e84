import { z } from 'zod'
import { apiGroups, defaultApis } from './http/api.ts'

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
/** Hasura takes 0, too; asking Postgres without a pause helps nobody. */
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

/** Names for every address, as Hasura's HTTP server takes them. */
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
 * Hasura's environment variables that the engine obeys: what they may be, what they are when absent and what they do.
 * https://hasura.io/docs/latest/deployment/graphql-engine-flags/reference/
 */
export const environment = z.object({
  HASURA_GRAPHQL_DATABASE_URL: text
    .optional()
    .describe('The Postgres with data and metadata; `{{NAME}}` in it stands for another variable.'),
  HASURA_GRAPHQL_METADATA_DATABASE_URL: text
    .optional()
    .describe(
      'The same database, if given: the engine keeps metadata beside the data. Another one is refused.',
    ),
  HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA: text
    .default('public')
    .describe('Where the extension pgcrypto is created, unless the database has it.'),
  HASURA_GRAPHQL_STRICT_METADATA: flag(false).describe(
    'Refuses metadata with keys that it does not know; otherwise they are left out, with a warning. (Not in Hasura, which leaves them out without a word.)',
  ),
  HASURA_GRAPHQL_METADATA_DIR: text.optional().describe('As `--metadata`; as in the image `cli-migrations`.'),
  HASURA_GRAPHQL_MIGRATIONS_DIR: text
    .optional()
    .describe('As `--migrations`; as in the image `cli-migrations`.'),
  HASURA_GRAPHQL_ADMIN_SECRET: text.optional().describe('Whoever sends it is admin, or any role they name.'),
  HASURA_GRAPHQL_ADMIN_SECRETS: secrets
    .optional()
    .describe(
      'A JSON list of secrets, each as good as the other; the way to change one. (Enterprise in Hasura.)',
    ),
  HASURA_GRAPHQL_ACCESS_KEY: text.optional().describe('The old name of the admin secret.'),
  HASURA_GRAPHQL_AUTH_HOOK: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('A webhook that says who a request comes from.'),
  HASURA_GRAPHQL_AUTH_HOOK_MODE: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'POST']))
    .default('GET')
    .describe('How the webhook is asked.'),
  HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: flag(true).describe(
    'Whether POST tells it the GraphQL request, too.',
  ),
  HASURA_GRAPHQL_JWT_SECRET: text.optional().describe('How tokens are verified, as JSON.'),
  HASURA_GRAPHQL_JWT_SECRETS: text.optional().describe('A JSON list of such; it goes before the single one.'),
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: text.optional().describe('The role of who has neither secret nor token.'),
  HASURA_GRAPHQL_PRESERVE_401_ERRORS: flag(false).describe(
    'Whether `/v1/graphql` answers 401 to who is not let in, in place of 200 with errors.',
  ),
  HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: flag(false).describe('`bigint` and `numeric` as JSON strings.'),
  HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS: flag(true).describe(
    'Functions in the query root are open to who may select from their table.',
  ),
  HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION: z
    .enum(['hasura-default', 'graphql-default'])
    .default('hasura-default')
    .describe('How a source names things whose metadata does not say.'),
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: flag(false).describe(
    'Roles other than admin may send allowed documents only.',
  ),
  HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: flag(false).describe(
    'Roles other than admin may use of remote schemas only what they have permissions for.',
  ),
  HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION: flag(false).describe(
    'The engine is a subgraph: `_service`, and `_entities` of tables with `apollo_federation_config`.',
  ),
  HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA: flag(false).describe(
    'Of an answer of a remote schema with data and errors the data are taken, and not the errors.',
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
      'What is served: some of `metadata`, `graphql`, `pgdump`, `config` and `developer`. (`metrics` is of the Enterprise Edition.)',
    ),
  HASURA_GRAPHQL_CORS_DOMAIN: z.string().default('*').describe('Origins that browsers may call from.'),
  HASURA_GRAPHQL_DISABLE_CORS: flag(false).describe(
    'No headers of CORS at all; WebSockets then read no cookies.',
  ),
  HASURA_GRAPHQL_WS_READ_COOKIE: flag(false).describe('WebSockets read cookies although CORS is disabled.'),
  HASURA_GRAPHQL_SERVER_PORT: whole(0, 65_535).default(8080).describe('0 takes a free one.'),
  HASURA_GRAPHQL_SERVER_HOST: text
    .default('127.0.0.1')
    .transform((host) => everyAddress.get(host) ?? host)
    .describe('`*` is every address, which is the default of Hasura.'),
  HASURA_GRAPHQL_PG_CONNECTIONS: whole(1, 1_000)
    .default(20)
    .describe('Connections to Postgres at most; 50 in Hasura.'),
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
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: intervalMs.describe(
    'Milliseconds between two looks.',
  ),
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: batchSize.describe(
    'Distinct subscribers in one statement.',
  ),
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: intervalMs.describe('The same for streams.'),
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE: batchSize.describe('The same for streams.'),
  HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE: whole(1, 10_000).default(100).describe('Webhooks called at once.'),
  HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: intervalMs.describe('Milliseconds between two looks for events.'),
  HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE: whole(0, 10_000)
    .default(100)
    .describe('Events taken at once. 0: they are written, and delivered by another engine.'),
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: whole(0, 3_600_000)
    .default(1_000)
    .describe('Milliseconds between two looks. 0: asynchronous actions are run by another engine.'),
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_BATCH_SIZE: whole(1, 10_000)
    .default(10)
    .describe('Asynchronous actions taken at once.'),
  HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: whole(0, 3_600_000)
    .default(1_000)
    .describe("Milliseconds between two looks for another engine's metadata; 0: never."),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: whole(0, 3_600)
    .default(60)
    .describe('Seconds for events under way.'),
  HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: seconds.default(5).describe('Seconds between two signs of life.'),
  HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: seconds
    .default(3)
    .describe('Seconds until who connects says who they are; of `graphql-transport-ws` alone.'),
  HASURA_GRAPHQL_CONNECTION_COMPRESSION: flag(false).describe(
    'WebSockets are compressed for clients that can (permessage-deflate).',
  ),
  HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH: whole(1_024, 16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Bytes of all headers of a request.'),
  HASURA_GRAPHQL_MAX_CONNECTIONS: whole(1, 1_000_000)
    .default(20_000)
    .describe(
      'Connections open at once, WebSockets included; further ones are answered 503. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_MAX_CONNECTIONS_PER_ADDRESS: whole(1, 1_000_000)
    .default(1_000)
    .describe('Those of one IPv4 address or IPv6 /64; further ones are answered 429. (Not in Hasura.)'),
  HASURA_GRAPHQL_TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks like 10.0.0.0/8,fd00::/8' })))
    .default([])
    .describe('Networks of proxies, whose connections are bounded in all alone. (Not in Hasura.)'),
  HASURA_GRAPHQL_SEND_TIMEOUT: whole(1, 86_400)
    .default(30)
    .describe(
      'Seconds in which a client has to take some of its answer, or a message of its WebSocket. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_SEND_BYTES_PER_SECOND: whole(1, 1_000_000_000)
    .default(20_000)
    .describe(
      'Bytes that it has to take in a second at least, over the whole of an answer. (Not in Hasura.)',
    ),
  HASURA_GRAPHQL_DEV_MODE: flag(false).describe('Every role is told what Postgres said of an error.'),
  HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: flag(true).describe('Admin is told so.'),
  HASURA_GRAPHQL_LOG_LEVEL: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['debug', 'info', 'warn', 'error']))
    .default('info')
    .describe('How much is logged.'),
  HASURA_GRAPHQL_ENABLED_LOG_TYPES: list
    .default([])
    .describe('`http-log`, when named, is a line for each request; other types have no switch here.'),
})

export type EnvironmentValues = z.output<typeof environment>

/** Features of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES that need not be named: they are on, or about other databases. */
export const presentFeatures: readonly string[] = [
  'inherited_roles',
  'naming_convention',
  'streaming_subscriptions',
  'optimize_permission_filters',
  'bigquery_string_numeric_input',
]

/** Variables of Hasura that change nothing here, and why. */
export const notApplied: Readonly<Record<string, string>> = {
  HASURA_GRAPHQL_ENABLE_CONSOLE:
    'there is no console; what the one of `hasura-cli console` sends is answered',
  HASURA_GRAPHQL_CONSOLE_ASSETS_DIR: 'there is no console',
  HASURA_GRAPHQL_ENABLE_TELEMETRY: 'nothing is reported to anybody',
  HASURA_GRAPHQL_PG_STRIPES: 'there is one pool of connections',
  HASURA_GRAPHQL_USE_PREPARED_STATEMENTS:
    'statements are always prepared; put no pooler in transaction mode before it',
  HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: 'subscriptions are planned anew and go on',
  HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE: 'null in a comparison is refused, as with `false`',
  HASURA_GRAPHQL_ENABLE_METADATA_QUERY_LOGGING: 'metadata requests are not logged with their bodies',
  HASURA_GRAPHQL_HTTP_LOG_QUERY_ONLY_ON_ERROR: 'queries are not logged',
  HASURA_GRAPHQL_ENABLE_TRIGGERS_ERROR_LOG_LEVEL:
    'what a webhook answered is in the catalog tables, not in the log',
  HASURA_GRAPHQL_METADATA_DEFAULTS: 'there are no data connectors whose addresses it could hold',
  HASURA_GRAPHQL_CONFIGURED_HEADER_PRECEDENCE: "metadata's headers always go before a client's",
  HASURA_GRAPHQL_REMOTE_SCHEMA_SKIP_NULLS: 'a null that a client sends is sent on',
  HASURA_GRAPHQL_BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES: 'variables are as GraphQL says',
  HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE: 'the catalog is upgraded at the start, under a lock',
  HASURA_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX: 'secrets are read from variables, not from files',
  HASURA_GRAPHQL_QUERY_PLAN_CACHE_SIZE: 'it has none in Hasura, either; the size of the cache is fixed',
  HASURA_GRAPHQL_NO_OF_RETRIES: 'who cannot reach its database at the start ends, and is started again',
  HASURA_GRAPHQL_BIGQUERY_STRING_NUMERIC_INPUT: 'there is no BigQuery',
  HASURA_GRAPHQL_MIGRATIONS_SERVER_PORT: 'migrations need no server of their own',
  HASURA_GRAPHQL_MIGRATIONS_SERVER_TIMEOUT: 'migrations need no server of their own',
  HASURA_GRAPHQL_MIGRATIONS_DATABASE_ENV_VAR: 'migrations run in the engine',
  HASURA_GRAPHQL_CLI_ENVIRONMENT: 'it is for hasura-cli',
  HASURA_GRAPHQL_ENDPOINT: 'it is for hasura-cli',
}
