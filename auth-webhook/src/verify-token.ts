import { errors, jwtVerify } from 'jose'
import type { Sql } from 'postgres'
import { allowListOf, type MerchantAccessRow, type Verification } from './access.ts'
import { refuse, type Refusal } from './authentication.ts'
import { merchantAccessColumns } from './merchant-access.ts'
import { sessionVariables } from './session-variables.ts'
import { SHOPPER_PERMISSIONS } from './shopper-permissions.ts'
import { SIGNING_ALGORITHM, type VerificationKeys } from './signing-keys.ts'
import {
  AUDIENCE,
  CLOCK_TOLERANCE_SECONDS,
  customerClaims,
  ISSUER,
  MAX_TOKEN_TTL_SECONDS,
  type CustomerClaims,
} from './token-claims.ts'

/** Checks a shopper's token, and that the shopper still exists. */
export async function verifyToken(sql: Sql, keys: VerificationKeys, token: string): Promise<Verification> {
  const claims = await readClaims(keys, token)
  return 'kind' in claims && claims.kind === 'refused' ? claims : grant(sql, claims)
}

class UnknownSigningKey extends Error {}

async function readClaims(keys: VerificationKeys, token: string): Promise<CustomerClaims | Refusal> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = kid === undefined ? undefined : await keys.find(kid)
        if (key === undefined) throw new UnknownSigningKey()
        return key
      },
      {
        algorithms: [SIGNING_ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: MAX_TOKEN_TTL_SECONDS,
      },
    )
    const claims = customerClaims.safeParse(payload)
    return claims.success
      ? claims.data
      : refuse('SVC_AUTH_001', `token with unusable claims: ${claims.error.message}`)
  } catch (error) {
    if (error instanceof errors.JWTExpired) return refuse('SVC_AUTH_002', 'token has expired')
    if (error instanceof errors.JOSEError) return refuse('SVC_AUTH_001', `token refused: ${error.code}`)
    if (error instanceof UnknownSigningKey) return refuse('SVC_AUTH_001', 'token signed with an unknown key')
    throw error
  }
}

async function grant(sql: Sql, claims: CustomerClaims): Promise<Verification> {
  const { merchant_id: merchantId, sub: customerId } = claims
  const [row] = await sql<MerchantAccessRow[]>`
    SELECT ${merchantAccessColumns(sql)}
    FROM crm.customer c
    JOIN merchant.merchant m ON m.id = c.merchant_id
    LEFT JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE c.merchant_id = ${merchantId} AND c.id = ${customerId} AND c.anonymized_at IS NULL`
  if (row === undefined) return refuse('SVC_AUTH_001', `token of customer ${customerId}, who does not exist`)
  return {
    kind: 'granted',
    principal: {
      kind: 'customer',
      merchantId,
      customerId,
      permissions: new Set(SHOPPER_PERMISSIONS),
      plan: row.plan,
      features: row.features,
      sessionVariables: sessionVariables({ kind: 'customer', merchantId, customerId }, SHOPPER_PERMISSIONS),
    },
    expiresAt: (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000,
    allowList: allowListOf(row),
  }
}
