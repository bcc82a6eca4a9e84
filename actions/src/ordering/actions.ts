import { type Action, defineAction } from '../action/action.ts'
import { forbidden, invalid } from '../action/answer.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import { merchantsFieldErrors } from '../metadata/index.ts'
import { draftActions } from './draft-actions.ts'
import { cancelAndRefund, type OrderPayments } from './cancellation.ts'
import { advancedAnswer, modifiedAnswer, placedAnswer } from './order-answer.ts'
import { repeatedLines } from './named-twice.ts'
import type { OrderPlacements } from './order-placements.ts'
import { addNote, modifyOrder, processOrder } from './orders.ts'
import { refundActions } from './refund-actions.ts'
import { returnActions } from './return-actions.ts'
import { shipmentActions } from './shipment-actions.ts'

export interface OrderingOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly placements: OrderPlacements
  readonly payments: OrderPayments
}

/** The domain's actions, by the name of the mutation. */
export const orderingActions = ({
  database,
  keys,
  placements,
  payments,
}: OrderingOptions): Readonly<Record<string, Action>> => ({
  createOrder: createOrder(placements),
  modifyOrder: defineAction('modifyOrder', {
    check: ({ modifications }) => repeatedLines(modifications),
    async handle({ session }, { id, modifications }) {
      const { addItems, updateItems, removeItemIds, ...others } = modifications
      const lines = {
        addItems: addItems ?? [],
        updateItems: updateItems ?? [],
        removeItemIds: removeItemIds ?? [],
      }
      const outcome = await modifyOrder(database, session, id, { ...others, ...lines })
      return modifiedAnswer(session.merchantId, id, outcome)
    },
  }),
  cancelOrder: defineAction('cancelOrder', {
    keeping: 'in steps',
    handle: (call, order) => cancelAndRefund(keys, payments, call, order),
  }),
  processOrder: defineAction('processOrder', {
    async handle({ session }, { id }) {
      return advancedAnswer(session.merchantId, id, await processOrder(database, session, id))
    },
  }),
  addOrderNote: defineAction('addOrderNote', {
    async handle({ session }, { id, input }) {
      const note = { text: input.text, visibleToCustomer: input.visibleToCustomer ?? false }
      return advancedAnswer(session.merchantId, id, await addNote(database, session, id, note))
    },
  }),
  ...draftActions(database),
  ...shipmentActions(database),
  ...refundActions(keys, payments),
  ...returnActions(database, keys, payments),
})

const createOrder = (placements: OrderPlacements): Action =>
  defineAction('createOrder', {
    keeping: 'in one statement',
    async handle(call, { input: { items, externalId, metadata, privateMetadata, ...order } }) {
      const { session } = call
      const owner = ownerOf(session)
      if (owner !== null && owner !== order.customerId) return forbidden('A shopper orders for no one else')
      const kept = { externalId, metadata, privateMetadata }
      const faults = [
        ...merchantsFieldErrors(session, kept),
        ...items.flatMap((item, index) => merchantsFieldErrors(session, item, `items.${index}.`)),
      ]
      if (faults.length > 0) return invalid(...faults)
      return placedAnswer(session.merchantId, await placements.place(call, { ...order, lines: items, kept }))
    },
  })

/** Lives under /cart, where metadata has it, but what it makes is an order. */
export const checkoutCart = (placements: OrderPlacements): Action =>
  defineAction('checkoutCart', {
    keeping: 'in one statement',
    async handle(call, { id, input }) {
      const { session } = call
      const owner = ownerOf(session)
      if (owner !== null && input.customerId !== null && owner !== input.customerId) {
        return forbidden('A shopper orders for no one else')
      }
      return placedAnswer(session.merchantId, await placements.checkOut(call, { ...input, cartId: id }))
    },
  })
