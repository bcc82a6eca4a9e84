export { analyticsActions } from './actions.ts'
export { refreshRollups } from './rollups.ts'
