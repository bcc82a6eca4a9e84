// Written from sql/ by `npm run generate`. Don't edit.

export type CouponRefusal = { readonly field: string; readonly reason: 'unknown_coupon' | 'coupon_disabled' | 'coupon_not_yet_active' | 'coupon_expired' | 'coupon_used_up' | 'coupon_not_for_customer' | 'coupon_first_order_only' | 'coupon_currency' | 'coupon_minimum_not_met' | 'coupon_not_for_products'; readonly minimum?: number | null; readonly currency?: string | null }
