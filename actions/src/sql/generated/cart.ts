// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf } from '../../database.ts'
import { answerOf, type Caller, type Seconds } from '../answer-of.ts'
import type * as catalog from './catalog.ts'
import type * as promotion from './promotion.ts'

export type Refusal =
  | catalog.LineRefusal
  | promotion.CouponRefusal
  | { readonly field: string; readonly reason: 'unknown_customer' | 'currency_required' | 'address_required' | 'unknown_shipping_method' | 'shipping_method_not_for_country' | 'shipping_method_currency'; readonly currency?: string | null }

export type Shortage = { readonly sku: string; readonly available: number; readonly requested: number; readonly position: number }

export type Stays =
  | { readonly outcome: 'unknown_cart' }
  | { readonly outcome: 'checked_out' }
  | { readonly outcome: 'expired' }

export interface AddLineArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly line: object
  readonly lifetime: Seconds
  readonly maxLines: number
}

export type AddLineAnswer =
  | Stays
  | CreateCartAnswer

/** `cart.add_line` */
export const addLine = (caller: Caller, args: AddLineArguments): Promise<AddLineAnswer> =>
  answerOf<AddLineAnswer>(caller, 'cart.add_line', (sql) => sql`cart.add_line(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_line => ${jsonOf(sql, args.line)}::jsonb,
      p_lifetime => make_interval(secs => ${args.lifetime}),
      p_max_lines => ${args.maxLines}::integer
    )`)

export interface MarkAbandonedArguments {
  readonly merchantId: MerchantId
  readonly idle: Seconds
  readonly limit: number
}

export type MarkAbandonedAnswer = number

/** `cart.mark_abandoned`: Marks carts with items that nothing has changed for as long as p_idle. Those that have lain for two days are left alone: they were marked before, or are older than the rule.  */
export const markAbandoned = (caller: Caller, args: MarkAbandonedArguments): Promise<MarkAbandonedAnswer> =>
  answerOf<MarkAbandonedAnswer>(caller, 'cart.mark_abandoned', (sql) => sql`cart.mark_abandoned(
      p_merchant_id => ${args.merchantId}::uuid,
      p_idle => make_interval(secs => ${args.idle}),
      p_limit => ${args.limit}::integer
    )`)

export interface PurgeExpiredArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type PurgeExpiredAnswer = number

/** `cart.purge_expired` */
export const purgeExpired = (caller: Caller, args: PurgeExpiredArguments): Promise<PurgeExpiredAnswer> =>
  answerOf<PurgeExpiredAnswer>(caller, 'cart.purge_expired', (sql) => sql`cart.purge_expired(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface RemoveCouponArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly lifetime: Seconds
}

export type RemoveCouponAnswer =
  | Stays
  | { readonly outcome: 'changed'; readonly cartId: string }

/** `cart.remove_coupon` */
export const removeCoupon = (caller: Caller, args: RemoveCouponArguments): Promise<RemoveCouponAnswer> =>
  answerOf<RemoveCouponAnswer>(caller, 'cart.remove_coupon', (sql) => sql`cart.remove_coupon(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)

export interface ApplyCouponArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly code: string
  readonly lifetime: Seconds
}

export type ApplyCouponAnswer =
  | Stays
  | { readonly outcome: 'changed'; readonly cartId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `cart.apply_coupon` */
export const applyCoupon = (caller: Caller, args: ApplyCouponArguments): Promise<ApplyCouponAnswer> =>
  answerOf<ApplyCouponAnswer>(caller, 'cart.apply_coupon', (sql) => sql`cart.apply_coupon(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_code => ${args.code}::text,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)

export interface CreateCartArguments {
  readonly merchantId: MerchantId
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly currency: string | null
  readonly lines: object
  readonly lifetime: Seconds
  readonly maxLines: number
}

export type CreateCartAnswer =
  | { readonly outcome: 'changed'; readonly cartId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }
  | { readonly outcome: 'insufficient'; readonly shortages: readonly Shortage[] }

/** `cart.create_cart` */
export const createCart = (caller: Caller, args: CreateCartArguments): Promise<CreateCartAnswer> =>
  answerOf<CreateCartAnswer>(caller, 'cart.create_cart', (sql) => sql`cart.create_cart(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_currency => ${args.currency}::text,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_lifetime => make_interval(secs => ${args.lifetime}),
      p_max_lines => ${args.maxLines}::integer
    )`)

export interface MergeArguments {
  readonly merchantId: MerchantId
  readonly guestCartId: string
  readonly secretHash: Buffer | null
  readonly customerId: string
  readonly lifetime: Seconds
  readonly maxLines: number
}

export type MergeAnswer =
  | string | null

/** `cart.merge`: p_secret_hash: of the secret that a guest proves the cart to be its own by; NULL where the merchant's server says so.  */
export const merge = (caller: Caller, args: MergeArguments): Promise<MergeAnswer> =>
  answerOf<MergeAnswer>(caller, 'cart.merge', (sql) => sql`cart.merge(
      p_merchant_id => ${args.merchantId}::uuid,
      p_guest_cart_id => ${args.guestCartId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_customer_id => ${args.customerId}::uuid,
      p_lifetime => make_interval(secs => ${args.lifetime}),
      p_max_lines => ${args.maxLines}::integer
    )`)

export interface SetLineQuantityArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly itemId: string
  readonly quantity: number
  readonly lifetime: Seconds
}

export type SetLineQuantityAnswer =
  | Stays
  | CreateCartAnswer
  | { readonly outcome: 'unknown_item' }

/** `cart.set_line_quantity` */
export const setLineQuantity = (caller: Caller, args: SetLineQuantityArguments): Promise<SetLineQuantityAnswer> =>
  answerOf<SetLineQuantityAnswer>(caller, 'cart.set_line_quantity', (sql) => sql`cart.set_line_quantity(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_item_id => ${args.itemId}::uuid,
      p_quantity => ${args.quantity}::integer,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)

export interface SetShippingAddressArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly address: object
  readonly lifetime: Seconds
}

export type SetShippingAddressAnswer =
  | Stays
  | { readonly outcome: 'changed'; readonly cartId: string }

/** `cart.set_shipping_address` */
export const setShippingAddress = (caller: Caller, args: SetShippingAddressArguments): Promise<SetShippingAddressAnswer> =>
  answerOf<SetShippingAddressAnswer>(caller, 'cart.set_shipping_address', (sql) => sql`cart.set_shipping_address(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_address => ${jsonOf(sql, args.address)}::jsonb,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)

export interface SetShippingMethodArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly customerId: string | null
  readonly secretHash: Buffer | null
  readonly shippingMethodId: string | null
  readonly lifetime: Seconds
}

export type SetShippingMethodAnswer =
  | Stays
  | { readonly outcome: 'changed'; readonly cartId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `cart.set_shipping_method` */
export const setShippingMethod = (caller: Caller, args: SetShippingMethodArguments): Promise<SetShippingMethodAnswer> =>
  answerOf<SetShippingMethodAnswer>(caller, 'cart.set_shipping_method', (sql) => sql`cart.set_shipping_method(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_shipping_method_id => ${args.shippingMethodId}::uuid,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)
