import type { SecretBox } from '@commerce-graph/secret-box'
import { Secret, TOTP } from 'otpauth'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { newRecoveryCodes, recoveryHash } from './secrets.ts'
import type { Grantor, IdentityOutcome } from './users.ts'
import * as identity from '../sql/generated/identity.ts'

/** The name of the account in authenticator apps. */
const issuer = 'Commerce Graph'
const secretBytes = 20
/** Clocks may be one step of 30 seconds apart, either way. */
const window = 1

export interface SecondFactorOptions {
  readonly database: Database
  /** Seals the authenticators' secrets. They can't be hashed, because a code is computed from its secret. */
  readonly secretBox: SecretBox
}

interface UserReference {
  readonly merchantId: MerchantId
  readonly userId: string
}

/** Takes a one-time code, or a recovery code, of which each is good once. */
export async function checkSecondFactor(
  { database, secretBox }: SecondFactorOptions,
  user: UserReference & { readonly sealedSecret: string },
  code: string,
): Promise<boolean> {
  const { merchantId, userId } = user
  if (!/^\d{6}$/.test(code)) {
    return identity.useRecoveryCode(database, { merchantId, userId, hash: recoveryHash(code) })
  }
  const counter = counterOf(secretBox.open(user.sealedSecret, contextOf(user)), code)
  if (counter === null) return false
  return identity.useTotp(database, { merchantId, userId, counter })
}

export interface Enrollment {
  /** For typing in by hand. */
  readonly secret: string
  /** For a QR code. */
  readonly url: string
}

/** Begins to enrol an authenticator. Null: one is in use already. */
export async function enrollAuthenticator(
  { database, secretBox }: SecondFactorOptions,
  { merchantId, userId }: UserReference,
): Promise<Enrollment | null> {
  const [user] = await database<{ email: string }[]>`
    SELECT email FROM identity.user WHERE merchant_id = ${merchantId} AND id = ${userId}`
  const totp = new TOTP({
    issuer,
    label: user?.email ?? '',
    secret: new Secret({ size: secretBytes }),
  })
  const secret = totp.secret.base32
  const sealed = secretBox.seal(secret, contextOf({ merchantId, userId }))
  const enrolled = await identity.enrollTotp(database, { merchantId, userId, secret: sealed })
  return enrolled ? { secret, url: totp.toString() } : null
}

/** The first code has been shown. The recovery codes are in the answer and nowhere else. Null: the code is wrong. */
export async function confirmAuthenticator(
  { database, secretBox }: SecondFactorOptions,
  { merchantId, userId }: UserReference,
  code: string,
): Promise<readonly string[] | null> {
  const secret = await secretOf({ database, secretBox }, { merchantId, userId })
  const counter = secret === null ? null : counterOf(secret, code)
  if (counter === null) return null
  const codes = newRecoveryCodes()
  const confirmed = await identity.confirmTotp(database, {
    merchantId,
    userId,
    counter,
    recoveryHashes: codes.map(({ hash }) => hash.toString('hex')),
  })
  return confirmed ? codes.map(({ value }) => value) : null
}

/** Signing in takes a password alone again. */
/** Whether the merchant requires authenticators of its users. */
export const requiresAuthenticators = (database: Database, merchantId: MerchantId): Promise<boolean> =>
  identity.requiresMfa(database, { merchantId })

/** Whether the user has to set up an authenticator before it has any permission. */
export const lacksAuthenticator = (
  database: Database,
  { merchantId, userId }: UserReference,
): Promise<boolean> => identity.lacksMfa(database, { merchantId, userId })

export async function removeAuthenticator(
  database: Database,
  { merchantId, userId }: UserReference,
): Promise<void> {
  await identity.removeTotp(database, { merchantId, userId })
}

/** Removes the authenticator of another user, who has lost it. */
export const resetAuthenticator = async (
  database: Database,
  { merchantId, permissions }: Grantor,
  id: string,
): Promise<IdentityOutcome> => identity.resetTotp(database, { merchantId, own: [...permissions], id })

async function secretOf(
  { database, secretBox }: SecondFactorOptions,
  { merchantId, userId }: UserReference,
): Promise<string | null> {
  const [row] = await database<{ secret: string }[]>`
    SELECT secret FROM identity.totp WHERE merchant_id = ${merchantId} AND user_id = ${userId}`
  return row === undefined ? null : secretBox.open(row.secret, contextOf({ merchantId, userId }))
}

const contextOf = ({ merchantId, userId }: Pick<UserReference, 'merchantId' | 'userId'>): string =>
  `totp ${merchantId} ${userId}`

const resealBatch = 500

/** Seals anew what was sealed with another key than the current one, so that the other one can be taken away. Returns how many. */
export const resealAuthenticators = async ({ database, secretBox }: SecondFactorOptions): Promise<number> =>
  inBatches(resealBatch, () =>
    database.begin(async (sql) => {
      const rows = await sql<{ merchantId: MerchantId; userId: string; secret: string }[]>`
        SELECT merchant_id AS "merchantId", user_id AS "userId", secret FROM identity.totp
        WHERE split_part(secret, '.', 1) <> ${secretBox.keyId}
        LIMIT ${resealBatch} FOR UPDATE SKIP LOCKED`
      for (const { secret, ...user } of rows) {
        const sealed = secretBox.seal(secretBox.open(secret, contextOf(user)), contextOf(user))
        await sql`
          UPDATE identity.totp SET secret = ${sealed}
          WHERE merchant_id = ${user.merchantId} AND user_id = ${user.userId}`
      }
      return rows.length
    }),
  )

/** The time step that a code belongs to; null: to none that is near. */
function counterOf(secret: string, code: string): number | null {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, window })
  return delta === null ? null : totp.counter() + delta
}
