import type { Sql } from '@commerce-graph/postgres-driver'
import { hashApiKey } from './api-key.ts'
import { allowListOf, type MerchantAccessRow, suspensionOf, type Verification } from './access.ts'
import type { Actor } from '@commerce-graph/audit'
import { refuse } from './authentication.ts'
import { merchantAccessColumns } from './merchant-access.ts'
import type { ApiKeyId, MerchantId } from '@commerce-graph/contract/ids'
import type { Mode } from './principal.ts'
import { sessionVariables } from './session-variables.ts'

type KeyRow = MerchantAccessRow & {
  readonly reaches_merchant_id: MerchantId
  readonly id: ApiKeyId
  readonly mode: Mode
  readonly permissions: readonly string[]
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

/** Looks up an API key by its hash, and returns its access. */
export async function verifyKey(sql: Sql, key: string): Promise<Verification> {
  const [row] = await sql<KeyRow[]>`
    SELECT k.reaches_merchant_id, k.id, k.mode, k.permissions, k.expires_at, k.revoked_at, ${merchantAccessColumns(sql)}
    FROM merchant.api_key_hash h
    JOIN merchant.api_key k ON k.merchant_id = h.merchant_id AND k.id = h.key_id
    JOIN merchant.merchant m ON m.id = k.reaches_merchant_id
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE h.hash = ${hashApiKey(key)} AND k.kind = 'SECRET'`
  return row === undefined ? refuse('SVC_AUTH_001', 'unknown key') : grant(row)
}

function grant(row: KeyRow): Verification {
  const expiresAt = row.expires_at?.getTime() ?? Infinity
  const actor: Actor = { merchantId: row.reaches_merchant_id, kind: 'KEY', id: row.id }
  if (row.revoked_at !== null) return refuse('SVC_AUTH_001', `key ${row.id} was revoked`, actor)
  if (expiresAt <= Date.now()) return refuse('SVC_AUTH_001', `key ${row.id} has expired`, actor)
  const suspension = suspensionOf(row, actor)
  if (suspension !== undefined) return suspension
  const { reaches_merchant_id: merchantId, id: keyId, mode, permissions, plan, features } = row
  const variables = sessionVariables({ kind: 'key', merchantId, keyId }, permissions)
  return {
    kind: 'granted',
    principal: {
      kind: 'key',
      merchantId,
      keyId,
      mode,
      permissions: new Set(permissions),
      plan,
      features,
      sessionVariables: variables,
    },
    expiresAt,
    allowList: allowListOf(row),
    isTestData: row.is_twin,
  }
}
