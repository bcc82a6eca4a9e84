import { tagged } from '@commerce-graph/auth-webhook'
import { createHash, randomBytes } from 'node:crypto'

const tokenBytes = 32
const recoveryCodes = 10
const recoveryBytes = 10

/** A text that only its bearer knows, and what is stored of it. */
export interface Secret {
  readonly value: string
  readonly hash: Buffer
}

/** 256 random bits can't be guessed, so a plain hash is enough. */
export function newToken(): Secret {
  const value = randomBytes(tokenBytes).toString('base64url')
  return { value, hash: hashOf(value) }
}

/** One for a link in a mail. @param place of the deployment */
export function newMailedToken(place: string): Secret {
  const value = tagged('', place, newToken().value)
  return { value, hash: hashOf(value) }
}

/** For a user who has lost the authenticator: `k7m2x-…`, four groups of four. */
export const newRecoveryCodes = (): readonly Secret[] =>
  Array.from({ length: recoveryCodes }, () => {
    const value = base32(randomBytes(recoveryBytes)).replace(/(.{4})(?!$)/g, '$1-')
    return { value, hash: recoveryHash(value) }
  })

export const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest()

/** However it was typed. */
export const recoveryHash = (code: string): Buffer => hashOf(code.toLowerCase().replace(/[^a-z0-9]/g, ''))

// Letters and digits that are not mistaken for one another when copied from paper.
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] ?? '')
}
