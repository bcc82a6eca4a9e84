// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { answerOf, type Caller } from '../answer-of.ts'

export interface RecordViewArguments {
  readonly merchantId: MerchantId
  readonly productId: string
  readonly onlySold: boolean
}

export type RecordViewAnswer =
  | { readonly outcome: 'recorded'; readonly productId: string }
  | { readonly outcome: 'unknown_product' }

/** `analytics.record_view` */
export const recordView = (caller: Caller, args: RecordViewArguments): Promise<RecordViewAnswer> =>
  answerOf<RecordViewAnswer>(caller, 'analytics.record_view', (sql) => sql`analytics.record_view(
      p_merchant_id => ${args.merchantId}::uuid,
      p_product_id => ${args.productId}::uuid,
      p_only_sold => ${args.onlySold}::boolean
    )`)

export interface RefreshArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type RefreshAnswer = number

/** `analytics.refresh` */
export const refresh = (caller: Caller, args: RefreshArguments): Promise<RefreshAnswer> =>
  answerOf<RefreshAnswer>(caller, 'analytics.refresh', (sql) => sql`analytics.refresh(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)
