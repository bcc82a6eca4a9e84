import type { CustomerId, MerchantId, UserId } from '@commerce-graph/contract/ids'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { Session } from '../action/session.ts'
import type { Database, Queryable } from '../database.ts'
import { hashOf, newToken } from './secrets.ts'
import * as identity from '../sql/generated/identity.ts'

/** Whom a session is for. */
export type Subject = 'USER' | 'CUSTOMER'

/** The tokens that a sign-in returns. */
export interface Tokens {
  readonly accessToken: string
  /** ISO 8601. */
  readonly expiresAt: string
  readonly refreshToken: string
}

/** Seconds that an access token is good for. Revoked sooner, it is refused sooner. */
const accessLifetime = 15 * 60
/** Seconds for which a session may lie idle: as long as a refresh token is good for. */
const idleLifetime = { USER: 12 * 60 * 60, CUSTOMER: 30 * 24 * 60 * 60 } as const
/** Seconds after which it ends, however much it is used. */
const sessionLifetime = { USER: 7 * 24 * 60 * 60, CUSTOMER: 365 * 24 * 60 * 60 } as const

/**
 * Opens a session for a person who has proved to be `id`. Null: the person may not sign in any more.
 *
 * @param caller whose request it is; the network of the person's client is remembered
 */
export async function openSession(
  sql: Queryable,
  tokenIssuer: TokenIssuer,
  caller: Session,
  { subject, id }: { readonly subject: Subject; readonly id: string },
): Promise<Tokens | null> {
  const { merchantId, client, device } = caller
  const refresh = newToken()
  const sessionId = await identity.openSession(sql, {
    merchantId,
    subject,
    id,
    client: client ?? null,
    device: device ?? null,
    openedBy: openedBy(caller),
    refreshHash: refresh.hash,
    refreshLifetime: idleLifetime[subject],
    sessionLifetime: sessionLifetime[subject],
  })
  if (sessionId === null) return null
  return tokens(tokenIssuer, merchantId, { subject, id, sessionId, refreshToken: refresh.value })
}

/** The caller that opened a session, as stored with the session. */
export function openedBy(caller: Session): { readonly kind: 'KEY' | 'USER'; readonly id: string } | null {
  if (caller.role === 'customer') return null
  if (caller.role === 'merchant' && caller.userId !== undefined) return { kind: 'USER', id: caller.userId }
  return caller.keyId === undefined ? null : { kind: 'KEY', id: caller.keyId }
}

/** New tokens for a refresh token, which is used up by it. Null: it is good for nothing, and its session may have ended. */
export async function refreshSession(
  database: Database,
  tokenIssuer: TokenIssuer,
  merchantId: MerchantId,
  refreshToken: string,
): Promise<Tokens | null> {
  const next = newToken()
  const rotation = await identity.rotateRefreshToken(database, {
    merchantId,
    hash: hashOf(refreshToken),
    nextHash: next.hash,
    userLifetime: idleLifetime.USER,
    customerLifetime: idleLifetime.CUSTOMER,
  })
  if (rotation.outcome === 'refused') return null
  return tokens(tokenIssuer, merchantId, { ...rotation, refreshToken: next.value })
}

/** Ends the session of a refresh token, or all of the same person's. Returns how many ended. */
export const signOut = async (
  database: Database,
  merchantId: MerchantId,
  { refreshToken, everywhere }: { readonly refreshToken: string; readonly everywhere: boolean },
): Promise<number> => identity.signOut(database, { merchantId, hash: hashOf(refreshToken), everywhere })

/** Ends one of the sessions that the caller may end. False: there is no such session. */
export async function revokeSession(database: Database, caller: Session, id: string): Promise<boolean> {
  const userId = caller.role === 'merchant' ? (caller.userId ?? null) : null
  const customerId = caller.role === 'customer' ? caller.customerId : null
  const ofCustomers = caller.role === 'merchant' && caller.permissions.has('customers:write')
  return identity.endSession(database, {
    merchantId: caller.merchantId,
    sessionId: id,
    userId,
    customerId,
    ofCustomers,
  })
}

async function tokens(
  tokenIssuer: TokenIssuer,
  merchant: MerchantId,
  session: {
    readonly subject: Subject
    readonly id: string
    readonly sessionId: string
    readonly refreshToken: string
  },
): Promise<Tokens> {
  const { subject, id, sessionId, refreshToken } = session
  // Both sides brand the same ids, which come from the database here.
  const shared = { merchantId: merchant, sessionId, ttlSeconds: accessLifetime }
  const { accessToken, expiresAt } = await tokenIssuer.issue(
    subject === 'USER'
      ? { kind: 'user', userId: id as UserId, ...shared }
      : { kind: 'customer', customerId: id as CustomerId, ...shared },
  )
  return { accessToken, expiresAt: expiresAt.toISOString(), refreshToken }
}
