export { merchantActions, type MerchantOptions } from './actions.ts'
