import type postgres from '@commerce-graph/postgres-driver'
import { tenantTables } from '../tenancy/tenants.ts'

/**
 * Some ids from each of a merchant's tables, so that requests name existing rows. It has no ids of keys: the fuzzer
 * would revoke its own key.
 */
export async function idsOfRows(sql: postgres.Sql, merchantId: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { name, columns } of await tenantTables(sql)) {
    if (name === 'merchant.api_key') continue
    if (!columns.some((column) => column.name === 'id' && column.type === 'uuid')) continue
    const rows = await sql.unsafe<{ id: string }[]>(
      `SELECT id FROM ${name} WHERE merchant_id = $1 ORDER BY id LIMIT 3`,
      [merchantId],
    )
    ids.push(...rows.map(({ id }) => id))
  }
  return ids
}
