export { PlatformProcess, type Ready } from './platform-process.ts'
export { prepareDatabase } from './prepare-database.ts'
