import type { PaymentProcessor } from '@commerce-graph/actions'

/** The token of a card that is declined. */
export const declinedCard = 'pm_card_chargeDeclined'

/** A processor that answers at once, by the token alone, and refunds what it took. It calls itself the sandbox, so that a running platform can settle what is left. */
export function createSimulatedProcessor(name: string): PaymentProcessor {
  const succeeded = (intentId: string) =>
    Promise.resolve({ status: 'succeeded' as const, intentId, card: visa, captured: null })
  return {
    name,
    refundDays: 10,
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
    find: () => Promise.resolve(null),
    retrieve: succeeded,
    cancel: succeeded,
    refund: ({ idempotencyKey }) =>
      Promise.resolve({ status: 'succeeded', refundId: `re_demo_${idempotencyKey}` }),
    findRefund: () => Promise.resolve(null),
    retrieveRefund: (refundId) => Promise.resolve({ status: 'succeeded', refundId }),
  }
}

const visa = { brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2034 }
