import type { MerchantId } from '../action/session.ts'
import { type Database, onlyOutcome, type Queryable } from '../database.ts'
import { hashOf, newToken } from './secrets.ts'
import type { Subject } from './sessions.ts'
import { userTransitions } from './user-machine.ts'

export type MailedPurpose = 'INVITATION' | 'EMAIL_VERIFICATION' | 'PASSWORD_RESET'

/** Seconds for which a mailed token is good. */
const LIFETIME: Readonly<Record<MailedPurpose, number>> = {
  INVITATION: 7 * 24 * 60 * 60,
  EMAIL_VERIFICATION: 24 * 60 * 60,
  PASSWORD_RESET: 60 * 60,
}
/** Seconds between two mails of a kind to the same person. */
const PAUSE = 60

export interface Person {
  readonly subject: Subject
  readonly id: string
}

/** Writes a token down to be mailed. False: the last one was sent a moment ago. */
export async function issueMailedToken(
  sql: Queryable,
  merchantId: MerchantId,
  { subject, id }: Person,
  purpose: MailedPurpose,
): Promise<boolean> {
  const token = newToken()
  const [userId, customerId] = subject === 'USER' ? [id, null] : [null, id]
  return onlyOutcome(
    await sql<{ outcome: boolean }[]>`
      SELECT identity.issue_one_time_token(
        ${merchantId}, ${purpose}, ${userId}, ${customerId}, ${token.value}, ${token.hash},
        make_interval(secs => ${LIFETIME[purpose]}), make_interval(secs => ${PAUSE})
      ) AS outcome`,
  )
}

/** Has a token for a new password mailed to whoever the address is, if it is anybody's. */
export async function requestPasswordReset(
  database: Database,
  merchantId: MerchantId,
  subject: Subject,
  email: string,
): Promise<void> {
  if (subject === 'CUSTOMER') {
    const [customer] = await database<{ id: string }[]>`
      SELECT id FROM crm.customer WHERE merchant_id = ${merchantId} AND email = ${email}::citext`
    if (customer !== undefined) {
      await issueMailedToken(database, merchantId, { subject, id: customer.id }, 'PASSWORD_RESET')
    }
    return
  }
  const [user] = await database<{ id: string; status: string }[]>`
    SELECT id, status FROM identity.user
    WHERE merchant_id = ${merchantId} AND email = ${email}::citext AND status IN ('ACTIVE', 'INACTIVE')`
  if (user === undefined) return
  // Who hasn't joined yet joins with the first password.
  const purpose = user.status === 'ACTIVE' ? 'PASSWORD_RESET' : 'INVITATION'
  await issueMailedToken(database, merchantId, { subject, id: user.id }, purpose)
}

/** Sets a password by an invitation's or a reset's token. False: the token is good for nothing. */
export async function resetPassword(
  database: Database,
  merchantId: MerchantId,
  { token, passwordHash }: { readonly token: string; readonly passwordHash: string },
): Promise<boolean> {
  const { from, to } = userTransitions.join
  return onlyOutcome(
    await database<{ outcome: boolean }[]>`
      SELECT identity.reset_password(
        ${merchantId}, ${hashOf(token)}, ${passwordHash}, ${from as string[]}, ${to}
      ) AS outcome`,
  )
}

export async function verifyEmail(
  database: Database,
  merchantId: MerchantId,
  token: string,
): Promise<boolean> {
  return onlyOutcome(
    await database<{ outcome: boolean }[]>`
      SELECT identity.verify_email(${merchantId}, ${hashOf(token)}) AS outcome`,
  )
}

/** A token on its way to somebody's inbox. It is handed out once: whoever takes it has to send it. */
export interface UndeliveredToken {
  readonly merchantId: MerchantId
  readonly id: string
  readonly purpose: MailedPurpose
  readonly userId: string | null
  readonly customerId: string | null
  readonly email: string
  readonly token: string
  readonly expiresAt: Date
}

/** For the e-mail domain. Takers at once get different tokens. */
export async function takeUndeliveredTokens(
  sql: Queryable,
  limit: number,
): Promise<readonly UndeliveredToken[]> {
  return sql<UndeliveredToken[]>`
    SELECT
      merchant_id AS "merchantId", id, purpose, user_id AS "userId", customer_id AS "customerId", email, token,
      expires_at AS "expiresAt"
    FROM identity.take_undelivered_tokens(${limit})`
}
