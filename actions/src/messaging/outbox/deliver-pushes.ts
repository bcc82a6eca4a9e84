import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { type Observer, parentFrom, tracer } from '@commerce-graph/telemetry'
import { allEnded } from '../../all-ended.ts'
import type { Database } from '../../database.ts'
import { inBatches } from '../../in-batches.ts'
import { recordOutcome } from '../../record-outcome.ts'
import * as notification from '../../sql/generated/notification.ts'
import type { PushTransport } from '../transports/index.ts'
import { keepingClaims } from './keep-claims.ts'
import { claimSeconds, type RetryPolicy, settle } from './settle.ts'

export interface PushSending {
  readonly pusher: PushTransport
  readonly retryPolicy: RetryPolicy
  readonly observe?: Observer['delivery'] | undefined
}

const table = 'notification.push_delivery'
/** Pushes that are claimed at once, and sent at once. */
const batch = 20
/** Pushes of one run; the next run goes on. */
const maxPerRun = 1_000

/** Sends the pushes that are due, as `deliverEmails` does with e-mail. */
export async function deliverPushes(
  database: Database,
  { pusher, retryPolicy, observe }: PushSending,
): Promise<number> {
  const sendBatch = async () => {
    const claimed = await notification.claimPushes(database, {
      limit: batch,
      lease: claimSeconds,
      maxAttempts: retryPolicy.maxAttempts,
    })
    await keepingClaims(database, table, claimed, () =>
      allEnded(
        claimed.map(async ({ attempt, traceContext, ...push }) => {
          const options = { kind: 'producer', parent: parentFrom(traceContext) } as const
          const result = await tracer.span(`push ${push.kind}`, options, () => pusher.send(push))
          observe?.('push', result.outcome)
          const claim = { merchantId: push.merchantId, id: push.id, attempt }
          await recordOutcome(() =>
            settle(forMerchant(database, push.merchantId), { table, claim, retryPolicy }, result, {
              transport: pusher.name,
            }),
          )
        }),
      ),
    )
    return claimed.length
  }
  return inBatches(batch, sendBatch, maxPerRun)
}
