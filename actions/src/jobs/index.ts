export { type MaintenanceJob, runMaintenance } from './maintenance.ts'
export { startWorkers, type Workers, type WorkersOptions } from './start-workers.ts'
