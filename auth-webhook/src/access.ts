import { parseAllowList, type AllowList } from './allow-list.ts'
import type { Actor } from '@commerce-graph/audit'
import { refuse, type Refusal } from './authentication.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Plan, Principal } from './principal.ts'

/** A credential that was verified: what may be remembered of it until something about the access changes. */
export interface Grant {
  readonly kind: 'granted'
  readonly principal: Principal
  /** UTC milliseconds; Infinity for a key without an end. */
  readonly expiresAt: number
  /** Undefined while the merchant's allow-list is switched off. */
  readonly allowList: AllowList | undefined
}

export type Verification = Grant | Refusal

/** Whose access it is, as changes of it are announced. */
export type AccessScope = MerchantId | 'operator'

export const scopeOf = (principal: Principal): AccessScope =>
  principal.kind === 'operator' ? 'operator' : principal.merchantId

/** The columns that every verification reads of the merchant, for both kinds of credential. */
export interface MerchantAccessRow {
  readonly merchant_status: 'ACTIVE' | 'SUSPENDED'
  readonly plan: Plan
  readonly features: readonly string[]
  readonly ip_allow_list_enabled: boolean
  readonly networks: readonly string[]
}

/** Why the merchant's credentials, good ones too, are refused; undefined: they aren't. */
export const suspensionOf = (row: MerchantAccessRow, actor: Actor): Refusal | undefined =>
  row.merchant_status === 'SUSPENDED' ? refuse('SVC_AUTH_003', 'the merchant is suspended', actor) : undefined

export const allowListOf = (row: MerchantAccessRow): AllowList | undefined =>
  row.ip_allow_list_enabled ? parseAllowList(row.networks) : undefined
