export { type DeliveryStatus, deliveryTransitions } from './delivery-machine.ts'
export {
  claimSeconds,
  type Claim,
  defaultRetryPolicy,
  type RetryPolicy,
  type SendOutcome,
  settle,
} from './settle.ts'
export { keepingClaims, recorded } from './keep-claims.ts'
