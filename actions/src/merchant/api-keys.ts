import { generateApiKey, generatePublishableKey } from '@commerce-graph/auth-webhook'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import * as platform from '../sql/generated/platform.ts'
import * as merchant from '../sql/generated/merchant.ts'

export interface NewApiKey {
  readonly name: string
  readonly mode: 'live' | 'test'
  readonly permissions: readonly string[]
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null
}

/** Those of the names that are no permission there is. */
export async function unknownPermissions(
  database: Database,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database<{ name: string }[]>`
    SELECT asked.name FROM unnest(${[...names]}::text[]) AS asked(name)
    WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = asked.name)`
  return new Set(rows.map((row) => row.name))
}

/** When a key ends, null being never; undefined: there is no such key. */
export async function endOfKey(
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<Date | null | undefined> {
  const [row] = await database<{ expires_at: Date | null }[]>`
    SELECT expires_at FROM merchant.api_key WHERE merchant_id = ${merchantId} AND id = ${id}`
  return row?.expires_at
}

/** The same of a session's key, by the merchant that it reaches: for a test key not the one that lists it. */
export async function endOfOwnKey(
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<Date | null | undefined> {
  const [row] = await database<{ expires_at: Date | null }[]>`
    SELECT expires_at FROM merchant.api_key WHERE reaches_merchant_id = ${merchantId} AND id = ${id}`
  return row?.expires_at
}

/** Makes a key. Its value is in the answer and nowhere else: only its hash is stored. */
export async function createApiKey(
  database: Database,
  merchantId: MerchantId,
  { name, mode, permissions, expiresAt }: NewApiKey,
): Promise<{ readonly id: string; readonly key: string }> {
  const { key, hash, prefix } = generateApiKey(mode, await platform.place(database))
  const [row] = await database<{ id: string }[]>`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions, expires_at)
      VALUES (${merchantId}, ${name}, ${mode}, ${prefix}, ${[...new Set(permissions)]}::text[], ${expiresAt})
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key
    RETURNING key_id AS id`
  if (row === undefined) throw new Error('The API key was not stored.')
  return { id: row.id, key }
}

/** Makes a key for the pages of these origins. */
export async function createPublishableKey(
  sql: Queryable,
  merchantId: MerchantId,
  { name, origins }: { readonly name: string; readonly origins: readonly string[] },
): Promise<{ readonly id: string; readonly key: string }> {
  const { key, hash, prefix } = generatePublishableKey(await platform.place(sql))
  const [row] = await sql<{ id: string }[]>`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, kind, prefix, publishable_key, origins, permissions)
      VALUES (${merchantId}, ${name}, 'PUBLISHABLE', ${prefix}, ${key}, ${[...new Set(origins)]}::text[], '{}')
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key
    RETURNING key_id AS id`
  if (row === undefined) throw new Error('The publishable key was not stored.')
  return { id: row.id, key }
}

/** Binds a publishable key to these origins alone. False: there is no such publishable key that works. */
export async function setOrigins(
  database: Database,
  merchantId: MerchantId,
  { id, origins }: { readonly id: string; readonly origins: readonly string[] },
): Promise<boolean> {
  const rows = await database`
    UPDATE merchant.api_key SET origins = ${[...new Set(origins)]}::text[]
    WHERE merchant_id = ${merchantId} AND id = ${id} AND kind = 'PUBLISHABLE' AND revoked_at IS NULL
    RETURNING id`
  return rows.length > 0
}

/** Sets the seconds for which the answers to a publishable key's GET requests may be kept. False: there is no such key that works. */
export async function setMaxAge(
  database: Database,
  merchantId: MerchantId,
  { id, maxAge }: { readonly id: string; readonly maxAge: number },
): Promise<boolean> {
  const rows = await database`
    UPDATE merchant.api_key SET max_age = ${maxAge}
    WHERE merchant_id = ${merchantId} AND id = ${id} AND kind = 'PUBLISHABLE' AND revoked_at IS NULL
    RETURNING id`
  return rows.length > 0
}

/**
 * Puts a new key in the place of one, which goes on working for a while. The key's value is in the answer and nowhere else.
 *
 * @param own what the caller may do, and so what the key may permit at most
 */
export async function rotateApiKey(
  database: Database,
  merchantId: MerchantId,
  { own, id, overlap }: { readonly own: ReadonlySet<string>; readonly id: string; readonly overlap: number },
): Promise<
  | Exclude<merchant.RotateApiKeyAnswer, { outcome: 'rotated' }>
  | (Extract<merchant.RotateApiKeyAnswer, { outcome: 'rotated' }> & { key: string })
> {
  const [kept] = await database<{ kind: 'SECRET' | 'PUBLISHABLE'; mode: 'live' | 'test' | null }[]>`
    SELECT kind, mode FROM merchant.api_key WHERE merchant_id = ${merchantId} AND id = ${id}`
  const isPublishable = kept?.kind === 'PUBLISHABLE'
  const place = await platform.place(database)
  const { key, hash, prefix } = isPublishable
    ? generatePublishableKey(place)
    : generateApiKey(kept?.mode ?? 'live', place)
  const rotation = await merchant.rotateApiKey(database, {
    merchantId,
    own: [...own],
    id,
    prefix,
    hash,
    publishableKey: isPublishable ? key : null,
    overlap,
  })
  return rotation.outcome === 'rotated' ? { ...rotation, key } : rotation
}

/** Ends a key, from the moment of the commit (see merchant.notify_access_changed). False: there is no such key. */
export async function revokeApiKey(database: Database, merchantId: MerchantId, id: string): Promise<boolean> {
  const rows = await database`
    UPDATE merchant.api_key SET revoked_at = coalesce(revoked_at, now())
    WHERE merchant_id = ${merchantId} AND id = ${id}
    RETURNING id`
  return rows.length > 0
}
