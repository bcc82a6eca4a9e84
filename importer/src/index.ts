export { ImportStopped } from './api/api-error.ts'
export { InputError } from './input/input-error.ts'
export { createProgress, silentProgress, type Counts, type Progress } from './progress.ts'
export { runImport, type ImportOptions, type ImportSummary } from './run-import.ts'
