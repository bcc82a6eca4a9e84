import type { Actor } from '@commerce-graph/audit'
import type { ApiKeyId, MerchantId } from '@commerce-graph/contract/ids'
import type { Sql } from '@commerce-graph/postgres-driver'
import { type MerchantAccessRow, suspensionOf, type Verification } from './access.ts'
import { hashApiKey } from './api-key.ts'
import { refuse } from './authentication.ts'
import { guestPermissions } from './guest-permissions.ts'
import { merchantAccessColumns } from './merchant-access.ts'
import { sessionVariables } from './session-variables.ts'

type PublishableKeyRow = MerchantAccessRow & {
  readonly merchant_id: MerchantId
  readonly id: ApiKeyId
  readonly origins: readonly string[]
  readonly max_age: number
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

/** Looks up a publishable key. Its origins are checked for each request (origin-rule.ts). */
export async function verifyPublishableKey(sql: Sql, key: string, place: string): Promise<Verification> {
  const [row] = await sql<PublishableKeyRow[]>`
    SELECT k.merchant_id, k.id, k.origins, k.max_age, k.expires_at, k.revoked_at, ${merchantAccessColumns(sql)}
    FROM merchant.api_key_hash h
    JOIN merchant.api_key k ON k.merchant_id = h.merchant_id AND k.id = h.key_id
    JOIN merchant.merchant m ON m.id = k.merchant_id
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE h.hash = ${hashApiKey(key)} AND k.kind = 'PUBLISHABLE'`
  return row === undefined ? refuse('SVC_AUTH_001', 'unknown publishable key') : grant(row, place)
}

function grant(row: PublishableKeyRow, place: string): Verification {
  const { merchant_id: merchantId, id: keyId, plan, features, origins } = row
  const expiresAt = row.expires_at?.getTime() ?? Infinity
  const actor: Actor = { merchantId, kind: 'KEY', id: keyId }
  if (row.revoked_at !== null) return refuse('SVC_AUTH_001', `publishable key ${keyId} was revoked`, actor)
  if (expiresAt <= Date.now()) return refuse('SVC_AUTH_001', `publishable key ${keyId} has expired`, actor)
  return (
    suspensionOf(row, actor) ?? {
      kind: 'granted',
      principal: {
        kind: 'guest',
        merchantId,
        keyId,
        maxAge: row.max_age,
        place,
        permissions: new Set(guestPermissions),
        plan,
        features,
        sessionVariables: sessionVariables({ kind: 'guest', merchantId, keyId }, guestPermissions),
      },
      expiresAt,
      allowList: undefined,
      isTestData: row.is_twin,
      origins: new Set(origins),
    }
  )
}
