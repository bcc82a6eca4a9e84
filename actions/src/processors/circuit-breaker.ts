import type { MethodVault } from './method-vault.ts'
import type { PaymentProcessor } from './processor.ts'

export interface CircuitBreakerOptions {
  /** Calls without an answer, one after the other, after which no more are made. */
  readonly failures?: number
  /** Milliseconds until one call is let through again, to see whether it is answered. */
  readonly restMs?: number
  /** The time in milliseconds, from whenever. */
  readonly now?: () => number
}

/**
 * The same processor, which is left alone for a while when it doesn't answer: its calls are then `unknown` at once, instead of
 * after the seconds that each of them waits in vain.
 */
export function withCircuitBreaker(
  processor: PaymentProcessor,
  { failures = 5, restMs = 30_000, now = () => performance.now() }: CircuitBreakerOptions = {},
): PaymentProcessor {
  let unanswered = 0
  let closedUntil = 0
  const guarded: Guard = async (call) => {
    if (unanswered >= failures) {
      if (now() < closedUntil)
        return { status: 'unknown', cause: new Error(`${processor.name} does not answer, and is left alone`) }
      // The one that finds out; the others go on waiting.
      closedUntil = now() + restMs
    }
    const answer = await call()
    if (answer?.status !== 'unknown') unanswered = 0
    else if ((unanswered += 1) === failures) closedUntil = now() + restMs
    return answer
  }
  return {
    name: processor.name,
    refundDays: processor.refundDays,
    vault: processor.vault && guardedVault(processor.vault, guarded),
    charge: (request) => guarded(() => processor.charge(request)),
    capture: (request) => guarded(() => processor.capture(request)),
    release: (intentId) => guarded(() => processor.release(intentId)),
    retrieve: (intentId) => guarded(() => processor.retrieve(intentId)),
    take: (intentId) => guarded(() => processor.take(intentId)),
    find: (paymentId) => guarded(() => processor.find(paymentId)),
    cancel: (intentId) => guarded(() => processor.cancel(intentId)),
    refund: (request) => guarded(() => processor.refund(request)),
    findRefund: (request) => guarded(() => processor.findRefund(request)),
    retrieveRefund: (refundId) => guarded(() => processor.retrieveRefund(refundId)),
    activity: (intentId) => guarded(() => processor.activity(intentId)),
  }
}

type Guard = <Answer extends { readonly status: string } | null>(
  call: () => Promise<Answer>,
) => Promise<Answer | { readonly status: 'unknown'; readonly cause: unknown }>

const guardedVault = (vault: MethodVault, guarded: Guard): MethodVault => ({
  createCustomer: (request) => guarded(() => vault.createCustomer(request)),
  deleteCustomer: (customerId) => guarded(() => vault.deleteCustomer(customerId)),
  setUp: (request) => guarded(() => vault.setUp(request)),
  retrieveSetup: (setupId) => guarded(() => vault.retrieveSetup(setupId)),
  findSetup: (customerId, savedMethodId) => guarded(() => vault.findSetup(customerId, savedMethodId)),
  cancelSetup: (setupId) => guarded(() => vault.cancelSetup(setupId)),
  detach: (methodId) => guarded(() => vault.detach(methodId)),
})
