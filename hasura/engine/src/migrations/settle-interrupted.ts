import {
  appliedVersions,
  type AppliedVersions,
  type CliState,
  readCliState,
  writeAppliedVersions,
} from './catalog-state.ts'
import type { HasuraApi } from './hasura-api.ts'
import { type Migration, readMigrationSql } from './migration-files.ts'
import { awaitRunningFile, holdsRunningMark } from './recorded-sql.ts'
import { wouldRun } from './run-sql-file.ts'

/** The outcome of an interrupted run is unknown. The message says how to record it by hand. */
export class InterruptedMigrationError extends Error {
  override readonly name = 'InterruptedMigrationError'

  constructor(migration: Migration, reason: string) {
    super(
      `A run of migration ${migration.version} (${migration.name}) was interrupted, and its outcome is unknown: ${reason}. ` +
        'Inspect the database. If it took effect, record it: migrate apply --version ' +
        `${migration.version} --skip-execution. If not, remove its record: add --type down to that command.`,
    )
  }
}

/**
 * Settles versions that are marked as running, because the program was killed between running the file and recording
 * it. Returns what is applied after that. Throws InterruptedMigrationError for a version whose outcome it can't tell.
 */
export async function settleInterrupted(
  api: HasuraApi,
  database: string,
  migrations: readonly Migration[],
): Promise<AppliedVersions> {
  const found = appliedVersions(await readCliState(api), database)
  if (!migrations.some(({ version }) => found.get(version) === true)) return found
  await awaitRunningFile(api, database)
  // Read again, because the file that ran may have recorded its end meanwhile.
  const state = await readCliState(api)
  const applied = new Map(appliedVersions(state, database))
  for (const migration of migrations) {
    if (applied.get(migration.version) !== true) continue
    if (await isApplied(api, database, migration, state)) applied.set(migration.version, false)
    else applied.delete(migration.version)
  }
  await writeAppliedVersions(api, database, applied)
  return applied
}

/** Postgres's codes for "exists already" (schema, relation, function, other object, column). */
const alreadyExists = new Set(['42P06', '42P07', '42723', '42710', '42701'])

/**
 * A file that records its own end, and is still marked as running, has had no effect. A mark without that (of
 * hasura-cli, or of metadata in another database) says nothing. Then the file is run with a rollback: what exists
 * already shows that it took effect, but success doesn't show the opposite, because some SQL can be run twice.
 */
async function isApplied(
  api: HasuraApi,
  database: string,
  migration: Migration,
  state: CliState,
): Promise<boolean> {
  const running = state.runningMigrations?.[database]
  if (running?.version === migration.version && (await holdsRunningMark(api, database, migration.version)))
    return running.direction === 'down'
  const outcome = await wouldRun(api, database, (await readMigrationSql(migration, 'up')) ?? '')
  switch (outcome.kind) {
    case 'done':
      throw new InterruptedMigrationError(migration, 'its SQL can be run, but may have been run already')
    case 'unknown':
      throw new InterruptedMigrationError(
        migration,
        'its SQL ends its own transaction, so it cannot be tried',
      )
    case 'failed':
      if (alreadyExists.has(outcome.failure.sqlState ?? '')) return true
      throw new InterruptedMigrationError(migration, outcome.failure.message)
    default:
      return outcome satisfies never
  }
}
