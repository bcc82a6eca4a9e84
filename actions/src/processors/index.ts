export { withCircuitBreaker } from './circuit-breaker.ts'
export { manualProcessor } from './manual/manual-processor.ts'
export type * from './processor.ts'
export { createStripeProcessor, type StripeOptions } from './stripe/stripe-processor.ts'
