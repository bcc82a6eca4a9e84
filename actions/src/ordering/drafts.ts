import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { orderTransitions } from './order-machine.ts'
import type { Address, OrderLine } from './orders.ts'
import * as ordering from '../sql/generated/ordering.ts'

/** Null: as it is, or none yet. */
export interface DraftContent {
  readonly customerId: string | null
  readonly items: readonly OrderLine[] | null
  readonly shippingAddress: Address | null
  readonly shippingMethodId: string | null
  readonly couponCode: string | null
  readonly notes: string | null
  readonly tags: readonly string[] | null
  readonly expiresAt: string | null
}

export type DraftStays = Extract<
  ordering.SaveDraftAnswer | ordering.CompleteDraftAnswer,
  { readonly outcome: 'unknown_draft' | 'draft_refused' }
>

/** @param draftId null for a new one */
export const saveDraft = async (
  sql: Queryable,
  session: Session,
  draftId: string | null,
  content: DraftContent,
): Promise<ordering.SaveDraftAnswer> =>
  ordering.saveDraft(actingAs(sql, session), {
    merchantId: session.merchantId,
    draftId,
    input: content,
  })

/** Turns a draft into an order, once. */
export const completeDraft = async (
  sql: Queryable,
  session: Session,
  draftId: string,
): Promise<ordering.CompleteDraftAnswer> =>
  ordering.completeDraft(actingAs(sql, session), {
    merchantId: session.merchantId,
    draftId,
    pay: orderTransitions.pay,
  })

const purgeBatch = 500

/** Deletes drafts that expired a month ago. Returns how many. */
export const purgeExpiredDrafts = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT d.merchant_id AS "merchantId" FROM ordering.draft_order d
      WHERE d.order_id IS NULL AND d.expires_at <= now() - interval '30 days' LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(purgeBatch, () => ordering.purgeExpiredDrafts(own, { merchantId, limit: purgeBatch })),
  )
