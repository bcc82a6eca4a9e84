import { createHasuraApi, type HasuraApi } from '@commerce-graph/hasura-cli'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { randomUUID } from 'node:crypto'
import type { PlatformConfig } from './configuration.ts'
import { checkServer } from './database.ts'
import { PlatformError } from './platform-error.ts'
import { withOwnEngine } from './prepare-database.ts'
import { prepareSchema } from './prepare-schema.ts'
import { preparingAlone } from './preparing-alone.ts'
import type { Progress } from './services.ts'
import { settlePlace } from './settle-place.ts'
import { untilHealthy } from './until-healthy.ts'

/** Milliseconds. A Hasura in another process may start at the same time as this job. */
const hasuraTimeoutMs = 120_000

export interface MigratedDatabase {
  /** The migrations that this job has applied, in their order. */
  readonly applied: readonly string[]
  readonly milliseconds: number
}

/**
 * Applies migrations and metadata for the roles that wait for them, one job at a time. Throws PlatformError for causes that
 * the caller can fix.
 */
export async function migrateDatabase(config: PlatformConfig, tell: Progress): Promise<MigratedDatabase> {
  const databaseUrl = config.pooler?.directUrl ?? config.databaseUrl
  if (databaseUrl === undefined)
    throw new PlatformError(
      'npm run migrate needs DATABASE_URL. npm start without it has a Postgres of its own, and migrates it itself.',
    )
  const started = performance.now()
  const applied: string[] = []
  await checkServer('DATABASE_URL', databaseUrl, undefined)
  await preparingAlone(
    databaseUrl,
    () => tell('Another process prepares the database; waiting for it'),
    () =>
      withHasura(config, databaseUrl, async (sql, api) => {
        tell('Applying migrations and metadata')
        await prepareSchema({ sql, databaseUrl, sandbox: config.mode === 'test' }, api, (name) => {
          applied.push(name)
          tell(`  ${name}`)
        })
        await settlePlace(sql, config.place)
      }),
  )
  return { applied, milliseconds: Math.round(performance.now() - started) }
}

async function withHasura(
  { hasuraUrl, adminSecret }: PlatformConfig,
  databaseUrl: string,
  work: (sql: Sql, api: HasuraApi) => Promise<void>,
): Promise<void> {
  if (hasuraUrl === undefined) return withOwnEngine({ databaseUrl, adminSecret: randomUUID() }, work)
  await untilHealthy(`${hasuraUrl.replace(/\/$/, '')}/healthz`, hasuraTimeoutMs).catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error
    throw new PlatformError(
      `HASURA_URL: ${error.message}\nIf this is the address of the role engine, which waits for this job, run npm run migrate -- --embedded.`,
    )
  })
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    await work(sql, createHasuraApi({ endpoint: hasuraUrl, adminSecret: adminSecret ?? '' }))
  } finally {
    await sql.end({ timeout: 5 })
  }
}
