import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** AES-256 with Galois/counter mode (NIST SP 800-38D): sealed text can't be read, and a change to it is noticed. */
const algorithm = 'aes-256-gcm'
const keyBytes = 32
// 96 bits are what the mode is made for. Random ones may be used 2³² times under a key, far beyond what is sealed here.
const nonceBytes = 12
const tagBytes = 16

export interface EncryptionKey {
  /** Stands before all that is sealed with it, so that keys can be replaced. */
  readonly id: string
  readonly key: Buffer
}

/** Seals secrets that the database keeps and that we have to read again: a hash would not do. */
export interface SecretBox {
  /** Of the key that seals. */
  readonly keyId: string
  /** @param context what the secret is and whose; it opens under the same words only, so it can't be put into another row */
  seal(secret: string, context: string): string
  /** @throws Error when it was sealed with a key that isn't here, under another context, or has been changed */
  open(sealed: string, context: string): string
  /**
   * What a text is known again by, under each of the keys, the current one first. Without a key, trying texts does not show
   * which one it was, as it would with a plain hash.
   */
  digests(text: string): readonly string[]
}

/** @param keys the first one seals, each opens what it has sealed */
export function createSecretBox(keys: readonly EncryptionKey[]): SecretBox {
  const [current] = keys
  if (current === undefined) throw new TypeError('a secret box takes a key at least')
  const byId = new Map(keys.map(({ id, key }) => [id, key]))
  // Not the keys themselves, which encrypt: a key does one thing.
  const digestKeys = keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'digest', keyBytes)))
  return {
    keyId: current.id,
    seal(secret, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, current.key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(context))
      const sealed = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `${current.id}.${sealed.toString('base64url')}`
    },
    open(sealed, context) {
      const id = sealedWith(sealed)
      const key = byId.get(id)
      if (key === undefined) throw new Error(`sealed with the key ${id}, which ENCRYPTION_KEYS doesn't have`)
      const bytes = Buffer.from(sealed.slice(id.length + 1), 'base64url')
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      const secret = decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8')
      return secret + decipher.final('utf8')
    },
    digests: (text) => digestKeys.map((key) => createHmac('sha256', key).update(text).digest('base64url')),
  }
}

/** The id of the key that something was sealed with. */
const sealedWith = (sealed: string): string => sealed.slice(0, Math.max(0, sealed.indexOf('.')))

/** A random key with a random id. */
export const newEncryptionKey = (): EncryptionKey => ({
  id: `k${randomBytes(4).toString('hex')}`,
  key: randomBytes(keyBytes),
})

/** `id:base64,id:base64`, as `parseEncryptionKeys` reads it. */
export const formatEncryptionKeys = (keys: readonly EncryptionKey[]): string =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',')

/**
 * Reads keys: `id:base64,id:base64`, each of 32 bytes.
 *
 * @throws TypeError that says which of them is wrong, and never shows a key
 */
export function parseEncryptionKeys(text: string): readonly [EncryptionKey, ...EncryptionKey[]] {
  const [first, ...others] = text.split(',').map((part, index): EncryptionKey => {
    const [, id, base64] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+=*)$/.exec(part.trim()) ?? []
    if (id === undefined || base64 === undefined) {
      throw new TypeError(`must be id:base64,id:base64; number ${index + 1} isn't`)
    }
    const key = Buffer.from(base64, 'base64')
    if (key.length !== keyBytes) {
      throw new TypeError(`must be keys of ${keyBytes} bytes; ${id} has ${key.length}`)
    }
    return { id, key }
  })
  if (first === undefined) throw new TypeError('must have a key at least')
  if (new Set([first, ...others].map(({ id }) => id)).size <= others.length) {
    throw new TypeError('must have another id for each key')
  }
  return [first, ...others]
}
