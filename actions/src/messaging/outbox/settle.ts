import type { Queryable } from '../../database.ts'
import type { SendOutcome } from '../transports/index.ts'
import { deliveryTransitions } from './delivery-machine.ts'

/** An attempt that a worker has claimed. */
export interface Claim {
  readonly merchantId: string
  readonly id: string
  /** Counted from 1. */
  readonly attempt: number
}

export interface RetryPolicy {
  /** Attempts until a message is a dead letter. */
  readonly maxAttempts: number
  /** Seconds until the second attempt; each later one waits twice as long. */
  readonly retryDelay: number
}

/** Half a minute to eight minutes: what is still refused after a quarter of an hour needs an operator. */
export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 6, retryDelay: 30 }

/** A sender renews its claims for as long as it lives (`keepingClaims`), so a message whose claim runs out is in no hands. */
export const claimSeconds = 15

export type DeliveryTable = 'email.delivery' | 'notification.push_delivery'

/** An attempt to send: whose it is, where it is recorded, and when the next one comes. */
export interface Attempt {
  readonly table: DeliveryTable
  readonly claim: Claim
  readonly retryPolicy: RetryPolicy
}

/**
 * Records how an attempt ended, unless its claim has run out meanwhile.
 *
 * @param columns what else is known of the attempt
 */
export async function settle(
  sql: Queryable,
  { table, claim: { merchantId, id, attempt }, retryPolicy }: Attempt,
  result: SendOutcome,
  columns: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { from, to } = deliveryTransitions[eventOf(result, attempt, retryPolicy)]
  const delay = retryPolicy.retryDelay * 2 ** (attempt - 1)
  const row = {
    ...columns,
    status: to,
    claimed_until: null,
    reason: result.outcome === 'accepted' ? null : result.reason.slice(0, maxReason),
    message_id: result.outcome === 'accepted' ? result.messageId : null,
  }
  await sql`
    UPDATE ${sql(table)} SET
      ${sql(row)},
      sent_at = CASE WHEN ${to} = 'SENT' THEN now() END,
      next_attempt_at = now() + make_interval(secs => ${delay})
    WHERE merchant_id = ${merchantId} AND id = ${id} AND status = ANY (${from as string[]}) AND attempts = ${attempt}`
}

const maxReason = 500

function eventOf({ outcome }: SendOutcome, attempt: number, { maxAttempts }: RetryPolicy) {
  switch (outcome) {
    case 'accepted':
      return 'accept'
    case 'discarded':
      return 'discard'
    case 'bounced':
      return 'bounce'
    case 'refused':
      return 'give_up'
    case 'unavailable':
      return attempt < maxAttempts ? 'defer' : 'give_up'
    default:
      return outcome satisfies never
  }
}
