import { decodeJwt, errors, jwtVerify } from 'jose'
import type { Sql } from '@commerce-graph/postgres-driver'
import { ZodError } from 'zod'
import { allowListOf, type MerchantAccessRow, suspensionOf, type Verification } from './access.ts'
import { actorOf } from './actor.ts'
import type { Actor } from '@commerce-graph/audit'
import { refuse, type Refusal } from './authentication.ts'
import { merchantAccessColumns } from './merchant-access.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { CustomerPrincipal, TenantPrincipal } from './principal.ts'
import { sessionVariables } from './session-variables.ts'
import { shopperPermissions } from './shopper-permissions.ts'
import {
  audience,
  clockToleranceSeconds,
  issuer,
  maxTokenTtlSeconds,
  signingAlgorithm,
  tokenClaims,
  type TokenClaims,
  type VerificationKeys,
} from '@commerce-graph/access-tokens'
import {
  type OutsideClaims,
  outsideClaims,
  trustedAlgorithms,
  type TrustedIssuers,
} from './trusted-issuers.ts'

export interface TokenKeys {
  /** The keys of our own tokens. */
  readonly keys: VerificationKeys
  readonly trustedIssuers: TrustedIssuers
}

/** Verifies a token, ours or a trusted issuer's, and that its subject still has access. */
export async function verifyToken(
  sql: Sql,
  { keys, trustedIssuers }: TokenKeys,
  token: string,
): Promise<Verification> {
  const outside = trustedIssuers.find(issuerOf(token))
  if (outside !== undefined) {
    const claims = await checked(async () => {
      const { payload } = await jwtVerify(token, outside.keys, {
        algorithms: trustedAlgorithms,
        issuer: outside.issuer,
        audience: outside.audience,
        clockTolerance: clockToleranceSeconds,
        maxTokenAge: maxTokenTtlSeconds,
      })
      return outsideClaims.parse(payload)
    })
    return 'kind' in claims ? claims : grantOutside(sql, outside.merchantId, claims)
  }
  const claims = await checked(async () => tokenClaims.parse((await verifyOwn(keys, token)).payload))
  if (claims.kind === 'refused') return claims
  return claims.kind === 'user' ? grantUser(sql, claims) : grantCustomer(sql, claims)
}

/** Read before the verification, only to choose the keys. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

class UnknownSigningKey extends Error {}

const verifyOwn = (keys: VerificationKeys, token: string) =>
  jwtVerify(
    token,
    async ({ kid }) => {
      const key = kid === undefined ? undefined : await keys.find(kid)
      if (key === undefined) throw new UnknownSigningKey()
      return key
    },
    {
      algorithms: [signingAlgorithm],
      issuer,
      audience,
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: maxTokenTtlSeconds,
    },
  )

async function checked<Claims>(read: () => Promise<Claims>): Promise<Claims | Refusal> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      // The signature is valid. But another issuer's token doesn't name the merchant.
      const actor = error.payload.iss === issuer ? actorOfClaims(error.payload) : undefined
      return refuse('SVC_AUTH_002', 'token has expired', actor)
    }
    // If the keys can't be fetched, the token may still be valid.
    if (error instanceof errors.JWKSTimeout) throw error
    if (error instanceof errors.JOSEError) return refuse('SVC_AUTH_001', `token refused: ${error.code}`)
    if (error instanceof ZodError)
      return refuse('SVC_AUTH_001', `token with unusable claims: ${error.message}`)
    if (error instanceof UnknownSigningKey) return refuse('SVC_AUTH_001', 'token signed with an unknown key')
    throw error
  }
}

function actorOfClaims(claims: unknown): Actor | undefined {
  const read = tokenClaims.safeParse(claims)
  if (!read.success) return undefined
  const { merchant_id: merchantId, kind, sub: id } = read.data
  return { merchantId, kind: kind === 'user' ? 'USER' : 'CUSTOMER', id }
}

type ClaimsOf<Kind extends TokenClaims['kind']> = Extract<TokenClaims, { kind: Kind }>

/**
 * A user has the current permissions of its roles, or none if the merchant requires an authenticator that the user
 * hasn't got. Every change of them is announced, and the user is verified again.
 */
