import { parseAllowList, type AllowList } from './allow-list.ts'
import type { Actor } from '@commerce-graph/audit'
import { refuse, type Refusal } from './authentication.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Plan, Principal } from './principal.ts'

/** A verified credential: the result that may be cached until the access changes. */
export interface Grant {
  readonly kind: 'granted'
  readonly principal: Principal
  /** UTC milliseconds; Infinity for a key without an expiry. */
  readonly expiresAt: number
  /**
   * Undefined while the merchant's allow-list is switched off, and for shoppers and guests: the list is for the merchant's
   * own keys and users, a storefront's visitors come from everywhere.
   */
  readonly allowList: AllowList | undefined
  /** Whether the credential reaches test data, which a live deployment doesn't serve. */
  readonly isTestData: boolean
  /** The origins of a publishable key (origin-rule.ts). */
  readonly origins?: ReadonlySet<string>
}

export type Verification = Grant | Refusal

/** The merchant or operator, as announced changes name it. */
export type AccessScope = MerchantId | 'operator'

export const scopeOf = (principal: Principal): AccessScope =>
  principal.kind === 'operator' ? 'operator' : principal.merchantId

/** The columns of the merchant that every verification reads, for every kind of credential. */
export interface MerchantAccessRow {
  /** Whether the rows are another merchant's test data. */
  readonly is_twin: boolean
  readonly merchant_status: 'ACTIVE' | 'SUSPENDED' | 'CLOSED'
  readonly plan: Plan
  readonly features: readonly string[]
  readonly ip_allow_list_enabled: boolean
  readonly networks: readonly string[]
}

/** Why all credentials of the merchant are refused; undefined if they aren't. */
export const suspensionOf = (row: MerchantAccessRow, actor: Actor): Refusal | undefined =>
  row.merchant_status === 'ACTIVE'
    ? undefined
    : refuse('SVC_AUTH_003', `the merchant is ${row.merchant_status.toLowerCase()}`, actor)

export const allowListOf = (row: MerchantAccessRow): AllowList | undefined =>
  row.ip_allow_list_enabled ? parseAllowList(row.networks) : undefined
