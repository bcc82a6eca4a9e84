import type { UserError } from '../action/answer.ts'
import { userError } from '../action/input.ts'
import type { CouponRefusal } from '../sql/generated/promotion.ts'

const messages: Readonly<Record<CouponRefusal['reason'], (refusal: CouponRefusal) => string>> = {
  unknown_coupon: () => 'There is no such coupon',
  coupon_disabled: () => 'The coupon is disabled',
  coupon_not_yet_active: () => 'The coupon is not active yet',
  coupon_expired: () => 'The coupon has expired',
  coupon_used_up: () => 'The coupon has been used as often as it can be',
  coupon_not_for_customer: () => 'The coupon is not for this customer',
  coupon_first_order_only: () => 'The coupon is for a first order only',
  coupon_currency: ({ currency }) => `The coupon is for purchases in ${currency ?? 'another currency'}`,
  coupon_minimum_not_met: ({ minimum, currency }) =>
    `The coupon needs a purchase of at least ${minimum ?? 0} minor units of ${currency ?? 'the currency'}`,
  coupon_not_for_products: () => 'The coupon is for none of these products',
}

/** Whether it is the coupon that a refusal is about. */
export const isCouponRefusal = (refusal: { readonly reason: string }): refusal is CouponRefusal =>
  Object.hasOwn(messages, refusal.reason)

/** INVALID_COUPON, and why. */
export const couponError = (refusal: CouponRefusal): UserError =>
  userError(refusal.field, { kind: 'coupon', message: messages[refusal.reason](refusal) })
