import { type DomainProjection } from '../../projection/types.ts'

export const promotions: DomainProjection = {
  types: {
    Promotion: {
      type: 'Promotion',
      from: 'Promotion',
      fields: {
        conditions: {
          kind: 'embedded',
          projection: 'PromotionConditions',
          absentWhen: [
            'minPurchaseAmount',
            'maxDiscountAmount',
            'productIds',
            'categoryIds',
            'customerIds',
            'firstOrderOnly',
          ],
        },
      },
    },
    PromotionConditions: { type: 'PromotionConditions', from: 'Promotion' },
    OrderCoupon: {
      type: 'Coupon',
      from: 'Order',
      fields: {
        code: { kind: 'column', column: 'couponCode' },
        discountAmount: { kind: 'column', column: 'discount' },
        expiresAt: { kind: 'path', relationship: 'promotion', column: 'endDate' },
      },
    },
  },
  extensions: {
    Order: { coupon: { kind: 'embedded', projection: 'OrderCoupon', absentWhen: ['couponCode'] } },
    // A cart holds no coupon yet: applying one belongs to the promotions issue.
    Cart: { coupon: { kind: 'constant', value: null } },
  },
}
