import { appliedVersions, type AppliedVersions, readCliState, writeAppliedVersions } from './catalog-state.ts'
import type { HasuraApi } from './hasura-api.ts'
import {
  type Direction,
  type Migration,
  readMigrations,
  readMigrationSql,
  sqlFile,
} from './migration-files.ts'
import { planSteps, type StepRequest, type Step } from './migration-plan.ts'
import { runSqlFile, type SqlFailure, wouldRun } from './run-sql-file.ts'

export interface MigrationStatus {
  readonly version: string
  /** Undefined for a version that is recorded in the database but has no folder. */
  readonly name: string | undefined
  readonly applied: boolean
  /** A run of it was interrupted, so its outcome is unknown. */
  readonly dirty: boolean
}

export interface MigrateOptions {
  readonly api: HasuraApi
  /** The folder of the database's migrations, like `migrations/default`. */
  readonly directory: string
  readonly database: string
  readonly request?: StepRequest
  /** Records the versions without running their SQL. */
  readonly skipExecution?: boolean
  readonly onStep?: (migration: Migration, direction: Direction) => void
}

export type MigrateOutcome =
  | { readonly kind: 'migrated'; readonly steps: readonly Step[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly failure: SqlFailure; readonly steps: readonly Step[] }

export async function migrationStatus(
  api: HasuraApi,
  directory: string,
  database: string,
): Promise<readonly MigrationStatus[]> {
  const migrations = await readMigrations(directory)
  const applied = appliedVersions(await readCliState(api), database)
  const names = new Map(migrations.map(({ version, name }) => [version, name]))
  return [...new Set([...names.keys(), ...applied.keys()])]
    .sort((a, b) => Number(a) - Number(b))
    .map((version) => ({
      version,
      name: names.get(version),
      applied: applied.has(version),
      dirty: applied.get(version) === true,
    }))
}

/**
 * Applies (or undoes) migrations in order, each file in a transaction of its own, and stops at the first failure.
 * Earlier migrations stay applied and recorded.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateOutcome> {
  const { api, directory, database, request = { kind: 'all' }, skipExecution = false, onStep } = options
  const migrations = await readMigrations(directory)
  let applied = await settleInterrupted(api, database, migrations)
  const plan = planSteps(migrations, applied, request)
  if (plan.kind === 'refused') return plan
  const done: Step[] = []
  for (const step of plan.steps) {
    const { migration, direction } = step
    const sql = skipExecution ? '' : await readMigrationSql(migration, direction)
    if (sql === undefined) {
      await writeAppliedVersions(api, database, applied)
      return { kind: 'refused', reason: `${sqlFile(migration, direction)} doesn't exist` }
    }
    onStep?.(migration, direction)
    if (sql.trim() !== '') {
      // One request records that the last file is done and that this one runs.
      await writeAppliedVersions(api, database, new Map([...applied, [migration.version, true]]))
      const outcome = await runSqlFile(api, database, sqlFile(migration, direction), sql)
      if (outcome.kind === 'failed') {
        await writeAppliedVersions(api, database, applied)
        return { kind: 'failed', failure: outcome.failure, steps: done }
      }
    }
    applied = withStep(applied, step)
    done.push(step)
  }
  if (done.length > 0) await writeAppliedVersions(api, database, applied)
  return { kind: 'migrated', steps: done }
}

function withStep(applied: AppliedVersions, { migration, direction }: Step): AppliedVersions {
  const after = new Map(applied)
  if (direction === 'up') after.set(migration.version, false)
  else after.delete(migration.version)
  return after
}

/** Postgres's codes for "exists already" (schema, relation, function, other object, column). */
const alreadyExists = new Set(['42P06', '42P07', '42723', '42710', '42701'])

/**
 * Settles a version that is marked as running, because the program was killed between running the file and recording
 * it. The file was one transaction, so it took effect wholly or not at all. Running it again, with a rollback, shows
 * which.
 */
async function settleInterrupted(
  api: HasuraApi,
  database: string,
  migrations: readonly Migration[],
): Promise<AppliedVersions> {
  const applied = new Map(appliedVersions(await readCliState(api), database))
  const interrupted = migrations.filter(({ version }) => applied.get(version) === true)
  for (const migration of interrupted) {
    const sql = (await readMigrationSql(migration, 'up')) ?? ''
    const outcome = await wouldRun(api, database, sql)
    if (outcome.kind === 'done') applied.delete(migration.version)
    else if (alreadyExists.has(outcome.failure.sqlState ?? '')) applied.set(migration.version, false)
    else throw new InterruptedMigrationError(migration, outcome.failure)
  }
  if (interrupted.length > 0) await writeAppliedVersions(api, database, applied)
  return applied
}

export class InterruptedMigrationError extends Error {
  override readonly name = 'InterruptedMigrationError'

  constructor(migration: Migration, failure: SqlFailure) {
    super(
      `A run of migration ${migration.version} (${migration.name}) was interrupted, and its outcome is unknown: ${failure.message}. ` +
        'Inspect the database. If it took effect, record it: migrate apply --version ' +
        `${migration.version} --skip-execution. If not, remove its record: add --type down to that command.`,
    )
  }
}
