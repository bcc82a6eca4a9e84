export { changeMerchantStatus, openMerchant, readNewMerchant } from './accounts.ts'
export type { MerchantEvent } from './merchant-machine.ts'
export { merchantActions } from './actions.ts'
export { beginPeriods } from './subscriptions.ts'
