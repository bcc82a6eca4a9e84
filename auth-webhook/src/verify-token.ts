import { decodeJwt, errors, jwtVerify } from 'jose'
import type { Sql } from '@commerce-graph/postgres-driver'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { ZodError } from 'zod'
import { allowListOf, type MerchantAccessRow, suspensionOf, type Verification } from './access.ts'
import { actorOf } from './actor.ts'
import type { Actor } from '@commerce-graph/audit'
import { refuse, type Refusal } from './authentication.ts'
import { customersNamedBy } from './customers-named-by.ts'
import { merchantAccessColumns } from './merchant-access.ts'
import type { ApiKeyId, CustomerId, MerchantId, UserId } from '@commerce-graph/contract/ids'
import type { CustomerPrincipal, Mode, TenantPrincipal } from './principal.ts'
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
  pool: Sql,
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
    return 'kind' in claims
      ? claims
      : grantOutside(forMerchant(pool, outside.merchantId), outside.merchantId, claims)
  }
  const claims = await checked(async () => tokenClaims.parse((await verifyOwn(keys, token)).payload))
  if (claims.kind === 'refused') return claims
  const sql = forMerchant(pool, claims.merchant_id)
  switch (claims.kind) {
    case 'user':
      return grantUser(sql, claims)
    case 'customer':
      return grantCustomer(sql, claims)
    case 'job':
      return grantJob(sql, claims)
    case 'webhook':
      return grantEndpoint(sql, claims)
    default:
      return claims satisfies never
  }
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
  const { data: claimed } = read
  const { merchant_id: merchantId } = claimed
  switch (claimed.kind) {
    case 'user':
      return { merchantId, kind: 'USER', id: claimed.sub }
    case 'customer':
      return { merchantId, kind: 'CUSTOMER', id: claimed.sub }
    case 'job':
      return { merchantId, kind: claimed.holder_kind === 'key' ? 'KEY' : 'USER', id: claimed.holder }
    case 'webhook':
      return { merchantId, kind: 'KEY', id: claimed.sub }
    default:
      return claimed satisfies never
  }
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

/**
 * A job has those of its permissions that its holder has now. It is the platform's own request, so the merchant's
 * allow-list of addresses is not for it.
 */
async function grantJob(sql: Sql, claims: ClaimsOf<'job'>): Promise<Verification> {
  const { merchant_id: merchantId, sub: jobId, holder_kind: kind, holder } = claims
  const [row] = await sql<
    (MerchantAccessRow & { readonly permissions: readonly string[]; readonly mode: Mode })[]
  >`
    SELECT h.permissions, h.mode, ${merchantAccessColumns(sql)}
    FROM (
      SELECT k.reaches_merchant_id AS merchant_id, k.permissions, k.mode
      FROM merchant.api_key k
      WHERE ${kind} = 'key' AND k.reaches_merchant_id = ${merchantId} AND k.id = ${holder} AND k.kind = 'SECRET'
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      UNION ALL
      SELECT u.merchant_id, CASE WHEN t.mfa_required AND NOT u.mfa_enabled THEN '{}' ELSE a.permissions END, 'live'
      FROM identity.user u
      JOIN identity.user_access a ON a.merchant_id = u.merchant_id AND a.user_id = u.id
      JOIN merchant.settings t ON t.merchant_id = u.merchant_id
      WHERE ${kind} = 'user' AND u.merchant_id = ${merchantId} AND u.id = ${holder} AND u.status = 'ACTIVE'
    ) h
    JOIN merchant.merchant m ON m.id = h.merchant_id
    JOIN merchant.subscription s ON s.merchant_id = m.id`
  if (row === undefined)
    return refuse(
      'SVC_AUTH_001',
      `job ${jobId} of the ${kind} ${holder}, which is gone`,
      actorOfClaims(claims),
    )
  const { plan, features, mode } = row
  const permissions = row.permissions.filter((name) => claims.permissions.includes(name))
  const shared = { merchantId, jobId, permissions: new Set(permissions), plan, features }
  const granting = (principal: TenantPrincipal) => ({
    ...granted(row, claims.exp, principal),
    allowList: undefined,
  })
  if (kind === 'key') {
    const keyId = holder as ApiKeyId
    const variables = sessionVariables({ kind, merchantId, keyId }, permissions)
    return granting({ ...shared, kind, keyId, mode, sessionVariables: variables })
  }
  const userId = holder as UserId
  const variables = sessionVariables({ kind, merchantId, userId }, permissions)
  return granting({ ...shared, kind, userId, sessionId: jobId, sessionVariables: variables })
}

