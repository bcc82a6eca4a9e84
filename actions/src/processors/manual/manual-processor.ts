import type { PaymentProcessor } from '../processor.ts'

/**
 * Money that changes hands outside of this platform, in cash or by bank transfer: a merchant records that it came in
 * or went back, and no processor has to be asked.
 */
const taken = { status: 'succeeded', intentId: null, card: null, captured: null, capturable: 0 } as const

const givenBack = { status: 'succeeded', refundId: null } as const

export const manualProcessor: PaymentProcessor = {
  name: 'manual',
  refundDays: null,
  vault: null,
  refusalOf: () => null,
  charge: () => Promise.resolve(taken),
  capture: () => Promise.resolve(taken),
  release: () => Promise.resolve(taken),
  find: () => Promise.resolve(taken),
  retrieve: () => Promise.resolve(taken),
  take: () => Promise.resolve(taken),
  cancel: () => Promise.resolve(taken),
  refund: () => Promise.resolve(givenBack),
  findRefund: () => Promise.resolve(givenBack),
  retrieveRefund: () => Promise.resolve(givenBack),
  activity: () => Promise.resolve({ status: 'known', refunds: [], disputes: [] }),
}
