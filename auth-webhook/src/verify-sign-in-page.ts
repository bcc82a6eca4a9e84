import type { MerchantId, UserId } from '@commerce-graph/contract/ids'
import type { Sql } from '@commerce-graph/postgres-driver'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { allowListOf, type MerchantAccessRow, suspensionOf, type Verification } from './access.ts'
import { refuse } from './authentication.ts'
import { merchantAccessColumns } from './merchant-access.ts'
import type { SessionVariables } from './principal.ts'

/** Nobody's id, in the audit log and in the principal: who signs in is known after it only. */
const nobody = '00000000-0000-0000-0000-000000000000' as UserId

const permission = 'user_sessions:write'

/**
 * The access of the sign-in page of `/admin`, which has no credential: it may sign a user of the merchant in, and nothing else.
 * The rules of the merchant's users hold: its suspension, its allow-list.
 */
export async function verifySignInPage(pool: Sql, merchantId: string): Promise<Verification> {
  const sql = forMerchant(pool, merchantId)
  const [row] = await sql<(MerchantAccessRow & { readonly id: MerchantId })[]>`
    SELECT m.id, ${merchantAccessColumns(sql)}
    FROM merchant.merchant m
    JOIN merchant.subscription s ON s.merchant_id = m.id
    WHERE m.id = ${merchantId}`
  if (row === undefined) return refuse('SVC_AUTH_001', 'unknown shop')
  const { id, plan, features } = row
  return (
    suspensionOf(row, { merchantId: id, kind: 'USER', id: nobody }) ?? {
      kind: 'granted',
      principal: {
        kind: 'user',
        merchantId: id,
        userId: nobody,
        sessionId: nobody,
        permissions: new Set([permission]),
        plan,
        features,
        sessionVariables: variablesOf(id),
      },
      expiresAt: Infinity,
      allowList: allowListOf(row),
      isTestData: row.is_twin,
    }
  )
}

/** Without a key's or user's id, so that the session is the person's own, opened by no one else. */
const variablesOf = (merchantId: MerchantId): SessionVariables => ({
  'x-hasura-role': 'merchant',
  'x-hasura-merchant-id': merchantId,
  'x-hasura-permissions': `{${permission}}`,
  'x-hasura-principal-id': nobody,
})
