import { generateApiKey } from '@commerce-graph/auth-webhook'
import type { MerchantId } from '@commerce-graph/contract/ids'
import postgres from '@commerce-graph/postgres-driver'

export interface EmptyShop {
  readonly merchantId: MerchantId
  readonly key: string
}

/**
 * Creates a shop that has only settings (dollars, a tax rate that yields fractions) and two warehouses, BEND before
 * AVL. The public API has no merchants, so this one is created in the database.
 */
export async function openEmptyShop(databaseUrl: string): Promise<EmptyShop> {
  const sql = postgres(databaseUrl, { max: 1 })
  const { key, hash, prefix } = generateApiKey('live')
  try {
    const [merchant] = await sql<[{ id: MerchantId }]>`
      INSERT INTO merchant.merchant (name, email) VALUES ('An empty shop', 'shop@example.com') RETURNING id`
    const merchantId = merchant.id
    await sql`UPDATE merchant.subscription SET plan = 'ENTERPRISE' WHERE merchant_id = ${merchantId}`
    await sql`UPDATE merchant.settings SET tax_rate = 0.0825 WHERE merchant_id = ${merchantId}`
    await sql`
      INSERT INTO inventory.warehouse (merchant_id, name, code, priority)
      VALUES (${merchantId}, 'Bend', 'BEND', 0), (${merchantId}, 'Asheville', 'AVL', 1)`
    await sql`
      WITH key AS (
        INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
        SELECT ${merchantId}, 'test', 'live', ${prefix}, array_agg(name) FROM merchant.permission
        RETURNING merchant_id, id
      )
      INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
    return { merchantId, key }
  } finally {
    await sql.end()
  }
}
