import type { MethodVault } from './method-vault.ts'
import type { PaymentProcessor } from './processor.ts'

/** Makes a call, or answers in its place. */
export type Guard = <Answer extends { readonly status: string } | null>(
  call: () => Promise<Answer>,
) => Promise<Answer | { readonly status: 'unknown'; readonly cause: unknown }>

/** The same processor, whose calls all go through the guard. */
export const guardedProcessor = (processor: PaymentProcessor, guarded: Guard): PaymentProcessor => ({
  name: processor.name,
  refundDays: processor.refundDays,
  vault: processor.vault && guardedVault(processor.vault, guarded),
  refusalOf: (amount, currency) => processor.refusalOf(amount, currency),
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
})

const guardedVault = (vault: MethodVault, guarded: Guard): MethodVault => ({
  createCustomer: (request) => guarded(() => vault.createCustomer(request)),
  deleteCustomer: (customerId) => guarded(() => vault.deleteCustomer(customerId)),
  setUp: (request) => guarded(() => vault.setUp(request)),
  retrieveSetup: (setupId) => guarded(() => vault.retrieveSetup(setupId)),
  findSetup: (customerId, savedMethodId) => guarded(() => vault.findSetup(customerId, savedMethodId)),
  cancelSetup: (setupId) => guarded(() => vault.cancelSetup(setupId)),
  detach: (methodId) => guarded(() => vault.detach(methodId)),
})
