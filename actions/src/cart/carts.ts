import type { Shortage } from '../action/answer.ts'
import { MAX_LINES } from '../action/input.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { LineRefusal } from '../catalog/index.ts'
import type { CouponRefusal } from '../promotion/index.ts'
import { type Database, type JsonValue, onlyOutcome, type Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'

/** Seconds that a cart lives after it was last changed. */
const CART_LIFETIME = 30 * 24 * 60 * 60

export interface CartLine {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

export type CartRefusal =
  | LineRefusal
  | CouponRefusal
  | {
      readonly field: string
      readonly reason:
        | 'unknown_customer'
        | 'currency_required'
        | 'address_required'
        | 'unknown_shipping_method'
        | 'shipping_method_not_for_country'
        | 'shipping_method_currency'
      readonly currency?: string
    }

export type CartOutcome =
  | { readonly outcome: 'changed'; readonly cartId: string }
  | { readonly outcome: 'unknown_cart' | 'unknown_item' | 'checked_out' | 'expired' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly CartRefusal[] }
  | {
      readonly outcome: 'insufficient'
      readonly shortages: readonly (Shortage & { readonly position: number })[]
    }

/** @param currency null for the merchant's own */
export async function createCart(
  database: Database,
  merchantId: MerchantId,
  cart: {
    readonly customerId: string | null
    readonly currency: string | null
    readonly items: readonly CartLine[]
  },
): Promise<CartOutcome> {
  const lines = database.json(cart.items as unknown as JsonValue)
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.create_cart(
        ${merchantId}, ${cart.customerId}, ${cart.currency}, ${lines}, make_interval(secs => ${CART_LIFETIME}), ${MAX_LINES}
      ) AS outcome`,
  )
}

/** A cart as a caller may name it. `owner`: only this customer's carts exist. */
export interface CartReference {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly owner: CustomerId | null
}

/** The same product and variant again makes the line that is there larger. */
export async function addLine(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  line: CartLine,
): Promise<CartOutcome> {
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.add_line(
        ${merchantId}, ${cartId}, ${owner}, ${database.json({ ...line })}, make_interval(secs => ${CART_LIFETIME}), ${MAX_LINES}
      ) AS outcome`,
  )
}

/** @param quantity 0 removes the line */
export async function setLineQuantity(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  itemId: string,
  quantity: number,
): Promise<CartOutcome> {
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.set_line_quantity(
        ${merchantId}, ${cartId}, ${owner}, ${itemId}, ${quantity}, make_interval(secs => ${CART_LIFETIME})
      ) AS outcome`,
  )
}

/** Applies a coupon in the place of another one; what it takes off is computed whenever the cart is looked at. */
export async function applyCoupon(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  code: string,
): Promise<CartOutcome> {
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.apply_coupon(
        ${merchantId}, ${cartId}, ${owner}, ${code}, make_interval(secs => ${CART_LIFETIME})
      ) AS outcome`,
  )
}

export async function removeCoupon(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
): Promise<CartOutcome> {
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.remove_coupon(
        ${merchantId}, ${cartId}, ${owner}, make_interval(secs => ${CART_LIFETIME})
      ) AS outcome`,
  )
}

export async function setShippingAddress(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  address: JsonValue,
): Promise<CartOutcome> {
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.set_shipping_address(
        ${merchantId}, ${cartId}, ${owner}, ${database.json(address)}, make_interval(secs => ${CART_LIFETIME})
      ) AS outcome`,
  )
}

/** @param methodId null takes the method off */
export async function setShippingMethod(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  methodId: string | null,
): Promise<CartOutcome> {
  return onlyOutcome(
    await database<{ outcome: CartOutcome }[]>`
      SELECT cart.set_shipping_method(
        ${merchantId}, ${cartId}, ${owner}, ${methodId}, make_interval(secs => ${CART_LIFETIME})
      ) AS outcome`,
  )
}

const PURGE_BATCH = 500

/** Deletes carts that expired without becoming an order. Returns how many. */
export async function purgeExpiredCarts(database: Database): Promise<number> {
  return inBatches(PURGE_BATCH, async () =>
    onlyOutcome(await database<{ outcome: number }[]>`SELECT cart.purge_expired(${PURGE_BATCH}) AS outcome`),
  )
}

/**
 * Lets a guest's cart go along with a customer who signs in.
 *
 * @returns the customer's cart; null when there is no such guest's cart to merge
 */
export async function mergeCart(
  sql: Queryable,
  merchantId: MerchantId,
  { guestCartId, customerId }: { readonly guestCartId: string; readonly customerId: CustomerId },
): Promise<string | null> {
  return onlyOutcome(
    await sql<{ outcome: string | null }[]>`
      SELECT cart.merge(
        ${merchantId}, ${guestCartId}, ${customerId}, make_interval(secs => ${CART_LIFETIME}), ${MAX_LINES}
      ) AS outcome`,
  )
}
