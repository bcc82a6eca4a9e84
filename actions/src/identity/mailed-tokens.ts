import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as platform from '../sql/generated/platform.ts'
import { hashOf, newMailedToken } from './secrets.ts'
import type { Subject } from './sessions.ts'
import { userTransitions } from './user-machine.ts'
import * as identity from '../sql/generated/identity.ts'

type MailedPurpose = 'INVITATION' | 'EMAIL_VERIFICATION' | 'PASSWORD_RESET'

/** Seconds for which a mailed token is good. */
const lifetime: Readonly<Record<MailedPurpose, number>> = {
  INVITATION: 7 * 24 * 60 * 60,
  EMAIL_VERIFICATION: 24 * 60 * 60,
  PASSWORD_RESET: 60 * 60,
}
/** Seconds between two mails of a kind to the same person. */
const pause = 60

export interface Person {
  readonly subject: Subject
  readonly id: string
}

/** Writes a token down to be mailed. False: the last one was sent a moment ago. */
export async function issueMailedToken(
  { sql, secretBox }: { readonly sql: Queryable; readonly secretBox: SecretBox },
  merchantId: MerchantId,
  { subject, id }: Person,
  purpose: MailedPurpose,
): Promise<boolean> {
  const token = newMailedToken(await platform.place(sql))
  const sealed = secretBox.seal(token.value, contextOf(merchantId, token.hash.toString('hex')))
  const [userId, customerId] = subject === 'USER' ? [id, null] : [null, id]
  return identity.issueOneTimeToken(sql, {
    merchantId,
    purpose,
    userId,
    customerId,
    token: sealed,
    hash: token.hash,
    lifetime: lifetime[purpose],
    pause,
  })
}

/** The owner's invitation to a shop that was opened from a mail, which shows the address: it is handed over, and not mailed. */
export async function invitationToHandOver(
  sql: Queryable,
  merchantId: MerchantId,
  userId: string,
): Promise<string> {
  const token = newMailedToken(await platform.place(sql))
  await identity.issueOneTimeToken(sql, {
    merchantId,
    purpose: 'INVITATION',
    userId,
    customerId: null,
    token: null,
    hash: token.hash,
    lifetime: lifetime.INVITATION,
    pause,
  })
  return token.value
}

export interface PasswordResetOptions {
  readonly database: Database
  readonly secretBox: SecretBox
}

/**
 * Records a request for a new password. It takes as long whether or not an account has the address; who it is,
 * `answerPasswordResets` finds out.
 */
export async function requestPasswordReset(
  database: Database,
  merchantId: MerchantId,
  subject: Subject,
  email: string,
): Promise<void> {
  await database`
    INSERT INTO identity.password_reset_request (merchant_id, subject, email) VALUES (${merchantId}, ${subject}, ${email})
    ON CONFLICT DO NOTHING`
}

interface ResetRequest {
  readonly merchantId: MerchantId
  readonly subject: Subject
  readonly email: string
}

/** Has tokens for new passwords mailed to those requests whose address has an account, or has bought without one. Returns how many requests it looked into. */
export const answerPasswordResets = async ({ database, secretBox }: PasswordResetOptions): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT merchant_id AS "merchantId" FROM identity.password_reset_request
      GROUP BY merchant_id ORDER BY min(created_at) LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(1, () =>
        own.begin(async (sql) => {
          const [request] = await sql<Omit<ResetRequest, 'merchantId'>[]>`
            DELETE FROM identity.password_reset_request
            WHERE merchant_id = ${merchantId} AND (subject, email) IN (
              SELECT subject, email FROM identity.password_reset_request WHERE merchant_id = ${merchantId}
              ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED
            )
            RETURNING subject, email`
          if (request === undefined) return 0
          await issuePasswordReset({ sql, secretBox }, { merchantId, ...request })
          return 1
        }),
      ),
  )

async function issuePasswordReset(
  issuing: { readonly sql: Queryable; readonly secretBox: SecretBox },
  { merchantId, subject, email }: ResetRequest,
): Promise<void> {
  const { sql } = issuing
  if (subject === 'CUSTOMER') {
    const [customer] = await sql<{ id: string }[]>`
      SELECT id FROM crm.customer
      WHERE merchant_id = ${merchantId} AND email = ${email}::citext AND blocked_at IS NULL
      ORDER BY has_account DESC, created_at DESC LIMIT 1`
    if (customer !== undefined)
      await issueMailedToken(issuing, merchantId, { subject, id: customer.id }, 'PASSWORD_RESET')
    return
  }
  const [user] = await sql<{ id: string; status: string }[]>`
    SELECT id, status FROM identity.user
    WHERE merchant_id = ${merchantId} AND email = ${email}::citext AND status IN ('ACTIVE', 'INACTIVE')`
  if (user === undefined) return
  // A user who was invited and has no password yet accepts the invitation by setting one.
  const purpose = user.status === 'ACTIVE' ? 'PASSWORD_RESET' : 'INVITATION'
  await issueMailedToken(issuing, merchantId, { subject, id: user.id }, purpose)
}

/** Sets a password by an invitation's or a reset's token. False: the token is good for nothing. */
export async function resetPassword(
  database: Database,
  merchantId: MerchantId,
  { token, passwordHash }: { readonly token: string; readonly passwordHash: string },
): Promise<boolean> {
  const { from, to } = userTransitions.join
  return identity.resetPassword(database, {
    merchantId,
    hash: hashOf(token),
    passwordHash,
    joinFrom: from,
    joinTo: to,
  })
}

export const verifyEmail = async (
  database: Database,
  merchantId: MerchantId,
  token: string,
): Promise<boolean> => identity.verifyEmail(database, { merchantId, hash: hashOf(token) })

/** It is in the mail, and from now on nowhere else: what stays is its hash. */
export async function forgetMailedToken(
  sql: Queryable,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
): Promise<void> {
  await sql`
    UPDATE identity.one_time_token SET undelivered = NULL WHERE merchant_id = ${merchantId} AND id = ${id}`
}

/** Opens a token that is still to be mailed. @param hash of the token, in hexadecimal */
export const openMailedToken = (
  secretBox: SecretBox,
  {
    merchantId,
    hash,
    sealed,
  }: { readonly merchantId: string; readonly hash: string; readonly sealed: string },
): string => secretBox.open(sealed, contextOf(merchantId, hash))

const contextOf = (merchantId: string, hash: string): string => `mailed token ${merchantId} ${hash}`
