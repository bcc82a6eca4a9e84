import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import { openedBy } from './sessions.ts'
import * as identity from '../sql/generated/identity.ts'

/** Seconds that a token is good for which a backend has asked for, and the session that it opens. */
const backendLifetime = 60 * 60

export type CustomerAccessOutcome =
  | {
      readonly outcome: 'opened'
      readonly sessionId: string
      readonly accessToken: string
      readonly expiresAt: Date
    }
  | Exclude<identity.OpenBackendSessionAnswer, { readonly outcome: 'opened' }>

/** Opens a session for a customer whom the merchant's backend speaks for. */
export async function openBackendSession(
  database: Database,
  tokenIssuer: TokenIssuer,
  caller: Session,
  customerId: string,
): Promise<CustomerAccessOutcome> {
  const { merchantId, client, device } = caller
  const opened = await identity.openBackendSession(database, {
    merchantId,
    customerId,
    client: client ?? null,
    device: device ?? null,
    openedBy: openedBy(caller),
    lifetime: backendLifetime,
  })
  if (opened.outcome !== 'opened') return opened
  const token = await tokenIssuer.issue({
    kind: 'customer',
    // Both sides brand the same ids; the customer was just found under this merchant.
    merchantId,
    customerId: customerId as CustomerId,
    sessionId: opened.id,
    ttlSeconds: backendLifetime,
  })
  return { outcome: 'opened', sessionId: opened.id, ...token }
}

/** Ends a customer's sessions and keeps the customer from acting. Done twice, it changes the reason alone. */
export const blockCustomer = async (
  database: Database,
  merchantId: MerchantId,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<identity.BlockCustomerAnswer> =>
  identity.blockCustomer(database, { merchantId, customerId: id, reason })

/** Lets a customer act again. Done twice, it changes nothing more. */
export const unblockCustomer = async (
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<identity.UnblockCustomerAnswer> =>
  identity.unblockCustomer(database, { merchantId, customerId: id })
