import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { principalOf, type Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import {
  type ArrivalReference,
  cancelIncomingStock,
  changeIncomingStock,
  expectStock,
  type IncomingStockOutcome,
  receiveIncomingStock,
} from './arrivals.ts'
import { unknownStock } from './named-stock.ts'
import { placeError } from './place-error.ts'

/** Bought stock on its way to a warehouse. */
export const incomingStockActions = (database: Database): Readonly<Record<string, Action>> => ({
  createIncomingStock: defineAction('createIncomingStock', {
    lookUp: (call) => unknownStock(database, call),
    async handle({ session: { merchantId } }, { input }) {
      return answer(merchantId, await expectStock(database, merchantId, input), input.quantity)
    },
  }),
  updateIncomingStock: defineAction('updateIncomingStock', {
    absent: 'kept',
    async handle({ session }, { id: incomingId, input }) {
      const outcome = await changeIncomingStock(database, arrival(session, incomingId), input)
      return answer(session.merchantId, outcome, input.quantity ?? 0)
    },
  }),
  receiveIncomingStock: defineAction('receiveIncomingStock', {
    async handle({ session }, input) {
      const outcome = await receiveIncomingStock(database, arrival(session, input.id), input.quantity)
      return answer(session.merchantId, outcome, input.quantity ?? 0)
    },
  }),
  cancelIncomingStock: defineAction('cancelIncomingStock', {
    async handle({ session }, input) {
      return answer(session.merchantId, await cancelIncomingStock(database, arrival(session, input.id)), 0)
    },
  }),
})

export const arrival = (session: Session, id: string): ArrivalReference => ({
  merchantId: session.merchantId,
  id,
  principal: principalOf(session),
})

function answer(merchantId: MerchantId, outcome: IncomingStockOutcome, asked: number): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, incomingStockId: outcome.incomingStockId })
    case 'invalid':
      return invalid(...outcome.refusals.map(placeError))
    case 'unknown':
      return invalid(notFound('id', 'Incoming stock'))
    case 'belongs_to_transfer':
      return invalid(invalidValue('id', `It belongs to transfer ${outcome.transferId}`))
    case 'refused':
      return invalid(invalidValue('id', `It is ${outcome.status} already`))
    case 'too_few':
      return invalid(
        userError('quantity', { kind: 'range', value: asked, min: outcome.received, max: 999_999 }),
      )
    case 'too_many':
      return invalid(userError('quantity', { kind: 'range', value: asked, min: 1, max: outcome.awaited }))
    default:
      return outcome satisfies never
  }
}
