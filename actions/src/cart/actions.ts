import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  forbidden,
  insufficientInventory,
  invalid,
  notFound,
  type UserError,
} from '../action/answer.ts'
import { userError } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { ownerOf, type Session } from '../action/session.ts'
import { lineError } from '../catalog/index.ts'
import type { Database } from '../database.ts'
import { couponError, isCouponRefusal } from '../promotion/index.ts'
import {
  addLine,
  applyCoupon,
  type CartOutcome,
  type CartReference,
  type CartRefusal,
  createCart,
  removeCoupon,
  setLineQuantity,
  setShippingAddress,
  setShippingMethod,
} from './carts.ts'

/** What the domain serves, by the name of the mutation. Checking out is the ordering domain's. */
export const cartActions = (database: Database): Readonly<Record<string, Action>> => ({
  createCart: create(database),
  addCartItem: defineAction('addCartItem', {
    async handle({ session }, { cartId, item }) {
      const outcome = await addLine(database, reference(session, cartId), item)
      // The one line that was sent stands in SQL's list of lines.
      return answer(session.merchantId, outcome, (field) => field.replace(/^items(\.0)?/, 'item'))
    },
  }),
  updateCartItem: defineAction('updateCartItem', {
    async handle({ session }, { cartId, itemId, quantity: wanted }) {
      const outcome = await setLineQuantity(database, reference(session, cartId), itemId, wanted)
      return answer(session.merchantId, outcome, (field) => field.replace(/^items\.0\./, ''))
    },
  }),
  removeCartItem: defineAction('removeCartItem', {
    async handle({ session }, { cartId, itemId }) {
      const outcome = await setLineQuantity(database, reference(session, cartId), itemId, 0)
      return answer(session.merchantId, outcome, (field) => field)
    },
  }),
  applyCoupon: defineAction('applyCoupon', {
    async handle({ session }, { cartId, code }) {
      const outcome = await applyCoupon(database, reference(session, cartId), code)
      return answer(session.merchantId, outcome, (field) => field)
    },
  }),
  setCartShippingAddress: defineAction('setCartShippingAddress', {
    async handle({ session }, input) {
      const outcome = await setShippingAddress(database, reference(session, input.cartId), input.address)
      return answer(session.merchantId, outcome, (field) => field)
    },
  }),
  setCartShippingMethod: defineAction('setCartShippingMethod', {
    async handle({ session }, { cartId, shippingMethodId }) {
      const outcome = await setShippingMethod(database, reference(session, cartId), shippingMethodId)
      return answer(session.merchantId, outcome, (field) => field)
    },
  }),
  removeCoupon: defineAction('removeCoupon', {
    async handle({ session }, { cartId }) {
      const outcome = await removeCoupon(database, reference(session, cartId))
      return answer(session.merchantId, outcome, (field) => field)
    },
  }),
})

const create = (database: Database): Action =>
  defineAction('createCart', {
    async handle({ session }, { input }) {
      const owner = ownerOf(session)
      if (owner !== null && input.customerId !== null && input.customerId !== owner) {
        return forbidden('A shopper fills no one else’s cart')
      }
      const outcome = await createCart(database, session.merchantId, {
        ...input,
        items: input.items ?? [],
        customerId: owner ?? input.customerId,
      })
      return answer(session.merchantId, outcome, (field) => field)
    },
  })

const reference = (session: Session, cartId: string): CartReference => ({
  merchantId: session.merchantId,
  cartId,
  owner: ownerOf(session),
})

/** @param place where the caller put what SQL found at a field */
function answer(merchantId: MerchantId, outcome: CartOutcome, place: (field: string) => string): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, cartId: outcome.cartId })
    case 'unknown_cart':
      return invalid(notFound('cartId', 'Cart'))
    case 'unknown_item':
      return invalid(notFound('itemId', 'Cart line'))
    case 'checked_out':
      return invalid(userError('cartId', { kind: 'value', message: 'The cart has become an order already' }))
    case 'expired':
      return invalid(userError('cartId', { kind: 'value', message: 'The cart has expired' }))
    case 'invalid':
      return invalid(
        ...outcome.refusals.map((refusal) => cartError({ ...refusal, field: place(refusal.field) })),
      )
    case 'insufficient':
      return insufficientInventory(outcome.shortages, ({ position = 0 }) =>
        place(`items.${position}.quantity`),
      )
    default:
      return outcome satisfies never
  }
}

function cartError(refusal: CartRefusal): UserError {
  if (isCouponRefusal(refusal)) return couponError(refusal)
  switch (refusal.reason) {
    case 'unknown_customer':
      return notFound(refusal.field, 'Customer')
    case 'currency_required':
      return userError(refusal.field, { kind: 'required' })
    case 'address_required':
      return userError(refusal.field, { kind: 'value', message: 'Say first where the cart goes' })
    case 'unknown_shipping_method':
      return notFound(refusal.field, 'Shipping method')
    case 'shipping_method_not_for_country':
      return userError(refusal.field, {
        kind: 'value',
        message: 'The shipping method does not ship to this country',
      })
    case 'shipping_method_currency':
      return userError(refusal.field, {
        kind: 'value',
        message: `The shipping method is priced in ${refusal.currency ?? 'another currency'}`,
      })
    default:
      return lineError(refusal)
  }
}
