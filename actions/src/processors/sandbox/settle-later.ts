import { settledLater, takenBack } from './payment-intent.ts'
import { ok, type StripeAnswer } from './stripe-error.ts'
import type { Ledger } from './store.ts'
import { disputedMethods, testMethodOf } from './test-payment-methods.ts'

/** Makes the banks' late decisions: direct debits, and refunds that are pending or fail in the end. */
export async function settleLater(ledger: Ledger): Promise<StripeAnswer> {
  const { intents, refunds } = await ledger.findUnsettled()
  for (const intent of intents) {
    const method = testMethodOf(intent.payment_method ?? '')
    if (method?.behaviour.kind !== 'later') continue
    const settled = settledLater(intent, method)
    await ledger.saveIntent(settled)
    if (settled.latest_charge !== null && disputedMethods.has(intent.payment_method ?? ''))
      await ledger.saveDispute(takenBack(settled, settled.latest_charge))
  }
  for (const { refund, method } of refunds)
    await ledger.saveRefund(
      method === 'pm_card_refundFail'
        ? { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' }
        : { ...refund, status: 'succeeded' },
    )
  return ok({ settled: intents.length + refunds.length })
}
