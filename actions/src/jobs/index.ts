export { defaultRetention, type Retention } from './retention.ts'
export { startWorkers, type Workers, type WorkersOptions } from './start-workers.ts'
