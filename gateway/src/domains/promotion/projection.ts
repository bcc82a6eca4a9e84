import { equals, idEquals, searchIn } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, FieldProjection } from '../../projection/types.ts'

const timestamps = {
  CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
  UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
} as const

const promotionList: ConnectionProjection = {
  projection: 'Promotion',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    START_DATE: { column: 'startDate', type: 'timestamptz' },
    END_DATE: { column: 'endDate', type: 'timestamptz' },
    USAGE_COUNT: { column: 'usageCount', type: 'Int' },
    ...timestamps,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    status: equals('status', 'String'),
    discountType: equals('discountType', 'String'),
    campaignId: idEquals('campaignId'),
    searchQuery: searchIn({ name: 'String', code: 'citext' }),
  },
}

const campaignList: ConnectionProjection = {
  projection: 'PromotionCampaign',
  sortFields: { NAME: { column: 'name', type: 'String' }, ...timestamps },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { searchQuery: searchIn({ name: 'String' }) },
}

const applied: Readonly<Record<string, FieldProjection>> = {
  name: { kind: 'column', column: 'promotionName' },
  discountAmount: { kind: 'column', column: 'discount' },
}

/** The promotion that sums were computed with. */
const appliedIn = (relationship: string, projection: string): FieldProjection => ({
  kind: 'object',
  relationship,
  projection,
  absentWhen: 'promotionId',
})

export const promotions: DomainProjection = {
  queries: {
    promotion: {
      kind: 'lookup',
      table: 'promotions',
      projection: 'Promotion',
      by: { id: idEquals('id'), code: equals('code', 'citext') },
    },
    promotions: { kind: 'connection', table: 'promotions', connection: promotionList },
    promotionCampaign: {
      kind: 'lookup',
      table: 'promotionCampaigns',
      projection: 'PromotionCampaign',
      by: { id: idEquals('id') },
    },
    promotionCampaigns: { kind: 'connection', table: 'promotionCampaigns', connection: campaignList },
  },
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
    PromotionCampaign: {
      type: 'PromotionCampaign',
      from: 'PromotionCampaign',
      fields: {
        usageCount: {
          kind: 'aggregate',
          relationship: 'promotions',
          aggregate: { function: 'sum', column: 'usageCount', empty: 0 },
        },
        promotions: { kind: 'connection', relationship: 'promotions', connection: promotionList },
      },
    },
    OrderCoupon: {
      type: 'Coupon',
      from: 'Order',
      fields: {
        code: { kind: 'column', column: 'couponCode' },
        discountAmount: { kind: 'column', column: 'discount' },
        expiresAt: { kind: 'path', relationship: 'promotion', column: 'endDate' },
      },
    },
    CartCoupon: {
      type: 'Coupon',
      from: 'Cart',
      fields: {
        code: { kind: 'column', column: 'couponCode' },
        discountAmount: { kind: 'path', relationship: 'totals', column: 'couponDiscount' },
        expiresAt: { kind: 'path', relationship: 'promotion', column: 'endDate' },
      },
    },
    OrderPromotion: { type: 'AppliedPromotion', from: 'Order', fields: applied },
    CartPromotion: { type: 'AppliedPromotion', from: 'CartTotal', fields: applied },
    DraftOrderPromotion: { type: 'AppliedPromotion', from: 'DraftOrderTotal', fields: applied },
  },
  extensions: {
    Order: {
      coupon: { kind: 'embedded', projection: 'OrderCoupon', absentWhen: ['couponCode'] },
      appliedPromotion: { kind: 'embedded', projection: 'OrderPromotion', absentWhen: ['promotionId'] },
    },
    Cart: {
      // Not by its code: that stays on the cart when the promotion is deleted.
      coupon: { kind: 'embedded', projection: 'CartCoupon', absentWhen: ['promotionId'] },
      appliedPromotion: appliedIn('totals', 'CartPromotion'),
    },
    DraftOrder: { appliedPromotion: appliedIn('sums', 'DraftOrderPromotion') },
  },
}
