import { type Action, type ActionCall, defineAction } from '../action/action.ts'
import { type Answer, forbidden } from '../action/answer.ts'
import { once } from '../action/idempotency.ts'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import { cancelAndRefund, type OrderPayments } from './cancellation.ts'
import { advancedAnswer, modifiedAnswer, placedAnswer } from './order-answer.ts'
import {
  cancelOrderInput,
  checkoutCartInput,
  createOrderInput,
  fulfillOrderInput,
  modifyOrderInput,
  orderIdInput,
} from './order-input.ts'
import { type Advance, advanceOrder, checkOutCart, modifyOrder, placeOrder } from './orders.ts'

export interface OrderingOptions {
  readonly database: Database
  readonly payments: OrderPayments
  /** Seconds in which an order is to be paid before it is cancelled and its stock sold to others. */
  readonly paymentWindow: number
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
          (sql) => modifyOrder(sql, merchantId, id, modifications),
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
      handle: (call, { id }) => advance(database, call, id, { event: 'process' }),
    }),
    fulfillOrder: defineAction({
      roles: staff,
      permission,
      input: fulfillOrderInput,
      handle: (call, { id, input }) => advance(database, call, id, { event: 'ship', shipment: input }),
    }),
    markOrderDelivered: defineAction({
      roles: staff,
      permission,
      input: orderIdInput,
      handle: (call, { id }) => advance(database, call, id, { event: 'deliver' }),
    }),
  }
}

const createOrder = ({ database, paymentWindow }: OrderingOptions): Action =>
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
        (sql) => placeOrder(sql, merchantId, customerId, items, { ...terms, paymentWindow }),
        ({ outcome }) => outcome === 'placed',
      )
      return placedAnswer(merchantId, outcome)
    },
  })

/** Lives under /cart, where metadata has it, but what it makes is an order. */
export const checkoutCart = ({ database, paymentWindow }: OrderingOptions): Action =>
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
        (sql) => checkOutCart(sql, merchantId, { id, owner, customerId }, { ...terms, paymentWindow }),
        ({ outcome }) => outcome === 'placed',
      )
      return placedAnswer(merchantId, outcome)
    },
  })

async function advance(
  database: Database,
  call: ActionCall,
  orderId: string,
  event: Advance,
): Promise<Answer> {
  const { merchantId } = call.session
  return advancedAnswer(merchantId, orderId, await advanceOrder(database, merchantId, orderId, event))
}
