import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { CLAIM_SECONDS, keepingClaims, recorded, type RetryPolicy, settle } from '../delivery/index.ts'
import type { Push, PushTransport } from '../push/index.ts'

export interface PushSending {
  readonly pusher: PushTransport
  readonly retryPolicy: RetryPolicy
}

const TABLE = 'notification.push_delivery'
/** Pushes that are claimed at once, and sent at once. */
const BATCH = 20
/** Pushes of one run; the next run goes on. */
const MAX_PER_RUN = 1_000

interface ClaimedPush extends Omit<Push, 'merchantId'> {
  readonly merchant_id: string
  readonly attempt: number
}

/** Sends the pushes that are due, as `deliverEmails` does with e-mail. */
export async function deliverPushes(
  database: Database,
  { pusher, retryPolicy }: PushSending,
): Promise<number> {
  const sendBatch = async () => {
    const claimed = await database<ClaimedPush[]>`
      SELECT * FROM notification.claim_pushes(${BATCH}, make_interval(secs => ${CLAIM_SECONDS}), ${retryPolicy.maxAttempts})`
    const claims = claimed.map(({ merchant_id: merchantId, id, attempt }) => ({ merchantId, id, attempt }))
    await keepingClaims(database, TABLE, claims, () =>
      Promise.all(
        claimed.map(async ({ merchant_id: merchantId, attempt, ...push }) => {
          const result = await pusher.send({ ...push, merchantId })
          const claim = { merchantId, id: push.id, attempt }
          await recorded(() =>
            settle(database, TABLE, claim, result, { transport: pusher.name }, retryPolicy),
          )
        }),
      ),
    )
    return claimed.length
  }
  return inBatches(BATCH, sendBatch, MAX_PER_RUN)
}
