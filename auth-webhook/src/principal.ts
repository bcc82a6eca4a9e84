// The authenticated caller. Code behind authentication works with a Principal and never with a credential.
import { networkOf } from '@commerce-graph/http-server'
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
  /** The features of the plan, sorted. */
  readonly features: readonly string[]
  /** Computed once when the credential is verified, so that requests don't have to. */
  readonly sessionVariables: SessionVariables
  /** The background job, or the webhook endpoint, that reads for the caller. It only runs queries, and they count on no rate. */
  readonly jobId?: string
}

/** Whether the principal is a job's, which the contract's endpoint takes for queries alone. */
export const isJob = (principal: Principal): boolean =>
  principal.kind !== 'operator' && principal.jobId !== undefined

/** A merchant's integration with an API key. It sees the merchant's rows. */
export type KeyPrincipal = Caller & {
  readonly kind: 'key'
  readonly keyId: ApiKeyId
  readonly mode: Mode
}

/** A member of the merchant's staff with an access token. It sees the merchant's rows that its roles permit. */
export type UserPrincipal = Caller & {
  readonly kind: 'user'
  readonly userId: UserId
  readonly sessionId: string
}

/** A shopper with an access token. It sees its own rows and what the shop publishes. */
export type CustomerPrincipal = Caller & {
  readonly kind: 'customer'
  readonly customerId: CustomerId
  /** Null for a token of another issuer, which has its own sessions. */
  readonly sessionId: string | null
  /** Of the client that signed in; null if it is unknown, or if the merchant's back end asked for the token. */
  readonly network: string | null
}

/**
 * A visitor of a storefront whose page has a publishable key. It sees what the shop publishes, and the cart whose secret
 * it sends.
 */
export type GuestPrincipal = Caller & {
  readonly kind: 'guest'
  readonly keyId: ApiKeyId
  /** Seconds for which browsers and CDNs may keep the answers to its GET requests. */
  readonly maxAge: number
  /** Of the deployment: the secret of a cart that the guest makes names it. */
  readonly place: string
}

/**
 * An operator of the platform with an operator's key. It has no merchant, and sees merchants' rows only through
 * fields for operators.
 */
export interface OperatorPrincipal {
  readonly kind: 'operator'
  readonly operatorKeyId: OperatorKeyId
  /** Empty: access depends on the role. */
  readonly permissions: ReadonlySet<string>
  readonly sessionVariables: SessionVariables
}

/** A principal that belongs to a merchant. */
export type TenantPrincipal = KeyPrincipal | UserPrincipal | CustomerPrincipal | GuestPrincipal

export type Principal = TenantPrincipal | OperatorPrincipal

/** The part of a principal that determines its rate. Each operator's key has the largest plan's rate. */
export interface RateHolder {
  readonly merchantId: string
  readonly plan: Plan
  /** The holder of a share of the merchant's rate: a shopper, or the network of guests. */
  readonly shopper?: string
  /** The requests are the platform's own, and count on no rate. */
  readonly uncounted?: true
}

/**
 * @param clientAddress identifies a guest, who has no id
 * @param buyer the address of the visitor for whom a shop's server sends the request with its key, if it names one
 */
export function rateHolderOf(principal: Principal, clientAddress: string | null, buyer?: string): RateHolder {
  if (principal.kind !== 'operator' && principal.jobId !== undefined)
    return { merchantId: principal.merchantId, plan: principal.plan, uncounted: true }
  switch (principal.kind) {
    case 'operator':
      return { merchantId: `operator ${principal.operatorKeyId}`, plan: 'ENTERPRISE' }
    case 'customer':
      return { merchantId: principal.merchantId, plan: principal.plan, shopper: principal.customerId }
    case 'guest':
      return guestsOf(principal, clientAddress ?? undefined)
    case 'key':
      if (buyer !== undefined) return guestsOf(principal, buyer)
      return { merchantId: principal.merchantId, plan: principal.plan }
    case 'user':
      return { merchantId: principal.merchantId, plan: principal.plan }
    default:
      return principal satisfies never
  }
}

/** Visitors without an account count by their network. */
const guestsOf = ({ merchantId, plan }: TenantPrincipal, address: string | undefined): RateHolder => ({
  merchantId,
  plan,
  shopper: `guest ${networkOf(address) ?? 'unknown'}`,
})
