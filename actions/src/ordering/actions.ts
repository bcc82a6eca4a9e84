import { type Action, defineAction } from '../action/action.ts'
import { forbidden } from '../action/answer.ts'
import { once } from '../action/idempotency.ts'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import { draftActions } from './draft-actions.ts'
import { cancelAndRefund, type OrderPayments } from './cancellation.ts'
import { advancedAnswer, modifiedAnswer, placedAnswer } from './order-answer.ts'
import {
  addOrderNoteInput,
  cancelOrderInput,
  checkoutCartInput,
  createOrderInput,
  modifyOrderInput,
  orderIdInput,
} from './order-input.ts'
import { addNote, checkOutCart, modifyOrder, placeOrder, processOrder } from './orders.ts'
import { refundActions } from './refund-actions.ts'
import { returnActions } from './return-actions.ts'
import { shipmentActions } from './shipment-actions.ts'

export interface OrderingOptions {
  readonly database: Database
  readonly payments: OrderPayments
}

const everybody = ['customer', 'merchant'] as const
const staff = ['merchant'] as const
const permission = 'orders:write'

/** What the domain serves, by name as in metadata/actions.yaml. */
export function orderingActions(options: OrderingOptions): Readonly<Record<string, Action>> {
  const { database, payments } = options
  return {
    createOrder: createOrder(options),
    modifyOrder: defineAction({
      roles: staff,
      permission,
      input: modifyOrderInput,
      async handle(call, { id, modifications }) {
        const { merchantId } = call.session
        const outcome = await once(
          database,
          call,
          (sql) => modifyOrder(sql, call.session, id, modifications),
          ({ outcome }) => outcome === 'modified',
        )
        return modifiedAnswer(merchantId, id, outcome)
      },
    }),
    cancelOrder: defineAction({
      roles: everybody,
      permission,
      input: cancelOrderInput,
      handle: (call, order) => cancelAndRefund(database, payments, call, order),
    }),
    processOrder: defineAction({
      roles: staff,
      permission,
      input: orderIdInput,
      async handle({ session }, { id }) {
        return advancedAnswer(session.merchantId, id, await processOrder(database, session, id))
      },
    }),
    addOrderNote: defineAction({
      roles: staff,
      permission,
      input: addOrderNoteInput,
      async handle({ session }, { id, input }) {
        return advancedAnswer(session.merchantId, id, await addNote(database, session, id, input))
      },
    }),
    ...draftActions(database),
    ...shipmentActions(database),
    ...refundActions(database, payments),
    ...returnActions(database, payments),
  }
}

const createOrder = ({ database }: OrderingOptions): Action =>
  defineAction({
    roles: everybody,
    permission,
    input: createOrderInput,
    async handle(call, { input: { customerId, items, ...terms } }) {
      const { merchantId } = call.session
      const owner = ownerOf(call.session)
      if (owner !== null && owner !== customerId) return forbidden('A shopper orders for no one else')
      const outcome = await once(
        database,
        call,
        (sql) => placeOrder(sql, call.session, customerId, items, terms),
        ({ outcome }) => outcome === 'placed',
      )
      return placedAnswer(merchantId, outcome)
    },
  })

/** Lives under /cart, where metadata has it, but what it makes is an order. */
export const checkoutCart = ({ database }: OrderingOptions): Action =>
  defineAction({
    roles: everybody,
    permission: 'carts:write',
    input: checkoutCartInput,
    async handle(call, { id, input: { customerId, ...terms } }) {
      const { merchantId } = call.session
      const owner = ownerOf(call.session)
      if (owner !== null && customerId !== null && owner !== customerId) {
        return forbidden('A shopper orders for no one else')
      }
      const outcome = await once(
        database,
        call,
        (sql) => checkOutCart(sql, call.session, { id, customerId }, terms),
        ({ outcome }) => outcome === 'placed',
      )
      return placedAnswer(merchantId, outcome)
    },
  })
