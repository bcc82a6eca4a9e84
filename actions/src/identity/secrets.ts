import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** A text that only its bearer knows, and what is stored of it. */
export interface Secret {
  readonly value: string
  readonly hash: Buffer
}

/** 256 random bits: nobody guesses them, so a plain hash is enough. */
export function newToken(): Secret {
  const value = randomBytes(TOKEN_BYTES).toString('base64url')
  return { value, hash: hashOf(value) }
}

/** For whoever has lost the authenticator: `k7m2x-…`, four groups of four. */
export function newRecoveryCodes(): readonly Secret[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const value = base32(randomBytes(RECOVERY_BYTES)).replace(/(.{4})(?!$)/g, '$1-')
    return { value, hash: recoveryHash(value) }
  })
}

export const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest()

/** However it was typed. */
export const recoveryHash = (code: string): Buffer => hashOf(code.toLowerCase().replace(/[^a-z0-9]/g, ''))

// Letters and digits that nobody mistakes for one another when copying them from paper.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789'

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replace(/.{5}/g, (five) => ALPHABET[Number.parseInt(five, 2)] ?? '')
}
