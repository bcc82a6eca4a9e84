export { applyMetadata, type Inconsistency, readInconsistencies } from './apply-metadata.ts'
export { createHasuraApi, type HasuraApiOptions } from './hasura-api.ts'
export { applySeeds, type SeedOptions, type SeedOutcome } from './seeds.ts'
export { diffMetadata, exportMetadata } from './export-metadata.ts'
export {
  type HasuraApi,
  HasuraApiError,
  InterruptedMigrationError,
  migrate,
  type MigrateOptions,
  type MigrateOutcome,
  type Migration,
  migrationStatus,
  type SqlFailure,
} from 'hasura-embedded/migrations'
