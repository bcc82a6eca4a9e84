import { MAX_LINES } from '../action/input.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as cart from '../sql/generated/cart.ts'

/** Seconds that a cart lives after it was last changed. */
const CART_LIFETIME = 30 * 24 * 60 * 60

export interface CartLine {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

export type CartRefusal = cart.Refusal

export type CartOutcome = cart.CreateCartAnswer | cart.SetLineQuantityAnswer

/** @param currency null for the merchant's own */
export async function createCart(
  database: Database,
  merchantId: MerchantId,
  created: {
    readonly customerId: string | null
    readonly currency: string | null
    readonly items: readonly CartLine[]
  },
): Promise<CartOutcome> {
  return cart.createCart(database, {
    merchantId,
    customerId: created.customerId,
    currency: created.currency,
    lines: created.items,
    lifetime: CART_LIFETIME,
    maxLines: MAX_LINES,
  })
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
  return cart.addLine(database, {
    merchantId,
    cartId,
    customerId: owner,
    line: { ...line },
    lifetime: CART_LIFETIME,
    maxLines: MAX_LINES,
  })
}

/** @param quantity 0 removes the line */
export async function setLineQuantity(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  itemId: string,
  quantity: number,
): Promise<CartOutcome> {
  return cart.setLineQuantity(database, {
    merchantId,
    cartId,
    customerId: owner,
    itemId,
    quantity,
    lifetime: CART_LIFETIME,
  })
}

/** Applies a coupon in the place of another one; what it takes off is computed whenever the cart is looked at. */
export async function applyCoupon(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  code: string,
): Promise<CartOutcome> {
  return cart.applyCoupon(database, { merchantId, cartId, customerId: owner, code, lifetime: CART_LIFETIME })
}

export async function removeCoupon(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
): Promise<CartOutcome> {
  return cart.removeCoupon(database, { merchantId, cartId, customerId: owner, lifetime: CART_LIFETIME })
}

export async function setShippingAddress(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  address: object,
): Promise<CartOutcome> {
  return cart.setShippingAddress(database, {
    merchantId,
    cartId,
    customerId: owner,
    address,
    lifetime: CART_LIFETIME,
  })
}

/** @param methodId null takes the method off */
export async function setShippingMethod(
  database: Database,
  { merchantId, cartId, owner }: CartReference,
  methodId: string | null,
): Promise<CartOutcome> {
  return cart.setShippingMethod(database, {
    merchantId,
    cartId,
    customerId: owner,
    shippingMethodId: methodId,
    lifetime: CART_LIFETIME,
  })
}

const PURGE_BATCH = 500

/** Deletes carts that expired without becoming an order. Returns how many. */
export async function purgeExpiredCarts(database: Database): Promise<number> {
  return inBatches(PURGE_BATCH, async () => cart.purgeExpired(database, { limit: PURGE_BATCH }))
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
  return cart.merge(sql, {
    merchantId,
    guestCartId,
    customerId,
    lifetime: CART_LIFETIME,
    maxLines: MAX_LINES,
  })
}
