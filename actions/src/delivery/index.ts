export { type DeliveryStatus, deliveryTransitions } from './delivery-machine.ts'
export {
  claimSeconds as CLAIM_SECONDS,
  type Claim,
  defaultRetryPolicy as DEFAULT_RETRY_POLICY,
  type RetryPolicy,
  type SendOutcome,
  settle,
} from './settle.ts'
export { keepingClaims, recorded } from './keep-claims.ts'
