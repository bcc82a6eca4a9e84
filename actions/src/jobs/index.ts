export { startWorkers, type Workers, type WorkersOptions } from './start-workers.ts'