async function grantCustomer(sql: Sql, claims: ClaimsOf<'customer'>): Promise<Verification> {
  const { merchant_id: merchantId, sub: customerId, sid: sessionId } = claims
  const [row] = await sql<(MerchantAccessRow & { readonly network: string | null })[]>`
    SELECT CASE WHEN e.origin = 'SIGN_IN' THEN e.network END AS network, ${merchantAccessColumns(sql)}
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
  const { network } = row
  return granted(row, claims.exp, customerPrincipal(row, { merchantId, customerId, sessionId, network }))
}

/**
 * A webhook endpoint reads with the permissions that its token names, and changes nothing. The token ends with the endpoint, or when the
 * endpoint is switched off and on for another caller.
 */
async function grantEndpoint(sql: Sql, claims: ClaimsOf<'webhook'>): Promise<Verification> {
  const { merchant_id: merchantId, sub: endpointId, draft } = claims
  const [row] = await sql<MerchantAccessRow[]>`
    SELECT ${merchantAccessColumns(sql)}
    FROM merchant.merchant m
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE m.id = ${merchantId} AND (
      ${draft}::boolean
      OR EXISTS (SELECT FROM events.endpoint e WHERE e.merchant_id = ${merchantId} AND e.id = ${endpointId}))`
  if (row === undefined)
    return refuse('SVC_AUTH_001', `token of webhook endpoint ${endpointId}, which does not exist`)
  const permissions = claims.permissions.filter((name) => name.endsWith(':read'))
  const keyId = endpointId as ApiKeyId
  const { plan, features } = row
  return granted(row, claims.exp, {
    kind: 'key',
    merchantId,
    keyId,
    mode: 'live',
    jobId: endpointId,
    permissions: new Set(permissions),
    plan,
    features,
    sessionVariables: sessionVariables({ kind: 'key', merchantId, keyId }, permissions),
  })
}

async function grantOutside(sql: Sql, merchantId: MerchantId, claims: OutsideClaims): Promise<Verification> {
  const [row] = await sql<(MerchantAccessRow & { readonly id: CustomerId })[]>`
    SELECT c.id, ${merchantAccessColumns(sql)}
    FROM (${customersNamedBy(sql, merchantId, claims)}) c
    JOIN merchant.merchant m ON m.id = c.merchant_id
    JOIN merchant.subscription s ON s.merchant_id = m.id
    ORDER BY c.named_by
    LIMIT 1`
  if (row === undefined)
    return refuse(
      'SVC_AUTH_001',
      `token of an outside issuer for ${claims.sub}, who is no customer or a blocked one`,
    )
  const customer = { merchantId, customerId: row.id, sessionId: null, network: null }
  return granted(row, claims.exp, customerPrincipal(row, customer))
}

const customerPrincipal = (
  { plan, features }: MerchantAccessRow,
  customer: Pick<CustomerPrincipal, 'merchantId' | 'customerId' | 'sessionId' | 'network'>,
): TenantPrincipal => ({
  kind: 'customer',
  ...customer,
  permissions: new Set(shopperPermissions),
  plan,
  features,
  sessionVariables: sessionVariables({ kind: 'customer', ...customer }, shopperPermissions),
})

const granted = (row: MerchantAccessRow, exp: number, principal: TenantPrincipal): Verification =>
  suspensionOf(row, actorOf(principal)) ?? {
    kind: 'granted',
    principal,
    expiresAt: (exp + clockToleranceSeconds) * 1000,
    allowList: principal.kind === 'user' ? allowListOf(row) : undefined,
    isTestData: row.is_twin,
  }
