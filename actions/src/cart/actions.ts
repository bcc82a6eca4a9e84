import { newCartSecret } from '@commerce-graph/auth-webhook'
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
import { invalidValue, userError } from '../action/input.ts'
import { cartSecretOf, ownerOf, type Session } from '../action/session.ts'
import { lineError } from '../catalog/index.ts'
import type { Database } from '../database.ts'
import { keepingWith, merchantsFieldErrors } from '../metadata/index.ts'
import * as platform from '../sql/generated/platform.ts'
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

/** The domain's actions, by the name of the mutation. `checkoutCart` is an action of the ordering domain. */
export const cartActions = (database: Database): Readonly<Record<string, Action>> => ({
  createCart: create(database),
  addCartItem: defineAction('addCartItem', {
    async handle({ session }, { cartId, item }) {
      const faults = merchantsFieldErrors(session, item, 'item.')
      if (faults.length > 0) return invalid(...faults)
      const outcome = await addLine(database, reference(session, cartId), item)
      // The one line that was sent stands in SQL's list of lines.
      return answer(session, outcome, (field) => field.replace(/^items(\.0)?/, 'item'))
    },
  }),
  updateCartItem: defineAction('updateCartItem', {
    async handle({ session }, { cartId, itemId, quantity: wanted }) {
      const outcome = await setLineQuantity(database, reference(session, cartId), itemId, wanted)
      return answer(session, outcome, (field) => field.replace(/^items\.0\./, ''))
    },
  }),
  removeCartItem: defineAction('removeCartItem', {
    async handle({ session }, { cartId, itemId }) {
      const outcome = await setLineQuantity(database, reference(session, cartId), itemId, 0)
      return answer(session, outcome, (field) => field)
    },
  }),
  applyCoupon: defineAction('applyCoupon', {
    async handle({ session }, { cartId, code }) {
      const outcome = await applyCoupon(database, reference(session, cartId), code)
      return answer(session, outcome, (field) => field)
    },
  }),
  setCartShippingAddress: defineAction('setCartShippingAddress', {
    async handle({ session }, input) {
      const outcome = await setShippingAddress(database, reference(session, input.cartId), input.address)
      return answer(session, outcome, (field) => field)
    },
  }),
  setCartShippingMethod: defineAction('setCartShippingMethod', {
    async handle({ session }, { cartId, shippingMethodId }) {
      const outcome = await setShippingMethod(database, reference(session, cartId), shippingMethodId)
      return answer(session, outcome, (field) => field)
    },
  }),
  removeCoupon: defineAction('removeCoupon', {
    async handle({ session }, { cartId }) {
      const outcome = await removeCoupon(database, reference(session, cartId))
      return answer(session, outcome, (field) => field)
    },
  }),
})

const create = (database: Database): Action =>
  defineAction('createCart', {
    answersSecret: true,
    async handle({ session }, { input }) {
      const owner = ownerOf(session)
      if (owner !== null && input.customerId !== null && input.customerId !== owner) {
        return forbidden('A shopper fills no one else’s cart')
      }
      if (session.role === 'guest' && input.customerId !== null)
        return invalid(invalidValue('customerId', 'A publishable key makes a guest’s cart: leave it out'))
      const faults = [
        ...merchantsFieldErrors(session, input),
        ...(input.items ?? []).flatMap((item, index) =>
          merchantsFieldErrors(session, item, `items.${index}.`),
        ),
      ]
      if (faults.length > 0) return invalid(...faults)
      const customerId = owner ?? input.customerId
      const made = customerId === null ? await secretFor(database, session) : null
      const cart = { ...input, items: input.items ?? [], customerId, secretHash: made?.hash ?? null }
      const outcome = await keepingWith(
        database,
        { merchantId: session.merchantId, ownerType: 'CART', fields: input },
        async (sql) => createCart(sql, session.merchantId, cart),
        (created) => (created.outcome === 'changed' ? created.cartId : null),
      )
      return outcome.outcome === 'changed'
        ? done({ merchantId: session.merchantId, cartId: outcome.cartId, secret: made?.secret ?? null })
        : answer(session, outcome, (field) => field)
    },
  })

/** The gateway has chosen a guest's, to show the cart in its answer. */
const secretFor = async (database: Database, session: Session): Promise<ReturnType<typeof newCartSecret>> =>
  session.role === 'guest' && session.newCartSecret !== undefined
    ? { secret: session.newCartSecret, hash: session.cartSecretHash }
    : newCartSecret(await platform.place(database))

const reference = (session: Session, cartId: string): CartReference => ({
  merchantId: session.merchantId,
  cartId,
  owner: ownerOf(session),
  secretHash: cartSecretOf(session),
})

/** @param place where the caller put what SQL found at a field */
function answer(session: Session, outcome: CartOutcome, place: (field: string) => string): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId: session.merchantId, cartId: outcome.cartId })
    case 'unknown_cart':
      return invalid(notFound('cartId', 'Cart'))
    case 'unknown_item':
      return invalid(notFound('itemId', 'Cart line'))
    case 'checked_out':
      return invalid(invalidValue('cartId', 'The cart has become an order already'))
    case 'expired':
      return invalid(invalidValue('cartId', 'The cart has expired'))
    case 'invalid':
      return invalid(
        ...outcome.refusals.map((refusal) => cartError({ ...refusal, field: place(refusal.field) })),
      )
    case 'insufficient':
      return insufficientInventory(
        outcome.shortages,
        ({ position = 0 }) => place(`items.${position}.quantity`),
        { showsAvailable: session.role !== 'guest' },
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
      return invalidValue(refusal.field, 'Say first where the cart goes')
    case 'unknown_shipping_method':
      return notFound(refusal.field, 'Shipping method')
    case 'shipping_method_not_for_country':
      return invalidValue(refusal.field, 'The shipping method does not ship to this country')
    case 'shipping_method_currency':
      return invalidValue(
        refusal.field,
        `The shipping method is priced in ${refusal.currency ?? 'another currency'}`,
      )
    default:
      return lineError(refusal)
  }
}
