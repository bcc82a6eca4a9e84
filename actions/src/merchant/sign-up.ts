import type { MerchantId } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Database } from '../database.ts'
import { hashOf, invitationToHandOver, newMailedToken } from '../identity/index.ts'
import { inBatches } from '../in-batches.ts'
import * as platform from '../sql/generated/platform.ts'
import * as operator from '../sql/generated/operator.ts'
import { type NewMerchant, openShop, readNewMerchant } from './accounts.ts'

export interface SignUpOptions {
  readonly database: Database
  readonly secretBox: SecretBox
}

export type SignUpRequest =
  | operator.RequestSignUpAnswer
  | { readonly outcome: 'invalid'; readonly errors: readonly UserError[] }

/** Seconds for which a mailed token opens its shop. */
const lifetime = 24 * 60 * 60

/**
 * Writes a request for a shop down. A job mails the token.
 *
 * @param sent as the client sent it: the fields of CreateMerchantInput
 * @param network of the client, for the bound of requests; null: unknown
 */
export async function requestSignUp(
  { database, secretBox }: SignUpOptions,
  sent: Readonly<Record<string, unknown>>,
  network: string | null,
): Promise<SignUpRequest> {
  const read = readNewMerchant(sent)
  if (read.kind === 'invalid')
    return {
      outcome: 'invalid',
      errors: read.errors.map((error) => ({ ...error, field: withoutInput(error.field) })),
    }
  const account = read.input.input
  if (account.language !== null && !(await isLanguage(database, account.language)))
    return {
      outcome: 'invalid',
      errors: [invalidValue('language', 'There is no such language here')],
    }
  const { value, hash } = newMailedToken(await platform.place(database))
  const token = secretBox.seal(value, tokenContext(hash.toString('hex')))
  return operator.requestSignUp(database, {
    email: account.email,
    account: { ...account },
    network,
    hash,
    token,
    lifetime,
  })
}

const withoutInput = (field: string): string => field.replace(/^input\./, '')

async function isLanguage(database: Database, code: string): Promise<boolean> {
  const rows = await database`SELECT FROM platform.language WHERE code = ${code}`
  return rows.length > 0
}

/** The keys that the bearer of a mailed token gets. The answer can be repeated for some minutes. */
export interface SignedUp {
  readonly merchantId: MerchantId
  readonly liveKey: string
  readonly testKey: string
  readonly publishableKey: string
  /** For `resetPassword`, which makes the bearer the shop's owner. The address is confirmed by the mail. */
  readonly ownerToken: string
}

/** Opens the shop of a mailed token, once. Null: the token is unknown, expired or was used. */
export async function openSignedUp(
  { database, secretBox }: SignUpOptions,
  token: string,
  clientAddress: string | null,
): Promise<SignedUp | null> {
  const hash = hashOf(token)
  const context = `sign-up answer ${hash.toString('hex')}`
  return database.begin(async (sql) => {
    const found = await operator.findSignUp(sql, { hash })
    switch (found.outcome) {
      case 'unknown':
        return null
      case 'opened':
        return JSON.parse(secretBox.open(found.answer, context)) as SignedUp
      case 'open': {
        // It was read before it was written down.
        const opened = await openShop(sql, found.account as unknown as NewMerchant)
        if (opened.outcome === 'unknown_language') return null
        const { ownerId, merchantId, liveKey, testKey, publishableKey } = opened
        const ownerToken = await invitationToHandOver(sql, merchantId, ownerId)
        const answer: SignedUp = { merchantId, liveKey, testKey, publishableKey, ownerToken }
        await operator.completeSignUp(sql, {
          id: found.id,
          answer: secretBox.seal(JSON.stringify(answer), context),
        })
        const entry = {
          merchant_id: merchantId,
          actor_kind: 'OPERATOR',
          client_address: clientAddress,
          source: 'CONTRACT',
          operation: 'signUp',
          target_ids: [merchantId],
          outcome: 'DONE',
        }
        await sql`SELECT audit.append(${sql.json([entry])})`
        return answer
      }
      default:
        return found satisfies never
    }
  })
}

export const tokenContext = (hash: string): string => `sign-up token ${hash}`

const purged = 500

/** Forgets answers with keys after some minutes, and requests after two days. Returns how many. */
export const purgeSignUps = async (database: Database): Promise<number> =>
  inBatches(purged, async () => operator.purgeSignUps(database, { limit: purged }))
