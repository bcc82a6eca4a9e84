export { couponError, isCouponRefusal } from './coupon-refusal.ts'
