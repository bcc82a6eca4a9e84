// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf } from '../../database.ts'
import { answerOf, type Caller } from '../answer-of.ts'

export interface KeepWithArguments {
  readonly merchantId: MerchantId
  readonly ownerType: string
  readonly id: string
  readonly kept: object
}

export type KeepWithAnswer = void

/** `metadata.keep_with`: What the merchant keeps with a record that was just made: externalId, metadata, privateMetadata.  */
export const keepWith = (caller: Caller, args: KeepWithArguments): Promise<KeepWithAnswer> =>
  answerOf<KeepWithAnswer>(caller, 'metadata.keep_with', (sql) => sql`metadata.keep_with(
      p_merchant_id => ${args.merchantId}::uuid,
      p_owner_type => ${args.ownerType}::text,
      p_id => ${args.id}::uuid,
      p_kept => ${jsonOf(sql, args.kept)}::jsonb
    )`)
