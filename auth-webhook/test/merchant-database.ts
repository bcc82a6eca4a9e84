import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createMigratedDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { generateApiKey, generatePublishableKey } from '../src/api-key.ts'
import type { ApiKeyId, CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Mode } from '../src/principal.ts'

const migrations = join(import.meta.dirname, '../../migrations/default')

export type MerchantDatabase = TestDatabase & { readonly sql: Sql; readonly close: () => Promise<void> }

/** A new database with all migrations. */
export async function createMerchantDatabase(): Promise<MerchantDatabase> {
  const database = await createMigratedDatabase({ migrations })
  const sql = postgres(database.url, { max: 2, onnotice: () => undefined })
  async function close(): Promise<void> {
    await sql.end()
    await database.drop()
  }
  return { ...database, sql, close }
}

export async function createMerchant(sql: Sql): Promise<MerchantId> {
  const [row] = await sql<[{ id: MerchantId }]>`
    INSERT INTO merchant.merchant (name, email) VALUES ('A shop', 'shop@example.com') RETURNING id`
  await sql`UPDATE merchant.subscription SET plan = 'PRO' WHERE merchant_id = ${row.id}`
  return row.id
}

export interface StoredKey {
  readonly key: string
  readonly keyId: ApiKeyId
  readonly authorization: string
}

export async function createKey(
  sql: Sql,
  merchantId: MerchantId,
  { mode = 'live', expiresAt = null }: { mode?: Mode; expiresAt?: Date | null } = {},
): Promise<StoredKey> {
  const { key, hash, prefix } = generateApiKey(mode)
  const [row] = await sql<[{ id: ApiKeyId }]>`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions, expires_at)
      VALUES (${merchantId}, 'test', ${mode}, ${prefix}, ${['orders:read', 'products:read']}, ${expiresAt})
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key
    RETURNING key_id AS id`
  return { key, keyId: row.id, authorization: `Bearer ${key}` }
}

export async function createPublishableKey(
  sql: Sql,
  merchantId: MerchantId,
  origins: readonly string[],
): Promise<StoredKey> {
  const { key, hash, prefix } = generatePublishableKey()
  const [row] = await sql<[{ id: ApiKeyId }]>`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, kind, prefix, publishable_key, origins, permissions)
      VALUES (${merchantId}, 'page', 'PUBLISHABLE', ${prefix}, ${key}, ${[...origins]}, '{}')
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key
    RETURNING key_id AS id`
  return { key, keyId: row.id, authorization: `Bearer ${key}` }
}

export async function createCustomer(sql: Sql, merchantId: MerchantId): Promise<CustomerId> {
  const [row] = await sql<[{ id: CustomerId }]>`
    INSERT INTO crm.customer (merchant_id, email, name) VALUES (${merchantId}, ${`${randomUUID()}@example.com`}, 'A shopper')
    RETURNING id`
  return row.id
}

/** A shopper with a session. */
export async function openSession(
  sql: Sql,
  merchantId: MerchantId,
): Promise<{ readonly customerId: CustomerId; readonly sessionId: string }> {
  const customerId = await createCustomer(sql, merchantId)
  const [session] = await sql<[{ id: string }]>`
    INSERT INTO identity.session (merchant_id, customer_id, expires_at)
    VALUES (${merchantId}, ${customerId}, now() + interval '1 day') RETURNING id`
  return { customerId, sessionId: session.id }
}