async function grantUser(sql: Sql, claims: ClaimsOf<'user'>): Promise<Verification> {
  const { merchant_id: merchantId, sub: userId, sid: sessionId } = claims
  const [row] = await sql<(MerchantAccessRow & { readonly permissions: readonly string[] })[]>`
    SELECT CASE WHEN t.mfa_required AND NOT u.mfa_enabled THEN '{}' ELSE a.permissions END AS permissions,
      ${merchantAccessColumns(sql)}
    FROM identity.user u
    JOIN identity.session e ON e.merchant_id = u.merchant_id AND e.user_id = u.id
    JOIN identity.user_access a ON a.merchant_id = u.merchant_id AND a.user_id = u.id
    JOIN merchant.merchant m ON m.id = u.merchant_id
    JOIN merchant.settings t ON t.merchant_id = m.id
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE u.merchant_id = ${merchantId} AND u.id = ${userId} AND u.status = 'ACTIVE'
      AND e.id = ${sessionId} AND e.revoked_at IS NULL`
  if (row === undefined)
    return refuse(
      'SVC_AUTH_001',
      `token of user ${userId}, whose session ${sessionId} has ended`,
      actorOfClaims(claims),
    )
  const { permissions, plan, features } = row
  return granted(row, claims.exp, {
    kind: 'user',
    merchantId,
    userId,
    sessionId,
    permissions: new Set(permissions),
    plan,
    features,
    sessionVariables: sessionVariables({ kind: 'user', merchantId, userId }, permissions),
  })
}

async function grantCustomer(sql: Sql, claims: ClaimsOf<'customer'>): Promise<Verification> {
  const { merchant_id: merchantId, sub: customerId, sid: sessionId } = claims
  const [row] = await sql<MerchantAccessRow[]>`
    SELECT ${merchantAccessColumns(sql)}
    FROM crm.customer c
    JOIN identity.session e ON e.merchant_id = c.merchant_id AND e.customer_id = c.id
    JOIN merchant.merchant m ON m.id = c.merchant_id
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE c.merchant_id = ${merchantId} AND c.id = ${customerId} AND c.anonymized_at IS NULL AND c.blocked_at IS NULL
      AND e.id = ${sessionId} AND e.revoked_at IS NULL`
  if (row === undefined) {
    return refuse(
      'SVC_AUTH_001',
      `token of customer ${customerId}, who does not exist or is blocked, or whose session ${sessionId} has ended`,
      actorOfClaims(claims),
    )
  }
  return granted(row, claims.exp, customerPrincipal(row, { merchantId, customerId, sessionId }))
}

/** The issuer has verified the e-mail address, or uses our ids for its customers. */
async function grantOutside(sql: Sql, merchantId: MerchantId, claims: OutsideClaims): Promise<Verification> {
  const email = claims.email_verified === true ? (claims.email ?? null) : null
  const [row] = await sql<(MerchantAccessRow & { readonly id: CustomerId })[]>`
    SELECT c.id, ${merchantAccessColumns(sql)}
    FROM crm.customer c
    JOIN merchant.merchant m ON m.id = c.merchant_id
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE c.merchant_id = ${merchantId} AND c.anonymized_at IS NULL AND c.blocked_at IS NULL
      AND ((c.email = ${email}::citext AND c.has_account) OR c.id::text = ${claims.sub})
    ORDER BY c.id::text = ${claims.sub} DESC
    LIMIT 1`
  if (row === undefined)
    return refuse(
      'SVC_AUTH_001',
      `token of an outside issuer for ${claims.sub}, who is no customer or a blocked one`,
    )
  return granted(row, claims.exp, customerPrincipal(row, { merchantId, customerId: row.id, sessionId: null }))
}

const customerPrincipal = (
  { plan, features }: MerchantAccessRow,
  { merchantId, customerId, sessionId }: Pick<CustomerPrincipal, 'merchantId' | 'customerId' | 'sessionId'>,
): TenantPrincipal => ({
  kind: 'customer',
  merchantId,
  customerId,
  sessionId,
  permissions: new Set(shopperPermissions),
  plan,
  features,
  sessionVariables: sessionVariables({ kind: 'customer', merchantId, customerId }, shopperPermissions),
})

const granted = (row: MerchantAccessRow, exp: number, principal: TenantPrincipal): Verification =>
  suspensionOf(row, actorOf(principal)) ?? {
    kind: 'granted',
    principal,
    expiresAt: (exp + clockToleranceSeconds) * 1000,
    allowList: principal.kind === 'user' ? allowListOf(row) : undefined,
    isTestData: row.is_twin,
  }
