import { createHash, randomBytes } from 'node:crypto'
import type { Mode } from './principal.ts'

// `cg_live_` or `cg_test_`, then 256 random bits in base64url.
const keyForm = /^cg_(live|test)_[A-Za-z0-9_-]{43}$/
const keyBytes = 32
const shownRandomCharacters = 6

export interface GeneratedApiKey {
  /** The key itself. Shown once and stored nowhere. */
  readonly key: string
  /** What `merchant.api_key.hash` holds. */
  readonly hash: Buffer
  /** What `merchant.api_key.prefix` holds: the kind and a few characters to recognise the key by. */
  readonly prefix: string
}

/** Makes a new API key. Pure but for randomness: storing hash and prefix is the caller's business. */
export const generateApiKey = (mode: Mode): GeneratedApiKey => randomKey(`cg_${mode}_`)

/** @param kind what the key begins with */
export function randomKey(kind: string): GeneratedApiKey {
  const key = kind + randomBytes(keyBytes).toString('base64url')
  return { key, hash: hashApiKey(key), prefix: key.slice(0, kind.length + shownRandomCharacters) }
}

/**
 * SHA-256 of the whole key. A key has 256 random bits, so trying them out is hopeless, and a slow password hash would
 * only slow down requests.
 */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The mode that a key's form claims, or undefined when the text has not the form of a key. */
export function apiKeyMode(text: string): Mode | undefined {
  const match = keyForm.exec(text)
  return match === null ? undefined : (match[1] as Mode)
}
