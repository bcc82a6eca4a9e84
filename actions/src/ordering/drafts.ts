import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import { type Database, jsonOf, onlyOutcome, type Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { orderTransitions } from './order-machine.ts'
import type { OrderRefusal } from './order-refusal.ts'
import type { Address, OrderLine, PlaceOutcome } from './orders.ts'

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

export type DraftStays =
  | { readonly outcome: 'unknown_draft' }
  | { readonly outcome: 'draft_refused'; readonly status: 'COMPLETED' | 'EXPIRED' }

export type SaveDraftOutcome =
  | DraftStays
  | { readonly outcome: 'saved'; readonly draftOrderId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly OrderRefusal[] }

/** @param draftId null for a new one */
export async function saveDraft(
  sql: Queryable,
  session: Session,
  draftId: string | null,
  content: DraftContent,
): Promise<SaveDraftOutcome> {
  return onlyOutcome(
    await sql<{ outcome: SaveDraftOutcome }[]>`
      SELECT ordering.save_draft(${session.merchantId}, ${draftId}, ${jsonOf(sql, content)}) AS outcome
      FROM ${actingAs(sql, session)}`,
  )
}

export type CompleteDraftOutcome = DraftStays | PlaceOutcome

/** Turns a draft into an order, once. */
export async function completeDraft(
  sql: Queryable,
  session: Session,
  draftId: string,
): Promise<CompleteDraftOutcome> {
  return onlyOutcome(
    await sql<{ outcome: CompleteDraftOutcome }[]>`
      SELECT ordering.complete_draft(${session.merchantId}, ${draftId}, ${jsonOf(sql, orderTransitions.pay)}) AS outcome
      FROM ${actingAs(sql, session)}`,
  )
}

const PURGE_BATCH = 500

/** Deletes drafts that expired a month ago. Returns how many. */
export async function purgeExpiredDrafts(database: Database): Promise<number> {
  return inBatches(PURGE_BATCH, async () =>
    onlyOutcome(
      await database<{ outcome: number }[]>`SELECT ordering.purge_expired_drafts(${PURGE_BATCH}) AS outcome`,
    ),
  )
}
