import { z } from 'zod'
import type { Activity, Dispute } from '../processor.ts'
import type { Paypal } from './connect-paypal.ts'
import { fromPaypal } from './paypal-money.ts'
import { capturesOf, madeRefundsOf, type PaypalOrder } from './paypal-order.ts'

const listed = z.object({
  items: z.array(z.object({ dispute_id: z.string() })).default([]),
})

const detailed = z.object({
  dispute_id: z.string(),
  create_time: z.string(),
  reason: z.string().default('OTHER'),
  status: z.string(),
  dispute_amount: z.object({ currency_code: z.string(), value: z.string() }),
  dispute_outcome: z.object({ outcome_code: z.string().optional() }).optional(),
  seller_response_due_date: z.string().optional(),
})

/** The refunds and disputes of an order, those that were made in PayPal's dashboard too. */
export async function activityOf(paypal: Paypal, order: PaypalOrder): Promise<Activity> {
  const disputes: Dispute[] = []
  for (const { id } of capturesOf(order)) {
    const found = await disputesOf(paypal, id)
    if (found.kind !== 'found') return { status: 'unknown', cause: found.cause }
    disputes.push(...found.disputes)
  }
  return { status: 'known', refunds: madeRefundsOf(order), disputes }
}

type Found =
  | { readonly kind: 'found'; readonly disputes: readonly Dispute[] }
  | { readonly kind: 'unanswered'; readonly cause: unknown }

/** An app without the permission for disputes sees none. */
async function disputesOf(paypal: Paypal, captureId: string): Promise<Found> {
  const list = await paypal.send({
    method: 'GET',
    path: `/v1/customer/disputes?disputed_transaction_id=${encodeURIComponent(captureId)}`,
  })
  if (list.kind === 'unanswered') return { kind: 'unanswered', cause: list.cause }
  if (list.kind === 'refused' || list.kind === 'unauthorized') return { kind: 'found', disputes: [] }
  const disputes: Dispute[] = []
  for (const { dispute_id: id } of listed.safeParse(list.body).data?.items ?? []) {
    const answer = await paypal.send({
      method: 'GET',
      path: `/v1/customer/disputes/${encodeURIComponent(id)}`,
    })
    const read = answer.kind === 'ok' ? detailed.safeParse(answer.body) : null
    if (read?.success !== true)
      return { kind: 'unanswered', cause: new Error(`PayPal does not tell of dispute ${id}`) }
    disputes.push(disputeOf(read.data))
  }
  return { kind: 'found', disputes }
}

const disputeOf = (dispute: z.infer<typeof detailed>): Dispute => ({
  disputeId: dispute.dispute_id,
  amount: fromPaypal(dispute.dispute_amount),
  currency: dispute.dispute_amount.currency_code,
  reason: dispute.reason.toLowerCase(),
  status: statusOf(dispute),
  evidenceDueAt: dispute.seller_response_due_date ?? null,
  createdAt: dispute.create_time,
})

function statusOf({ status, dispute_outcome: outcome }: z.infer<typeof detailed>): Dispute['status'] {
  switch (status) {
    case 'OPEN':
    case 'WAITING_FOR_SELLER_RESPONSE':
      return 'NEEDS_RESPONSE'
    case 'WAITING_FOR_BUYER_RESPONSE':
    case 'UNDER_REVIEW':
      return 'UNDER_REVIEW'
    default:
      return outcomes[outcome?.outcome_code ?? ''] ?? 'CLOSED'
  }
}

const outcomes: Readonly<Record<string, Dispute['status']>> = {
  RESOLVED_BUYER_FAVOUR: 'LOST',
  ACCEPTED: 'LOST',
  RESOLVED_SELLER_FAVOUR: 'WON',
  RESOLVED_WITH_PAYOUT: 'WON',
  CANCELED_BY_BUYER: 'WON',
  DENIED: 'WON',
}
