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
  readonly now: string
}

export type RefreshAnswer = number

/** `analytics.refresh`: Sums up anew the quarters of an hour that something was changed in. A quarter that isn't over at p_now is left to the reports: the next order changes it again, and each sum would take longer than the one before. Returns how many it summed up.  */
export const refresh = (caller: Caller, args: RefreshArguments): Promise<RefreshAnswer> =>
  answerOf<RefreshAnswer>(caller, 'analytics.refresh', (sql) => sql`analytics.refresh(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer,
      p_now => ${args.now}::text::timestamptz
    )`)
