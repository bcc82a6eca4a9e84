#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { LocalPostgresError } from '@commerce-graph/local-postgres'
import { pino } from 'pino'
import { type Engine, startEngine } from '../src/engine.ts'
import { MetadataDirectoryError } from '../src/metadata/read-directory.ts'
import { InterruptedMigrationError } from '../src/migrations/settle-interrupted.ts'
import { MigrationFilesError } from '../src/migrations/migration-files.ts'
import { type Settings, readSettings } from '../src/settings.ts'
import { StartError } from '../src/start-error.ts'

const help = `hasura-embedded: Hasura v2 over Postgres, in Node, without Docker

Usage: hasura-embedded [options]

  --metadata DIR       begin with this metadata directory (config v3); also HASURA_GRAPHQL_METADATA_DIR
  --migrations DIR     apply the migrations in DIR, or in DIR/<source>, that the database has not seen;
                       also HASURA_GRAPHQL_MIGRATIONS_DIR
  --database-url URL   use this Postgres (15 or later); also HASURA_GRAPHQL_DATABASE_URL
  --data-dir DIR       without a URL: bring a Postgres that keeps its data here (default .hasura-data)
  --port N             default 8080, 0 takes a free one; also HASURA_GRAPHQL_SERVER_PORT
  --host ADDRESS       default 127.0.0.1; also HASURA_GRAPHQL_SERVER_HOST
  --help

Without metadata it starts with what the database has, or with nothing. Hasura's own settings mean the same
(HASURA_GRAPHQL_ADMIN_SECRET, HASURA_GRAPHQL_JWT_SECRET, ...): SETTINGS.md lists all of them.
`

const options = {
  metadata: { type: 'string' },
  migrations: { type: 'string' },
  'database-url': { type: 'string' },
  'data-dir': { type: 'string', default: '.hasura-data' },
  port: { type: 'string' },
  host: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

type Arguments = ReturnType<typeof readArguments>

const readArguments = () => parseArgs({ options }).values

/** The settings of this start. Arguments take precedence over the environment. */
function settingsOf(args: Arguments): Settings {
  const given = {
    HASURA_GRAPHQL_DATABASE_URL: args['database-url'],
    HASURA_GRAPHQL_SERVER_PORT: args.port,
    HASURA_GRAPHQL_SERVER_HOST: args.host,
    HASURA_GRAPHQL_METADATA_DIR: args.metadata,
    HASURA_GRAPHQL_MIGRATIONS_DIR: args.migrations,
  }
  const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const result = readSettings({ ...process.env, ...overrides })
  if (result.kind === 'invalid') throw new StartError(result.problems.join('\n'))
  for (const warning of result.warnings) process.stderr.write(`${warning}\n`)
  return result.settings
}

async function main(): Promise<void> {
  const args = readArguments()
  if (args.help) {
    process.stdout.write(help)
    return
  }
  const settings = settingsOf(args)
  const logger = pino({ level: settings.logLevel })
  const engine = await startEngine({ ...settings, dataDir: args['data-dir'], logger })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A process manager sends SIGTERM and moves the traffic elsewhere. Ctrl-C comes from a person who waits, so nothing
    // is drained.
    const drain = signal === 'SIGTERM'
    process.once(signal, () => void engine.stop({ drain }).then(() => process.exit(0)))
  }
  tellAbout(engine, settings)
}

function tellAbout(engine: Engine, settings: Settings): void {
  for (const { name, reason } of engine.snapshot.inconsistencies) process.stderr.write(`${name}: ${reason}\n`)
  if (settings.adminSecret === undefined)
    process.stderr.write('No admin secret is set: every client of this address is admin.\n')
  process.stdout.write(`GraphQL at ${engine.url ?? ''}/v1/graphql\n`)
}

/** One line for a mistake in the input or the surroundings; the stack for a bug of the engine. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const expected = [
    StartError,
    MetadataDirectoryError,
    MigrationFilesError,
    InterruptedMigrationError,
    LocalPostgresError,
  ]
  // Errors with a code come from parseArgs (unknown options), Postgres or the operating system.
  const hasCode = 'code' in error && typeof error.code === 'string'
  return hasCode || expected.some((type) => error instanceof type)
    ? error.message
    : (error.stack ?? error.message)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}
