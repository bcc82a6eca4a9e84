import type { SecretBox } from '@commerce-graph/secret-box'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { checkSecondFactor } from './second-factor.ts'
import type { Passwords } from './passwords.ts'
import type { Subject } from './sessions.ts'
import * as identity from '../sql/generated/identity.ts'

export interface SignIn {
  readonly merchantId: MerchantId
  readonly subject: Subject
  readonly email: string
  /** The network of the client that it comes from; undefined where it isn't known. */
  readonly client: string | undefined
  readonly password: string
  /** A one-time or recovery code, from those who need one. */
  readonly code: string | null
}

/** The user or customer who signed in, or the reason for the refusal. */
export type SignInOutcome =
  | { readonly outcome: 'recognised'; readonly id: string }
  | { readonly outcome: 'blocked'; readonly seconds: number }
  /** An unknown address, a wrong password, a person who may not sign in: the caller can't tell them apart. */
  | { readonly outcome: 'wrong_password' | 'code_required' | 'wrong_code' }

export interface SignInOptions {
  readonly database: Database
  readonly passwords: Passwords
  readonly secretBox: SecretBox
}

/** Attempts at an address from one client before it is blocked there, and for how many seconds at first. */
const ofClient = { free: 5, block: 2 } as const
/**
 * Those from all clients together: many addresses guess at one account no faster than this. It is no way to keep the owner
 * out, who is not counted where the account has been signed in to before.
 */
const ofAll = { free: 30, block: 30 } as const
/** Seconds. */
const longestBlock = 15 * 60

/** Every attempt counts before anything is compared; success forgets the count (`identity.open_session`). */
export async function recognise(
  { database, passwords, secretBox }: SignInOptions,
  { merchantId, subject, email, client, password, code }: SignIn,
): Promise<SignInOutcome> {
  const begun = await identity.beginSignIn(database, {
    merchantId,
    subject,
    email,
    client: client ?? null,
    ofClient,
    ofAll,
    longest: longestBlock,
  })
  if (begun.outcome === 'blocked') return begun
  const known = begun.outcome === 'known' ? begun : null
  const matches = await passwords.verify(known?.passwordHash ?? null, password)
  if (known === null || !matches) return { outcome: 'wrong_password' }
  if (known.totpSecret === null) return { outcome: 'recognised', id: known.id }
  if (code === null) return { outcome: 'code_required' }
  const user = { merchantId, userId: known.id, sealedSecret: known.totpSecret }
  return (await checkSecondFactor({ database, secretBox }, user, code))
    ? { outcome: 'recognised', id: known.id }
    : { outcome: 'wrong_code' }
}
