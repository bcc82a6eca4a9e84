import type { PaymentProcessor } from '../processor.ts'

/**
 * Money that changes hands outside of this platform, in cash or by bank transfer: a merchant records that it came in
 * or went back, and nobody has to be asked.
 */
export const manualProcessor: PaymentProcessor = {
  name: 'manual',
  refundDays: null,
  charge: () => Promise.resolve({ status: 'succeeded', intentId: null, card: null }),
  retrieve: () => Promise.resolve({ status: 'succeeded', intentId: null, card: null }),
  cancel: () => Promise.resolve({ status: 'succeeded', intentId: null, card: null }),
  refund: () => Promise.resolve({ status: 'succeeded', refundId: null }),
  retrieveRefund: () => Promise.resolve({ status: 'succeeded', refundId: null }),
}
