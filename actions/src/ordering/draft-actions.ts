import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import type { SaveDraftAnswer } from '../sql/generated/ordering.ts'
import { completeDraft, type DraftStays, saveDraft } from './drafts.ts'
import { placedAnswer } from './order-answer.ts'
import { orderError } from './order-refusal.ts'

/** Orders that staff puts together before they are placed. */
export const draftActions = (database: Database): Readonly<Record<string, Action>> => ({
  createDraftOrder: defineAction('createDraftOrder', {
    async handle({ session }, { input }) {
      return savedAnswer(session.merchantId, await saveDraft(database, session, null, input))
    },
  }),
  updateDraftOrder: defineAction('updateDraftOrder', {
    async handle({ session }, { id, input }) {
      return savedAnswer(session.merchantId, await saveDraft(database, session, id, input))
    },
  }),
  completeDraftOrder: defineAction('completeDraftOrder', {
    async handle({ session }, { id }) {
      const outcome = await completeDraft(database, session, id)
      return outcome.outcome === 'unknown_draft' || outcome.outcome === 'draft_refused'
        ? staysAnswer(outcome)
        : placedAnswer(session.merchantId, outcome)
    },
  }),
})

function savedAnswer(merchantId: MerchantId, outcome: SaveDraftAnswer): Answer {
  switch (outcome.outcome) {
    case 'saved':
      return done({ merchantId, draftOrderId: outcome.draftOrderId })
    case 'invalid':
      return invalid(...outcome.refusals.map((refusal) => orderError(refusal)))
    case 'unknown_draft':
    case 'draft_refused':
      return staysAnswer(outcome)
    default:
      return outcome satisfies never
  }
}

const staysAnswer = (outcome: DraftStays): Answer =>
  outcome.outcome === 'unknown_draft'
    ? invalid(notFound('id', 'Draft order'))
    : invalid(invalidValue('id', `The draft order is ${outcome.status}`))
