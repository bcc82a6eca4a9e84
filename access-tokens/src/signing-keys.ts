import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose'
import type { ISql, Sql, TransactionSql } from '@commerce-graph/postgres-driver'
import type { SecretBox } from '@commerce-graph/secret-box'

export const signingAlgorithm = 'ES256'

export interface SigningKey {
  readonly id: string
  readonly privateKey: CryptoKey
}

// A process sees new keys of other processes, and forgets retired ones, after at most this time.
const publicKeysTtlMs = 10_000
// An unknown key id causes a query of the database, but at most one in this time, because clients can invent ids.
const unknownKeyReloadMs = 1_000

/** `private_jwk`: sealed. */
interface SigningKeyRow {
  readonly id: string
  readonly private_jwk: string
}

const contextOf = (id: string): string => `signing key ${id}`

/** The key that signs: the newest one that is not retired. The first call on an empty database creates it. */
export async function currentSigningKey(sql: Sql, secretBox: SecretBox): Promise<SigningKey> {
  const { id, private_jwk: sealed } =
    (await newestSigningKey(sql)) ?? (await createSigningKey(sql, secretBox))
  return { id, privateKey: await importKey(JSON.parse(secretBox.open(sealed, contextOf(id))) as JWK) }
}

async function newestSigningKey(sql: ISql): Promise<SigningKeyRow | undefined> {
  const [row] = await sql<SigningKeyRow[]>`
    SELECT id, private_jwk FROM identity.signing_key
    WHERE algorithm = ${signingAlgorithm} AND retired_at IS NULL
    ORDER BY created_at DESC, id DESC
    LIMIT 1`
  return row
}

// Several processes may start at once on a new database: with the lock, all of them use the first one's key.
const createSigningKey = async (sql: Sql, secretBox: SecretBox): Promise<SigningKeyRow> =>
  underLock(
    sql,
    async (transaction) => (await newestSigningKey(transaction)) ?? insertSigningKey(transaction, secretBox),
  )

/**
 * Replaces the signing key if it is older than `maxAgeSeconds`. Earlier keys verify for another `overlapSeconds`,
 * and are deleted after that.
 */
export const rotateSigningKey = async (
  sql: Sql,
  secretBox: SecretBox,
  maxAgeSeconds: number,
  overlapSeconds: number,
): Promise<boolean> =>
  underLock(sql, async (transaction) => {
    await transaction`DELETE FROM identity.signing_key WHERE retired_at < now() - interval '1 day'`
    const [due] = await transaction`
      SELECT FROM identity.signing_key
      WHERE algorithm = ${signingAlgorithm} AND retired_at IS NULL
      HAVING max(created_at) <= now() - make_interval(secs => ${maxAgeSeconds})`
    if (due === undefined) return false
    const { id } = await insertSigningKey(transaction, secretBox)
    await transaction`
      UPDATE identity.signing_key SET retired_at = now() + make_interval(secs => ${overlapSeconds})
      WHERE algorithm = ${signingAlgorithm} AND retired_at IS NULL AND id <> ${id}`
    return true
  })

async function underLock<T>(sql: Sql, work: (transaction: TransactionSql) => Promise<T>): Promise<T> {
  const result = await sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(hashtextextended('identity.signing_key', 0))`
    return work(transaction)
  })
  return result as T
}

async function insertSigningKey(sql: ISql, secretBox: SecretBox): Promise<SigningKeyRow> {
  const { privateKey, publicKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
  const id = randomUUID()
  const sealed = secretBox.seal(JSON.stringify(await exportJWK(privateKey)), contextOf(id))
  const publicJwk = { ...(await exportJWK(publicKey)) }
  const [created] = await sql<[SigningKeyRow]>`
    INSERT INTO identity.signing_key (id, algorithm, private_jwk, public_jwk)
    VALUES (${id}, ${signingAlgorithm}, ${sealed}, ${sql.json(publicJwk)})
    RETURNING id, private_jwk`
  return created
}

/**
 * Seals values again that were sealed with another key than the current one, so that the old key can be removed.
 * Returns how many.
 */
export const resealSigningKeys = async (sql: Sql, secretBox: SecretBox): Promise<number> =>
  underLock(sql, async (transaction) => {
    const rows = await transaction<SigningKeyRow[]>`
      SELECT id, private_jwk FROM identity.signing_key
      WHERE split_part(private_jwk, '.', 1) <> ${secretBox.keyId}`
    for (const { id, private_jwk: sealed } of rows) {
      const resealed = secretBox.seal(secretBox.open(sealed, contextOf(id)), contextOf(id))
      await transaction`UPDATE identity.signing_key SET private_jwk = ${resealed} WHERE id = ${id}`
    }
    return rows.length
  })

/** The ids of encryption keys that have sealed a signing key and don't open it: another key has the same id here. */
export async function wrongEncryptionKeys(sql: Sql, secretBox: SecretBox): Promise<readonly string[]> {
  const rows = await sql<SigningKeyRow[]>`
    SELECT DISTINCT ON (split_part(private_jwk, '.', 1)) id, private_jwk FROM identity.signing_key
    ORDER BY split_part(private_jwk, '.', 1), created_at DESC`
  return rows.flatMap(({ id, private_jwk: sealed }) => {
    try {
      secretBox.open(sealed, contextOf(id))
      return []
    } catch {
      return sealed.slice(0, sealed.indexOf('.'))
    }
  })
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, signingAlgorithm)
  if (key instanceof Uint8Array) throw new TypeError('a symmetric key among the signing keys')
  return key
}

/** The keys that verify tokens, by id (the token's `kid`). */
export class VerificationKeys {
  readonly #sql: Sql
  #keys: ReadonlyMap<string, CryptoKey> = new Map()
  #published: readonly JWK[] = []
  #loadedAt = -Infinity

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async find(id: string): Promise<CryptoKey | undefined> {
    const age = performance.now() - this.#loadedAt
    if (age > publicKeysTtlMs || (!this.#keys.has(id) && age > unknownKeyReloadMs)) await this.#load()
    return this.#keys.get(id)
  }

  /** The public keys, with which others can verify our tokens (RFC 7517). */
  async published(): Promise<readonly JWK[]> {
    if (performance.now() - this.#loadedAt > publicKeysTtlMs) await this.#load()
    return this.#published
  }

  async #load(): Promise<void> {
    const rows = await this.#sql<{ id: string; public_jwk: JWK }[]>`
      SELECT id, public_jwk FROM identity.signing_key
      WHERE algorithm = ${signingAlgorithm} AND (retired_at IS NULL OR retired_at > now())`
    const keys = await Promise.all(
      rows.map(async (row) => [row.id, await importKey(row.public_jwk)] as const),
    )
    this.#keys = new Map(keys)
    this.#published = rows.map(({ id, public_jwk: jwk }) => ({
      ...jwk,
      kid: id,
      alg: signingAlgorithm,
      use: 'sig',
    }))
    this.#loadedAt = performance.now()
  }
}
