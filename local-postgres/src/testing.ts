export { createMigratedDatabase, type MigratedDatabase } from './migrated-database.ts'
export { type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.ts'
export { createDatabaseFrom, type Template } from './template-database.ts'
export { createTestDatabase, testDatabasePrefix, type TestDatabase, testServerUrl } from './test-database.ts'
