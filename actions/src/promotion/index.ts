export {
  couponError,
  type CouponRefusal,
  type CouponRefusalReason,
  isCouponRefusal,
} from './coupon-refusal.ts'
