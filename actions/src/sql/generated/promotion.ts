// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { rowsOf } from '../answer-of.ts'

export type CouponRefusal = { readonly field: string; readonly reason: 'unknown_coupon' | 'coupon_disabled' | 'coupon_not_yet_active' | 'coupon_expired' | 'coupon_used_up' | 'coupon_not_for_customer' | 'coupon_first_order_only' | 'coupon_currency' | 'coupon_minimum_not_met' | 'coupon_not_for_products'; readonly minimum?: number | null; readonly currency?: string | null }

export interface ImportPromotionsArguments {
  readonly merchantId: MerchantId
  readonly batch: object
}

export type ImportPromotionsAnswer = { readonly id: string; readonly outcome: 'imported' | 'unchanged' | 'refused'; readonly field: string | null; readonly reason: string | null }

/** `promotion.import_promotions`: Writes promotions of another system. One that was imported, or has the row's code, is here already and stays.  */
export const importPromotions = (sql: Queryable, args: ImportPromotionsArguments): Promise<readonly ImportPromotionsAnswer[]> =>
  rowsOf<ImportPromotionsAnswer>(sql`SELECT id AS "id", outcome AS "outcome", field AS "field", reason AS "reason" FROM promotion.import_promotions(
      p_merchant_id => ${args.merchantId}::uuid,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb
    )`)
