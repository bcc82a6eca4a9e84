import { createHash, randomBytes } from 'node:crypto'
import { defaultPlace, readTagged, tagged } from './place-tag.ts'
import type { Mode } from './principal.ts'

// `cg_live_`, `cg_test_` or `cg_pub_`, the place (place-tag.ts), then 256 random bits in base64url.
const publishable = 'cg_pub_'
const modes = ['live', 'test'] as const
const keyBytes = 32
const randomCharacters = 43
const shownRandomCharacters = 6

export interface GeneratedApiKey {
  /** The key itself. It is shown once and stored nowhere. */
  readonly key: string
  /** The value of `merchant.api_key_hash.hash`. */
  readonly hash: Buffer
  /** The value of `merchant.api_key.prefix`: the kind, the place and a few characters by which people recognize the key. */
  readonly prefix: string
}

/** Makes a new API key. The caller stores hash and prefix. */
export const generateApiKey = (mode: Mode, place = defaultPlace): GeneratedApiKey =>
  randomKey(`cg_${mode}_`, place)

/** Makes a publishable key. It is no secret, so its text is stored as well as its hash. */
export const generatePublishableKey = (place = defaultPlace): GeneratedApiKey => randomKey(publishable, place)

/** @param kind what the key begins with */
export function randomKey(kind: string, place: string): GeneratedApiKey {
  const key = tagged(kind, place, randomBytes(keyBytes).toString('base64url'))
  return { key, hash: hashApiKey(key), prefix: prefixOf(key) }
}

/** The value of `prefix` for a key. */
export const prefixOf = (key: string): string => key.slice(0, shownRandomCharacters - randomCharacters)

/**
 * SHA-256 of the whole key. The 256 random bits of a key can't be guessed, so a slow password hash would only slow
 * down requests.
 */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The properties in the text of a key. */
export interface KeyForm {
  /** Null: a publishable key. */
  readonly mode: Mode | null
  /** Null: the key was made before keys named a place. */
  readonly place: string | null
}

/** Undefined if the text does not have the form of a merchant's key. */
export function keyFormOf(text: string): KeyForm | undefined {
  for (const mode of modes) {
    const read = readTagged(`cg_${mode}_`, text)
    if (read !== null) return { mode, place: read.place }
  }
  const read = readTagged(publishable, text)
  return read === null ? undefined : { mode: null, place: read.place }
}
