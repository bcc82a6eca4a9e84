export { bulkActions } from './actions.ts'
export { purgeImports } from './purge-imports.ts'
export { runImports } from './run-imports.ts'
