import type { PaymentProcessor } from '@commerce-graph/actions'

/** The token of a card that is declined. */
export const declinedCard = 'pm_card_chargeDeclined'

/**
 * A processor that answers at once, determined by the token, and refunds what it has charged. Its name is the
 * sandbox's, so that a running platform can settle open payments.
 */
export function createSimulatedProcessor(name: string): PaymentProcessor {
  const succeeded = (intentId: string) =>
    Promise.resolve({ status: 'succeeded' as const, intentId, card: visa, captured: null, capturable: 0 })
  return {
    name,
    refundDays: 10,
    vault: null,
    refusalOf: () => null,
    charge({ idempotencyKey, paymentMethodId }) {
      const intentId = `pi_demo_${idempotencyKey}`
      if (paymentMethodId !== declinedCard) return succeeded(intentId)
      return Promise.resolve({
        status: 'declined',
        intentId,
        card: visa,
        decline: {
          code: 'card_declined',
          message: 'Your card was declined.',
          declineCode: 'generic_decline',
        },
      })
    },
    capture: ({ intentId }) => succeeded(intentId),
    release: succeeded,
    find: () => Promise.resolve(null),
    retrieve: succeeded,
    take: succeeded,
    cancel: succeeded,
    refund: ({ idempotencyKey }) =>
      Promise.resolve({ status: 'succeeded', refundId: `re_demo_${idempotencyKey}` }),
    findRefund: () => Promise.resolve(null),
    retrieveRefund: (refundId) => Promise.resolve({ status: 'succeeded', refundId }),
    activity: () => Promise.resolve({ status: 'known', refunds: [], disputes: [] }),
  }
}

const visa = { brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2034 }
