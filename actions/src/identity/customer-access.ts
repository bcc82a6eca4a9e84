import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { Session } from '../action/session.ts'
import { type Database, onlyOutcome } from '../database.ts'
import { openedBy } from './sessions.ts'

/** Seconds that a token is good for which a backend has asked for, and the session that it opens. */
const BACKEND_LIFETIME = 60 * 60

type BackendSession =
  | { readonly outcome: 'opened'; readonly id: string }
  | { readonly outcome: 'unknown_customer' | 'anonymized' | 'blocked' }

export type CustomerAccessOutcome =
  | {
      readonly outcome: 'opened'
      readonly sessionId: string
      readonly accessToken: string
      readonly expiresAt: Date
    }
  | Exclude<BackendSession, { readonly outcome: 'opened' }>

/** Opens a session for a customer whom the merchant's backend speaks for. */
export async function openBackendSession(
  database: Database,
  tokenIssuer: TokenIssuer,
  caller: Session,
  customerId: string,
): Promise<CustomerAccessOutcome> {
  const { merchantId, client, device } = caller
  const opened = onlyOutcome(
    await database<{ outcome: BackendSession }[]>`
      SELECT identity.open_backend_session(
        ${merchantId}, ${customerId}, ${client ?? null}, ${device ?? null}, ${database.json(openedBy(caller))},
        make_interval(secs => ${BACKEND_LIFETIME})
      ) AS outcome`,
  )
  if (opened.outcome !== 'opened') return opened
  const token = await tokenIssuer.issue({
    kind: 'customer',
    // Both sides brand the same ids; the customer was just found under this merchant.
    merchantId,
    customerId: customerId as CustomerId,
    sessionId: opened.id,
    ttlSeconds: BACKEND_LIFETIME,
  })
  return { outcome: 'opened', sessionId: opened.id, ...token }
}

/** Ends a customer's sessions and keeps the customer from acting. Done twice, it changes the reason alone. */
export async function blockCustomer(
  database: Database,
  merchantId: MerchantId,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<{ readonly outcome: 'changed' | 'unknown_customer' | 'anonymized' }> {
  return onlyOutcome(
    await database<{ outcome: { outcome: 'changed' | 'unknown_customer' | 'anonymized' } }[]>`
      SELECT identity.block_customer(${merchantId}, ${id}, ${reason}) AS outcome`,
  )
}

/** Lets a customer act again. Done twice, it changes nothing more. */
export async function unblockCustomer(
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<{ readonly outcome: 'changed' | 'unknown_customer' }> {
  return onlyOutcome(
    await database<{ outcome: { outcome: 'changed' | 'unknown_customer' } }[]>`
      SELECT identity.unblock_customer(${merchantId}, ${id}) AS outcome`,
  )
}
