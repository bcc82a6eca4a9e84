import { equals, idEquals, searchIn, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, FieldProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const timestamps = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz' },
  ...updatedAtSort,
} as const

const promotionList: ConnectionProjection = {
  projection: 'Promotion',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    START_DATE: { column: 'start_date', type: 'timestamptz' },
    END_DATE: { column: 'end_date', type: 'timestamptz' },
    USAGE_COUNT: { column: 'usage_count', type: 'Int' },
    ...timestamps,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    discountType: equals('discount_type', 'String'),
    campaignId: idEquals('campaign_id'),
    searchQuery: searchIn({ name: 'String', code: 'citext' }),
    ...updatedAtFilters,
  },
}

const campaignList: ConnectionProjection = {
  projection: 'PromotionCampaign',
  sortFields: { NAME: { column: 'name', type: 'String' }, ...timestamps },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { searchQuery: searchIn({ name: 'String' }), ...updatedAtFilters },
}

const applied: Readonly<Record<string, FieldProjection>> = {
  name: { kind: 'column', column: 'promotion_name' },
  discountAmount: { kind: 'column', column: 'discount' },
}

/** The promotion that sums were computed with. */
const appliedIn = (relationship: string, projection: string): FieldProjection => ({
  kind: 'object',
  relationship,
  projection,
  absentWhen: 'promotion_id',
})

export const promotions: DomainProjection = {
  queries: {
    promotion: {
      kind: 'lookup',
      projection: 'Promotion',
      by: { id: idEquals('id'), code: equals('code', 'citext') },
    },
    promotions: { kind: 'connection', connection: promotionList },
    promotionCampaign: {
      kind: 'lookup',
      projection: 'PromotionCampaign',
      by: { id: idEquals('id'), name: equals('name', 'String') },
    },
    promotionCampaigns: { kind: 'connection', connection: campaignList },
  },
  types: {
    Promotion: {
      type: 'Promotion',
      table: 'promotion_promotion',
      fields: {
        conditions: {
          kind: 'embedded',
          projection: 'PromotionConditions',
          absentWhen: [
            'min_purchase_amount',
            'max_discount_amount',
            'product_ids',
            'category_ids',
            'customer_ids',
            'first_order_only',
          ],
        },
      },
    },
    PromotionConditions: { type: 'PromotionConditions', table: 'promotion_promotion' },
    PromotionCampaign: {
      type: 'PromotionCampaign',
      table: 'promotion_campaign',
      fields: {
        usageCount: {
          kind: 'aggregate',
          relationship: 'promotions',
          aggregate: { function: 'sum', column: 'usage_count', empty: 0 },
        },
        promotions: { kind: 'connection', relationship: 'promotions', connection: promotionList },
      },
    },
    OrderCoupon: {
      type: 'Coupon',
      table: 'ordering_order',
      fields: {
        code: { kind: 'column', column: 'coupon_code' },
        discountAmount: { kind: 'column', column: 'discount' },
        expiresAt: { kind: 'path', relationship: 'promotion', column: 'end_date' },
      },
    },
    CartCoupon: {
      type: 'Coupon',
      table: 'cart_cart',
      fields: {
        code: { kind: 'column', column: 'coupon_code' },
        discountAmount: { kind: 'path', relationship: 'totals', column: 'coupon_discount' },
        expiresAt: { kind: 'path', relationship: 'promotion', column: 'end_date' },
      },
    },
    OrderPromotion: { type: 'AppliedPromotion', table: 'ordering_order', fields: applied },
    CartPromotion: { type: 'AppliedPromotion', table: 'cart_cart_total', fields: applied },
    DraftOrderPromotion: { type: 'AppliedPromotion', table: 'ordering_draft_order_total', fields: applied },
  },
  extensions: {
    Order: {
      coupon: { kind: 'embedded', projection: 'OrderCoupon', absentWhen: ['coupon_code'] },
      appliedPromotion: { kind: 'embedded', projection: 'OrderPromotion', absentWhen: ['promotion_id'] },
    },
    Cart: {
      // Not by its code: that stays on the cart when the promotion is deleted.
      coupon: { kind: 'embedded', projection: 'CartCoupon', absentWhen: ['promotion_id'] },
      appliedPromotion: appliedIn('totals', 'CartPromotion'),
    },
    DraftOrder: { appliedPromotion: appliedIn('sums', 'DraftOrderPromotion') },
  },
}
