export { merchantActions, type MerchantOptions } from './actions.ts'
export { beginPeriods } from './subscriptions.ts'
