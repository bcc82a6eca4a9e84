import type { Database } from '../database.ts'
import { orderTransitions } from '../ordering/index.ts'
import * as paymentSql from '../sql/generated/payment.ts'
import type { Cashier, FindProcessor } from './cashier.ts'
import { paymentTransitions } from './payment-machine.ts'
import type { Payment } from './payments.ts'

export interface FollowOptions {
  readonly database: Database
  readonly cashier: Cashier
  readonly processorOf: FindProcessor
}

/**
 * Brings a payment to what its processor says of it now: whether it was taken, its refunds and its disputes. It can be done at any
 * time, and any number of times. Returns whether the processor answered.
 */
export async function followProcessor(
  { database, cashier, processorOf }: FollowOptions,
  payment: Payment,
): Promise<boolean> {
  const { payment: settled, answered } = await cashier.collect(payment, 'maybe')
  if (!answered) return false
  if (settled.intentId === null || !isTaken(settled)) return true
  const activity = await (await processorOf(settled)).activity(settled.intentId)
  if (activity.status === 'unknown') return false
  await paymentSql.followProcessor(database, {
    merchantId: settled.merchantId,
    paymentId: settled.id,
    refunds: activity.refunds.map((refund) => ({ ...refund })),
    disputes: activity.disputes.map((dispute) => ({
      dispute_id: dispute.disputeId,
      amount: dispute.amount,
      currency: dispute.currency,
      reason: dispute.reason,
      status: dispute.status,
      evidence_due_at: dispute.evidenceDueAt,
      created_at: dispute.createdAt,
    })),
    part: paymentTransitions.refundPart,
    full: paymentTransitions.refund,
    moves: orderTransitions,
  })
  return true
}

const isTaken = ({ status }: Payment): boolean =>
  status === 'SUCCEEDED' || status === 'PARTIALLY_REFUNDED' || status === 'REFUNDED'
