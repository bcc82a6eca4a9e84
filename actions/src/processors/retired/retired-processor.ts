import type { PaymentProcessor } from '../processor.ts'

/**
 * A processor that is no longer there, and never moved money: the sandbox, once a deployment is live. What its payments have open ends, and
 * nothing of them is captured or given back.
 */
export function createRetiredProcessor(name: string): PaymentProcessor {
  const message = `The payment was made with the processor ${name}, which moved no money and is not there any more`
  const failed = { status: 'failed', refundId: null, reason: message } as const
  const declined = {
    status: 'declined',
    intentId: null,
    card: null,
    decline: { code: 'processor_unavailable', message, declineCode: null },
  } as const
  return {
    name,
    refundDays: null,
    vault: null,
    refusalOf: () => null,
    charge: () => Promise.resolve(declined),
    capture: () => Promise.resolve(declined),
    retrieve: () => Promise.resolve(declined),
    take: () => Promise.resolve(declined),
    find: () => Promise.resolve(null),
    release: () => Promise.resolve(declined),
    cancel: (intentId) => Promise.resolve({ status: 'cancelled', intentId }),
    refund: () => Promise.resolve(failed),
    findRefund: () => Promise.resolve(null),
    retrieveRefund: () => Promise.resolve(failed),
    activity: () => Promise.resolve({ status: 'known', refunds: [], disputes: [] }),
  }
}
