export { silentProgress } from './progress.ts'
export { runImport, type ImportOptions, type ImportSummary } from './run-import.ts'
export type { JobState } from './jobs/import-job.ts'
export { runJob, type RunJobOptions } from './jobs/run-job.ts'
