export type { JobRun } from './job-runs.ts'
export { startWorkers, type Workers, type WorkersOptions } from './start-workers.ts'
