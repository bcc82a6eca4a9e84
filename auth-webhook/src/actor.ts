import type { Actor } from '@commerce-graph/audit'
import { noMerchant } from '@commerce-graph/contract/ids'
import type { Principal } from './principal.ts'

/** The principal in the form of the audit log. */
export function actorOf(principal: Principal): Actor {
  if (principal.kind === 'operator')
    return { merchantId: noMerchant, kind: 'OPERATOR', id: principal.operatorKeyId }
  const { merchantId } = principal
  switch (principal.kind) {
    case 'key':
    case 'guest':
      return { merchantId, kind: 'KEY', id: principal.keyId }
    case 'user':
      return { merchantId, kind: 'USER', id: principal.userId }
    case 'customer':
      return { merchantId, kind: 'CUSTOMER', id: principal.customerId }
    default:
      return principal satisfies never
  }
}
