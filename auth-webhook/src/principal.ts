// Who is calling, once it is known. Everything behind authentication works with a Principal and never with a credential.
import type { ApiKeyId, CustomerId, MerchantId, OperatorKeyId, UserId } from '@commerce-graph/contract/ids'

/** Whether a key, or a deployment, works with real orders and money. */
export type Mode = 'live' | 'test'

export type Plan = 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'

/** Session variables as Hasura reads them: names in lower case, every value a string. */
export type SessionVariables = Readonly<Record<`x-hasura-${string}`, string>>

interface Caller {
  readonly merchantId: MerchantId
  /** `<resource>:<action>` strings, e.g. `orders:read`. */
  readonly permissions: ReadonlySet<string>
  readonly plan: Plan
  /** What the plan includes, sorted. */
  readonly features: readonly string[]
  /** Made once when the credential is verified, so that a request only passes them on. */
  readonly sessionVariables: SessionVariables
}

/** A merchant's integration, with an API key. Sees the merchant's rows. */
export type KeyPrincipal = Caller & {
  readonly kind: 'key'
  readonly keyId: ApiKeyId
  readonly mode: Mode
}

/** A person who works for the merchant, with an access token. Sees the merchant's rows, as the roles permit. */
export type UserPrincipal = Caller & {
  readonly kind: 'user'
  readonly userId: UserId
  readonly sessionId: string
}

/** A shopper, with an access token. Sees its own rows and what the shop shows. */
export type CustomerPrincipal = Caller & {
  readonly kind: 'customer'
  readonly customerId: CustomerId
  /** Null for a token of another issuer, which knows of its own sessions. */
  readonly sessionId: string | null
}

/** Who runs the platform, with an operator's key. Has no merchant, and sees no merchant's rows but through fields for operators. */
export interface OperatorPrincipal {
  readonly kind: 'operator'
  readonly operatorKeyId: OperatorKeyId
  /** Empty: the role is what lets it in. */
  readonly permissions: ReadonlySet<string>
  readonly sessionVariables: SessionVariables
}

/** One that belongs to a merchant. */
export type TenantPrincipal = KeyPrincipal | UserPrincipal | CustomerPrincipal

export type Principal = TenantPrincipal | OperatorPrincipal

/** What of a principal its rate goes by. An operator's key has the largest plan's rate for itself. */
export interface RateHolder {
  readonly merchantId: string
  readonly plan: Plan
  readonly customerId?: CustomerId
}

export const rateHolderOf = (principal: Principal): RateHolder =>
  principal.kind === 'operator'
    ? { merchantId: `operator ${principal.operatorKeyId}`, plan: 'ENTERPRISE' }
    : principal
