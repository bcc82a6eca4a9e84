export { createMigratedDatabase, type MigratedDatabase } from './migrated-database.ts'
export { createDatabaseFrom, type Template } from './template-database.ts'
export { createTestDatabase, testDatabasePrefix, type TestDatabase, testServerUrl } from './test-database.ts'
