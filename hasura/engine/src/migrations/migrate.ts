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
import { holdsRunningMark, recordedSql } from './recorded-sql.ts'
import { endsTransaction, runSqlFile, type SqlFailure, type SqlFileOutcome } from './run-sql-file.ts'
import { settleInterrupted } from './settle-interrupted.ts'

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
  let applied =
    skipExecution && request.kind === 'version'
      ? withoutMark(appliedVersions(await readCliState(api), database), request)
      : await settleInterrupted(api, database, migrations)
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
      const outcome = await runStep(options, applied, step, sql)
      if (outcome.kind === 'failed') {
        await removeMark(options, applied, migration)
        return { kind: 'failed', failure: outcome.failure, steps: done }
      }
    }
    applied = withStep(applied, step)
    done.push(step)
  }
  if (done.length > 0) await writeAppliedVersions(api, database, applied)
  return { kind: 'migrated', steps: done }
}

/** Runs a file whose version is marked as running meanwhile. */
async function runStep(
  { api, database }: MigrateOptions,
  applied: AppliedVersions,
  { migration, direction }: Step,
  sql: string,
): Promise<SqlFileOutcome> {
  const { version } = migration
  const marked = new Map([...applied, [version, true]])
  const file = sqlFile(migration, direction)
  // After a COMMIT of its own, the file's effects and the record of its end would not be one transaction.
  if (endsTransaction(sql)) {
    await writeAppliedVersions(api, database, marked)
    return runSqlFile(api, database, { file, sql })
  }
  const running = { version, direction }
  // One request records that the last file is done and that this one runs.
  await writeAppliedVersions(api, database, marked, running)
  const sent = (await holdsRunningMark(api, database, version)) ? recordedSql(database, running, sql) : sql
  return runSqlFile(api, database, { file, sql, sent })
}

/** After a failure. A version that another run has settled meanwhile stays as that one has recorded it. */
async function removeMark(
  { api, database }: MigrateOptions,
  applied: AppliedVersions,
  { version }: Migration,
): Promise<void> {
  const present = appliedVersions(await readCliState(api), database)
  if (present.get(version) === true) await writeAppliedVersions(api, database, applied)
}

/**
 * The versions before one is recorded by hand. If an interrupted run has left its mark, this version takes the step, so
 * that the record says what the caller has found.
 */
function withoutMark(
  applied: AppliedVersions,
  { version, direction }: { readonly version: string; readonly direction: Direction },
): AppliedVersions {
  const before = new Map(applied)
  if (direction === 'up' && before.get(version) === true) before.delete(version)
  return before
}

function withStep(applied: AppliedVersions, { migration, direction }: Step): AppliedVersions {
  const after = new Map(applied)
  if (direction === 'up') after.set(migration.version, false)
  else after.delete(migration.version)
  return after
}
