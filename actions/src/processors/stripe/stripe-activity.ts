import Stripe from 'stripe'
import type { Activity, Dispute, MadeRefund } from '../processor.ts'
import { fromStripe } from './stripe-money.ts'

/** The field of a refund's metadata that holds the key of our request for it. */
export const refundReference = 'request'

/** A page of Stripe's lists, at most. */
export const listedRefunds = 100

/** The refunds and disputes of a payment intent, those that were made in Stripe's dashboard too. */
export async function activityOf(stripe: Stripe, intentId: string): Promise<Activity> {
  try {
    const [refunds, disputes] = await Promise.all([
      stripe.refunds.list({ payment_intent: intentId, limit: listedRefunds }),
      listedDisputes(stripe, intentId),
    ])
    return {
      status: 'known',
      // Stripe lists the newest first.
      refunds: refunds.data.toReversed().map(madeRefund),
      disputes: disputes.map(disputeOf),
    }
  } catch (error) {
    return { status: 'unknown', cause: error }
  }
}

/** A restricted key without the permission for disputes sees none. */
async function listedDisputes(stripe: Stripe, intentId: string): Promise<readonly Stripe.Dispute[]> {
  try {
    return (await stripe.disputes.list({ payment_intent: intentId, limit: listedRefunds })).data
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return []
    throw error
  }
}

const madeRefund = ({
  id,
  amount,
  currency,
  status,
  failure_reason: reason,
  metadata,
}: Stripe.Refund): MadeRefund => ({
  refundId: id,
  amount: fromStripe(amount, currency),
  status:
    status === 'succeeded'
      ? 'SUCCEEDED'
      : status === 'failed' || status === 'canceled'
        ? 'FAILED'
        : 'PENDING',
  reason: reason ?? status,
  request: metadata?.[refundReference] ?? null,
})

const disputeOf = (dispute: Stripe.Dispute): Dispute => ({
  disputeId: dispute.id,
  amount: fromStripe(dispute.amount, dispute.currency),
  currency: dispute.currency.toUpperCase(),
  reason: dispute.reason,
  status: disputeStatus(dispute.status),
  evidenceDueAt: timeOf(dispute.evidence_details.due_by),
  createdAt: new Date(dispute.created * 1000).toISOString(),
})

const timeOf = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

/** A warning is an inquiry: nothing was taken yet. */
function disputeStatus(status: Stripe.Dispute.Status): Dispute['status'] {
  switch (status) {
    case 'needs_response':
    case 'warning_needs_response':
      return 'NEEDS_RESPONSE'
    case 'under_review':
    case 'warning_under_review':
      return 'UNDER_REVIEW'
    case 'won':
      return 'WON'
    case 'lost':
      return 'LOST'
    // `warning_closed`, `prevented`, and what Stripe adds.
    default:
      return 'CLOSED'
  }
}
