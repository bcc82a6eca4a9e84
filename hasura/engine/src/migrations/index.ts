export { readCliState, writeAppliedVersions } from './catalog-state.ts'
export { type HasuraApi, HasuraApiError, type MetadataRequest } from './hasura-api.ts'
export {
  InterruptedMigrationError,
  migrate,
  type MigrateOptions,
  type MigrateOutcome,
  migrationStatus,
} from './migrate.ts'
export { type Migration, MigrationFilesError } from './migration-files.ts'
export { type StepRequest } from './migration-plan.ts'
export { runSqlFile, type SqlFailure } from './run-sql-file.ts'
