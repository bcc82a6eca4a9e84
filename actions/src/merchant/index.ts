export { merchantActions } from './actions.ts'
export { beginPeriods } from './subscriptions.ts'
