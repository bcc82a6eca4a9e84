import type { Sql } from '@commerce-graph/postgres-driver'
import type { Verification } from './access.ts'
import { noMerchant, type OperatorKeyId } from '@commerce-graph/contract/ids'
import { refuse } from './authentication.ts'
import { findOperatorKey } from './operator-key.ts'
import { sessionVariables } from './session-variables.ts'

/** Looks up an operator's key by its hash. */
export async function verifyOperatorKey(sql: Sql, key: string): Promise<Verification> {
  const found = await findOperatorKey(sql, key)
  if (found.kind === 'refused') {
    const { reason, id } = found
    return refuse(
      'SVC_AUTH_001',
      reason,
      id === undefined ? undefined : { merchantId: noMerchant, kind: 'OPERATOR', id },
    )
  }
  const operatorKeyId = found.id as OperatorKeyId
  return {
    kind: 'granted',
    principal: {
      kind: 'operator',
      operatorKeyId,
      permissions: new Set(),
      sessionVariables: sessionVariables({ kind: 'operator', operatorKeyId }, []),
    },
    expiresAt: Infinity,
    // Allow-lists belong to merchants.
    allowList: undefined,
    isTestData: false,
  }
}
