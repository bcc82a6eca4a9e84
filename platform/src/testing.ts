export { PlatformProcess, type Ready } from './platform-process.ts'
export { loginOf } from './database-parts.ts'
export { sessionSettings } from './session-settings.ts'
export { prepareDatabase } from './prepare-database.ts'
