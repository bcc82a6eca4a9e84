#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { LocalPostgresError, startLocalPostgres } from '@commerce-graph/local-postgres'
import { pino } from 'pino'
import { startEngine } from '../src/engine.ts'
import { MetadataDirectoryError, readMetadataDirectory } from '../src/metadata/read-directory.ts'
import type { Metadata } from '../src/metadata/types.ts'
import { type Settings, readSettings } from '../src/settings.ts'

const help = `hasura-embedded: Hasura v2 over Postgres, in Node, without Docker

Usage: hasura-embedded [options]

  --metadata DIR       apply this metadata directory (config v3) at the start
  --database-url URL   use this Postgres (15 or later); also HASURA_GRAPHQL_DATABASE_URL
  --data-dir DIR       without a URL: bring a Postgres that keeps its data here (default .hasura-data)
  --port N             default 8080; also HASURA_GRAPHQL_SERVER_PORT
  --host ADDRESS       default 127.0.0.1; also HASURA_GRAPHQL_SERVER_HOST
  --help

Hasura's own settings mean the same: HASURA_GRAPHQL_ADMIN_SECRET, _AUTH_HOOK, _AUTH_HOOK_MODE,
_UNAUTHORIZED_ROLE, _STRINGIFY_NUMERIC_TYPES, _INFER_FUNCTION_PERMISSIONS, _ENABLE_ALLOWLIST, _ENABLED_APIS, _CORS_DOMAIN,
_DISABLE_CORS, _PG_CONNECTIONS, _LOG_LEVEL, _WEBSOCKET_KEEPALIVE, _WEBSOCKET_CONNECTION_INIT_TIMEOUT,
_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL, _BATCH_SIZE and the same of _STREAMING_QUERIES,
_EVENTS_HTTP_POOL_SIZE, _EVENTS_FETCH_INTERVAL, _EVENTS_FETCH_BATCH_SIZE, _GRACEFUL_SHUTDOWN_TIMEOUT.
`

interface Arguments {
  readonly metadata?: string | undefined
  readonly dataDir: string
  readonly databaseUrl?: string | undefined
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly help: boolean
}

const readArguments = (): Arguments => {
  const { values } = parseArgs({
    options: {
      metadata: { type: 'string' },
      'database-url': { type: 'string' },
      'data-dir': { type: 'string', default: '.hasura-data' },
      port: { type: 'string' },
      host: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    metadata: values.metadata,
    dataDir: values['data-dir'],
    databaseUrl: values['database-url'],
    port: values.port,
    host: values.host,
    help: values.help,
  }
}

/** An argument goes before the environment. */
const settingsOf = (args: Arguments): Settings => {
  const given = {
    HASURA_GRAPHQL_DATABASE_URL: args.databaseUrl,
    HASURA_GRAPHQL_SERVER_PORT: args.port,
    HASURA_GRAPHQL_SERVER_HOST: args.host,
  }
  const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const result = readSettings({ ...process.env, ...overrides })
  if (result.kind === 'invalid') throw new UsageError(result.problems.join('\n'))
  return result.settings
}

class UsageError extends Error {}

const main = async (): Promise<void> => {
  const args = readArguments()
  if (args.help) {
    process.stdout.write(help)
    return
  }
  const settings = settingsOf(args)
  const metadata = args.metadata === undefined ? undefined : await readMetadataDirectory(args.metadata)
  const postgres =
    settings.databaseUrl === undefined ? await startLocalPostgres({ dataDir: args.dataDir }) : undefined
  const logger = pino({ level: settings.logLevel })
  const databaseUrl = settings.databaseUrl ?? postgres?.url ?? ''
  const engine = await startEngine({ ...settings, databaseUrl, logger }).catch(async (error: unknown) => {
    await postgres?.stop()
    throw error
  })
  const stop = async (): Promise<void> => {
    await engine.stop()
    await postgres?.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().then(() => process.exit(0)))
  }
  if (metadata) await applyMetadata(engine, metadata)
  if (settings.adminSecret === undefined) {
    process.stderr.write('No admin secret is set: whoever reaches this address is admin.\n')
  }
  process.stdout.write(`GraphQL at ${engine.url ?? ''}/v1/graphql\n`)
}

const applyMetadata = async (
  engine: Awaited<ReturnType<typeof startEngine>>,
  metadata: Metadata,
): Promise<void> => {
  for (const { name, reason } of await engine.replaceMetadata(metadata))
    process.stderr.write(`${name}: ${reason}\n`)
}

/** What the caller or the surroundings did wrong is told in a line; a mistake of ours with its stack. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const operational =
    error instanceof UsageError ||
    error instanceof MetadataDirectoryError ||
    error instanceof LocalPostgresError ||
    // Refused connections and ports in use, unknown options, what Postgres refuses.
    ('code' in error && typeof error.code === 'string')
  return operational ? error.message : (error.stack ?? error.message)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}
