export { type DeliveryStatus, deliveryTransitions } from './delivery-machine.ts'
export {
  CLAIM_SECONDS,
  type Claim,
  DEFAULT_RETRY_POLICY,
  type RetryPolicy,
  type SendOutcome,
  settle,
} from './settle.ts'
export { keepingClaims, recorded } from './keep-claims.ts'
