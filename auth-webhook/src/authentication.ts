import type { Actor } from '@commerce-graph/audit'
import type { Principal } from './principal.ts'

/**
 * Ids of the specification's catalogue: 001 a key that is invalid, malformed, revoked, expired or of the wrong mode;
 * 002 an expired token; 003 a merchant that an operator has suspended; 004 an address that is not in the merchant's
 * allow-list.
 */
export type RefusalId = 'SVC_AUTH_001' | 'SVC_AUTH_002' | 'SVC_AUTH_003' | 'SVC_AUTH_004'

export interface Refusal {
  readonly kind: 'refused'
  readonly id: RefusalId
  /** For the log only. It distinguishes an unknown key from a revoked one, which a caller must never learn. */
  readonly reason: string
  /** The owner of the credential; absent if it isn't known for certain. */
  readonly actor?: Actor
  /** The details for the caller. They say nothing about credentials. */
  readonly shown?: { readonly field: string; readonly reason: string }
}

export type Authentication =
  | {
      readonly kind: 'authenticated'
      readonly principal: Principal
      /** The credential's expiry in UTC milliseconds; Infinity if it has none. */
      readonly expiresAt: number
      /** The client's address, as far as trusted proxies report it. */
      readonly clientAddress: string | null
    }
  | Refusal
  /** The database can't be asked, or too many ask at once. Nothing is granted unverified. */
  | { readonly kind: 'unavailable' }

export const refuse = (id: RefusalId, reason: string, actor?: Actor): Refusal => ({
  kind: 'refused',
  id,
  reason,
  ...(actor && { actor }),
})
