import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  insufficientInventory,
  invalid,
  notFound,
  type UserError,
} from '../action/answer.ts'
import { invalidValue, maxQuantity, userError } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import {
  cancelTransfer,
  changeTransfer,
  draftTransfer,
  receiveTransfer,
  shipTransfer,
  type TransferOutcome,
  type TransferRefusal,
} from './arrivals.ts'
import { arrival } from './incoming-stock-actions.ts'
import { unknownStock } from './named-stock.ts'

/** Moves of stock between warehouses. */
export function transferActions(database: Database): Readonly<Record<string, Action>> {
  const checked = { lookUp: unknownStock.bind(null, database) }
  return {
    createTransfer: defineAction('createTransfer', {
      ...checked,
      async handle({ session: { merchantId } }, { input }) {
        return answer(merchantId, await draftTransfer(database, merchantId, input))
      },
    }),
    updateTransfer: defineAction('updateTransfer', {
      absent: 'kept',
      ...checked,
      async handle({ session }, { id: transferId, input }) {
        return answer(session.merchantId, await changeTransfer(database, arrival(session, transferId), input))
      },
    }),
    shipTransfer: defineAction('shipTransfer', {
      async handle({ session }, input) {
        return answer(session.merchantId, await shipTransfer(database, arrival(session, input.id)))
      },
    }),
    receiveTransfer: defineAction('receiveTransfer', {
      ...checked,
      async handle({ session }, input) {
        const outcome = await receiveTransfer(database, arrival(session, input.id), input.lines)
        return answer(session.merchantId, outcome)
      },
    }),
    cancelTransfer: defineAction('cancelTransfer', {
      async handle({ session }, input) {
        return answer(session.merchantId, await cancelTransfer(database, arrival(session, input.id)))
      },
    }),
  }
}

function answer(merchantId: MerchantId, outcome: TransferOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, transferId: outcome.transferId })
    case 'invalid':
      return invalid(...outcome.refusals.map(transferError))
    case 'unknown':
      return invalid(notFound('id', 'Transfer'))
    case 'refused':
      return invalid(invalidValue('id', `The transfer is ${outcome.status}`))
    case 'insufficient':
      return insufficientInventory(outcome.shortages, () => 'id')
    default:
      return outcome satisfies never
  }
}

function transferError(refusal: TransferRefusal): UserError {
  const { field, reason } = refusal
  switch (reason) {
    case 'unknown_warehouse':
      return notFound(field, 'Warehouse')
    case 'same_warehouse':
      return invalidValue(field, 'The goods are there already')
    case 'unknown_sku':
      return notFound(field, 'SKU')
    case 'not_in_transfer':
      return invalidValue(field, 'It is not in this transfer')
    case 'quantity_too_large':
      return userError(field, { kind: 'range', value: 'of the lines together', min: 1, max: maxQuantity })
    case 'too_many':
      return userError(field, { kind: 'range', value: 'given', min: 0, max: refusal.awaited })
    default:
      return reason satisfies never
  }
}
