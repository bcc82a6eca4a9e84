export { crmActions } from './actions.ts'
export { expirePoints } from './points.ts'
