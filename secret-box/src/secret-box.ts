import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

/** AES-256 with Galois/counter mode (NIST SP 800-38D): a sealed text can't be read, and changes to it are detected. */
const algorithm = 'aes-256-gcm'
const keyBytes = 32
// 96 bits is the mode's standard size. Random ones may be used 2³² times with a key, far more than are sealed here.
const nonceBytes = 12
const tagBytes = 16

export interface EncryptionKey {
  /** The prefix of every sealed text names its key, so that keys can be replaced. */
  readonly id: string
  readonly key: Buffer
}

/** Seals secrets in the database that we must be able to read, so that a hash would not do. */
export interface SecretBox {
  /** The id of the sealing key. */
  readonly keyId: string
  /**
   * @param context the kind and owner of the secret; a text opens in the same context only, so it can't be moved to
   * another row
   */
  seal(secret: string, context: string): string
  /** @throws Error if the sealing key is missing, the context differs, or the text was changed */
  open(sealed: string, context: string): string
  /**
   * Digests by which a text can be recognized, one for each key, the current key's first. Because they need a key,
   * they don't allow guesses as a plain hash would.
   */
  digests(text: string): readonly string[]
}

/** @param keys the first one seals, each opens the texts that it has sealed */
export function createSecretBox(keys: readonly EncryptionKey[]): SecretBox {
  const [current] = keys
  if (current === undefined) throw new TypeError('a secret box takes a key at least')
  // Objects, because node takes six times as long for a digest with the bytes of a key.
  const byId = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]))
  const sealingKey = createSecretKey(current.key)
  // Derived keys, because the keys themselves encrypt: each key has one purpose.
  const digestKeys = keys.map(({ key }) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'digest', keyBytes))),
  )
  return {
    keyId: current.id,
    seal(secret, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, sealingKey, nonce, { authTagLength: tagBytes })
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

/** The id of the key that sealed a text. */
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
 * @throws TypeError that names the wrong one, and never shows a key
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
