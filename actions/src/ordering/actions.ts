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
import { addNote, checkOutCart, modifyOrder, placeOrder, processOrder } from './orders.ts'
import { refundActions } from './refund-actions.ts'
import { returnActions } from './return-actions.ts'
import { shipmentActions } from './shipment-actions.ts'

export interface OrderingOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly payments: OrderPayments
}

/** The domain's actions, by the name of the mutation. */
export const orderingActions = ({
  database,
  keys,
  payments,
}: OrderingOptions): Readonly<Record<string, Action>> => ({
  createOrder: createOrder(keys),
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

const createOrder = (keys: IdempotencyKeys): Action =>
  defineAction('createOrder', {
    keeping: 'in one statement',
    async handle(call, { input: { customerId, items, externalId, metadata, privateMetadata, ...terms } }) {
      const { session } = call
      const owner = ownerOf(session)
      if (owner !== null && owner !== customerId) return forbidden('A shopper orders for no one else')
      const kept = { externalId, metadata, privateMetadata }
      const faults = [
        ...merchantsFieldErrors(session, kept),
        ...items.flatMap((item, index) => merchantsFieldErrors(session, item, `items.${index}.`)),
      ]
      if (faults.length > 0) return invalid(...faults)
      const outcome = await keys.inOneStatement(call, ['placed'], (caller) =>
        placeOrder(caller, session, customerId, items, { ...terms, kept }),
      )
      return placedAnswer(session.merchantId, outcome)
    },
  })

/** Lives under /cart, where metadata has it, but what it makes is an order. */
export const checkoutCart = (keys: IdempotencyKeys): Action =>
  defineAction('checkoutCart', {
    keeping: 'in one statement',
    async handle(call, { id, input: { customerId, ...terms } }) {
      const { session } = call
      const owner = ownerOf(session)
      if (owner !== null && customerId !== null && owner !== customerId) {
        return forbidden('A shopper orders for no one else')
      }
      const outcome = await keys.inOneStatement(call, ['placed'], (caller) =>
        checkOutCart(caller, session, { id, customerId }, terms),
      )
      return placedAnswer(session.merchantId, outcome)
    },
  })
