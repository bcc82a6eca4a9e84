// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, rowsOf } from '../answer-of.ts'

export interface ExpirePointsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type ExpirePointsAnswer = number

/** `crm.expire_points` */
export const expirePoints = (caller: Caller, args: ExpirePointsArguments): Promise<ExpirePointsAnswer> =>
  answerOf<ExpirePointsAnswer>(caller, 'crm.expire_points', (sql) => sql`crm.expire_points(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface AdjustPointsArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
  readonly points: number
  readonly reason: string
}

export type AdjustPointsAnswer =
  | { readonly outcome: 'changed'; readonly entryId: string }
  | { readonly outcome: 'unknown_customer' }
  | { readonly outcome: 'too_many_points' }
  | { readonly outcome: 'not_enough_points'; readonly points: number }

/** `crm.adjust_points` */
export const adjustPoints = (caller: Caller, args: AdjustPointsArguments): Promise<AdjustPointsAnswer> =>
  answerOf<AdjustPointsAnswer>(caller, 'crm.adjust_points', (sql) => sql`crm.adjust_points(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_points => ${args.points}::integer,
      p_reason => ${args.reason}::text
    )`)

export interface CountCustomersInArguments {
  readonly merchantId: MerchantId
  readonly conditions: object
}

export type CountCustomersInAnswer =
  | { readonly outcome: 'counted'; readonly memberCount: number }
  | { readonly outcome: 'unknown_tier' }

/** `crm.count_customers_in`: How many customers meet conditions that no segment has yet. p_conditions: by the columns of crm.segment; what is absent or null asks nothing.  */
export const countCustomersIn = (caller: Caller, args: CountCustomersInArguments): Promise<CountCustomersInAnswer> =>
  answerOf<CountCustomersInAnswer>(caller, 'crm.count_customers_in', (sql) => sql`crm.count_customers_in(
      p_merchant_id => ${args.merchantId}::uuid,
      p_conditions => ${jsonOf(sql, args.conditions)}::jsonb
    )`)

export interface AnonymizeCustomerArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
}

export type AnonymizeCustomerAnswer =
  | { readonly outcome: 'changed'; readonly customerId: string }
  | { readonly outcome: 'unknown_customer' }
  | { readonly outcome: 'orders_under_way' }
  | { readonly outcome: 'appointments_ahead' }

/** `crm.anonymize_customer` */
export const anonymizeCustomer = (caller: Caller, args: AnonymizeCustomerArguments): Promise<AnonymizeCustomerAnswer> =>
  answerOf<AnonymizeCustomerAnswer>(caller, 'crm.anonymize_customer', (sql) => sql`crm.anonymize_customer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid
    )`)

export interface ImportCustomersArguments {
  readonly merchantId: MerchantId
  readonly importId: string | null
  readonly batch: object
  readonly update: boolean
}

export type ImportCustomersAnswer = { readonly id: string; readonly outcome: 'imported' | 'unchanged' | 'refused'; readonly field: string | null; readonly reason: string | null }

/** `crm.import_customers`: Writes customers of another system with their addresses. A customer is here already when a row of the same external id was imported, or else when an account has the row's address; p_update says whether it gets the row's fields. An account with the external id of another row of the file isn't the one of a row that only has its address. p_import_id is NULL while rows are checked: those of earlier batches have not been written.  */
export const importCustomers = (sql: Queryable, args: ImportCustomersArguments): Promise<readonly ImportCustomersAnswer[]> =>
  rowsOf<ImportCustomersAnswer>(sql`SELECT id AS "id", outcome AS "outcome", field AS "field", reason AS "reason" FROM crm.import_customers(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb,
      p_update => ${args.update}::boolean
    )`)

export interface RedeemRewardArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
  readonly rewardId: string
}

export type RedeemRewardAnswer =
  | { readonly outcome: 'changed'; readonly entryId: string }
  | { readonly outcome: 'unknown_customer' }
  | { readonly outcome: 'unknown_reward' }
  | { readonly outcome: 'reward_not_active' }
  | { readonly outcome: 'program_not_enabled' }
  | { readonly outcome: 'not_enough_points'; readonly points: number }

/** `crm.redeem_reward` */
export const redeemReward = (caller: Caller, args: RedeemRewardArguments): Promise<RedeemRewardAnswer> =>
  answerOf<RedeemRewardAnswer>(caller, 'crm.redeem_reward', (sql) => sql`crm.redeem_reward(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_reward_id => ${args.rewardId}::uuid
    )`)
