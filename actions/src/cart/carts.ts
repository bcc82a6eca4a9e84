import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import { maxLines } from '../action/input.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import type { LineTerms } from '../catalog/index.ts'
import { inBatches } from '../in-batches.ts'
import * as cart from '../sql/generated/cart.ts'

/** Seconds that a cart lives after it was last changed. */
const cartLifetime = 30 * 24 * 60 * 60

export interface CartLine extends LineTerms {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

export type CartRefusal = cart.Refusal

export type CartOutcome = cart.CreateCartAnswer | cart.SetLineQuantityAnswer

/** @param currency null for the merchant's own */
export const createCart = async (
  sql: Queryable,
  merchantId: MerchantId,
  created: {
    readonly customerId: string | null
    /** Of a cart that a guest shall have. */
    readonly secretHash: Buffer | null
    readonly currency: string | null
    readonly items: readonly CartLine[]
  },
): Promise<CartOutcome> =>
  cart.createCart(sql, {
    merchantId,
    customerId: created.customerId,
    secretHash: created.secretHash,
    currency: created.currency,
    lines: created.items,
    lifetime: cartLifetime,
    maxLines,
  })

/** A cart as a caller may name it. `owner`: only this customer's carts exist. */
export interface CartReference {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly owner: CustomerId | null
  /** Only the guest's cart with this secret exists; null: the caller needs none. */
  readonly secretHash: Buffer | null
}

/** The same product and variant again makes the line that is there larger. */
export const addLine = async (
  database: Database,
  { merchantId, cartId, owner, secretHash }: CartReference,
  line: CartLine,
): Promise<CartOutcome> =>
  cart.addLine(database, {
    merchantId,
    cartId,
    customerId: owner,
    secretHash,
    line: { ...line },
    lifetime: cartLifetime,
    maxLines,
  })

/** @param quantity 0 removes the line */
export const setLineQuantity = async (
  database: Database,
  { merchantId, cartId, owner, secretHash }: CartReference,
  itemId: string,
  quantity: number,
): Promise<CartOutcome> =>
  cart.setLineQuantity(database, {
    merchantId,
    cartId,
    customerId: owner,
    secretHash,
    itemId,
    quantity,
    lifetime: cartLifetime,
  })

/** Applies a coupon in the place of another one; what it takes off is computed whenever the cart is looked at. */
export const applyCoupon = async (
  database: Database,
  { merchantId, cartId, owner, secretHash }: CartReference,
  code: string,
): Promise<CartOutcome> =>
  cart.applyCoupon(database, {
    merchantId,
    cartId,
    customerId: owner,
    secretHash,
    code,
    lifetime: cartLifetime,
  })

export const removeCoupon = async (
  database: Database,
  { merchantId, cartId, owner, secretHash }: CartReference,
): Promise<CartOutcome> =>
  cart.removeCoupon(database, { merchantId, cartId, customerId: owner, secretHash, lifetime: cartLifetime })

export const setShippingAddress = async (
  database: Database,
  { merchantId, cartId, owner, secretHash }: CartReference,
  address: object,
): Promise<CartOutcome> =>
  cart.setShippingAddress(database, {
    merchantId,
    cartId,
    customerId: owner,
    secretHash,
    address,
    lifetime: cartLifetime,
  })

/** @param methodId null takes the method off */
export const setShippingMethod = async (
  database: Database,
  { merchantId, cartId, owner, secretHash }: CartReference,
  methodId: string | null,
): Promise<CartOutcome> =>
  cart.setShippingMethod(database, {
    merchantId,
    cartId,
    customerId: owner,
    secretHash,
    shippingMethodId: methodId,
    lifetime: cartLifetime,
  })

const purgeBatch = 500

/** Seconds after which a cart that nothing has changed is abandoned. */
const idle = 60 * 60

/** Marks carts with items that were left for an hour, which is an event. Returns how many. */
export const markAbandonedCarts = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT c.merchant_id AS "merchantId" FROM cart.cart c
      WHERE c.checked_out_at IS NULL AND c.abandoned_at IS NULL AND c.expires_at > now()
        AND c.updated_at < now() - ${idle} * interval '1 second' AND c.updated_at > now() - interval '2 days'
        AND EXISTS (SELECT FROM cart.cart_item i WHERE i.merchant_id = c.merchant_id AND i.cart_id = c.id)
      LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(purgeBatch, () => cart.markAbandoned(own, { merchantId, idle, limit: purgeBatch })),
  )

/** Deletes carts that expired without becoming an order. Returns how many. */
export const purgeExpiredCarts = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT c.merchant_id AS "merchantId" FROM cart.cart c
      WHERE c.checked_out_at IS NULL AND c.expires_at <= now() LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(purgeBatch, () => cart.purgeExpired(own, { merchantId, limit: purgeBatch })),
  )

/**
 * Lets a guest's cart go along with a customer who signs in.
 *
 * @returns the customer's cart; null when there is no such guest's cart to merge
 */
export const mergeCart = async (
  sql: Queryable,
  merchantId: MerchantId,
  {
    guestCartId,
    secretHash,
    customerId,
  }: {
    readonly guestCartId: string
    /** Null where the merchant's own server says whose cart it is. */
    readonly secretHash: Buffer | null
    readonly customerId: CustomerId
  },
): Promise<string | null> =>
  cart.merge(sql, {
    merchantId,
    guestCartId,
    secretHash,
    customerId,
    lifetime: cartLifetime,
    maxLines,
  })
