import type postgres from '@commerce-graph/postgres-driver'

/** A mark in every free text of the twin: if another merchant's answer contains it, rows leak. */
export const canary = 'canary-of-the-other-merchant'

const freeText = new Set([
  'name',
  'description',
  'notes',
  'title',
  'body',
  'line1',
  'product_name',
  'author_name',
  'alt',
])

interface TenantTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string; readonly generated: boolean }[]
}

/** Every table that has a merchant_id, in an order in which rows can be copied: referenced tables first. */
export async function tenantTables(sql: postgres.Sql): Promise<readonly TenantTable[]> {
  const tables = await sql<{ name: string; columns: TenantTable['columns']; parents: string[] }[]>`
    SELECT
      format('%I.%I', n.nspname, c.relname) AS name,
      (
        SELECT json_agg(json_build_object('name', a.attname, 'type', a.atttypid::regtype, 'generated', a.attgenerated <> '') ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      ) AS columns,
      ARRAY(
        SELECT format('%I.%I', pn.nspname, p.relname)
        FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace
        WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid AND NOT k.condeferred
      ) AS parents
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'hdb_catalog'
      AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'merchant_id' AND NOT a.attisdropped)
    ORDER BY 1`
  const sorted: TenantTable[] = []
  const remaining = new Map(tables.map((table) => [table.name, table]))
  while (remaining.size > 0) {
    const ready = [...remaining.values()].filter(
      (table) => !table.parents.some((parent) => remaining.has(parent)),
    )
    if (ready.length === 0)
      throw new Error(`tables reference each other in a circle: ${[...remaining.keys()].join(', ')}`)
    for (const table of ready) {
      sorted.push(table)
      remaining.delete(table.name)
    }
  }
  return sorted
}

/**
 * Copies every row of `original` to `copy`, ids included. Two merchants with the same ids are the hardest case: a
 * statement without a condition on the merchant finds two rows instead of one. With `newId`, an SQL expression over
 * a uuid, the copy has new ids.
 */
export async function copyMerchant(
  sql: postgres.Sql,
  original: string,
  copy: string,
  newId: (id: string) => string = (id) => id,
): Promise<void> {
  const tables = await tenantTables(sql)
  await sql.begin(async (transaction) => {
    // Triggers would create stock items and slugs, but the copied rows are complete.
    await transaction`SET LOCAL session_replication_role = replica`
    await transaction`
      INSERT INTO merchant.merchant SELECT (jsonb_populate_record(m, ${transaction.json({ id: copy, name: canary })})).*
      FROM merchant.merchant m WHERE id = ${original}`
    for (const table of tables) {
      const columns = table.columns.filter((column) => !column.generated)
      const values = columns.map(({ name, type }) =>
        type === 'uuid' && !ofTheCopy.has(name) && !isUnsubscribeToken(table.name, name)
          ? newId(quoted(name))
          : copiedValue(table.name, name),
      )
      await transaction.unsafe(
        `INSERT INTO ${table.name} (${columns.map(({ name }) => quoted(name)).join(', ')})
         SELECT ${values.join(', ')} FROM ${table.name} WHERE merchant_id = $1`,
        [original, copy],
      )
    }
  })
}

/** The same rows with new ids: one fixed mask shifts every uuid column, so references stay valid. */
export async function copyMerchantWithNewIds(
  sql: postgres.Sql,
  original: string,
  copy: string,
): Promise<void> {
  await sql`
    CREATE FUNCTION pg_temp.shifted(id uuid) RETURNS uuid LANGUAGE sql IMMUTABLE
    AS $$ SELECT reverse(replace(id::text, '-', ''))::uuid $$`
  await copyMerchant(sql, original, copy, (column) => `pg_temp.shifted(${column})`)
}

const ofTheCopy = new Set(['merchant_id', 'reaches_merchant_id'])

/** Unique over all merchants, and no id. */
const isUnsubscribeToken = (table: string, column: string): boolean =>
  table === 'email.unsubscribe_token' && column === 'token'

function copiedValue(table: string, column: string): string {
  if (ofTheCopy.has(column)) return '$2::uuid'
  // Values that are unique over all merchants must differ.
  if (table === 'merchant.api_key_hash' && column === 'hash') return 'sha256(hash || $2::uuid::text::bytea)'
  if (isUnsubscribeToken(table, column)) return 'gen_random_uuid()'
  if (table === 'events.change' && column === 'number') return `nextval('events.change_number')`
  if (column === 'processor_payment_intent_id') return `$2::uuid::text || ${quoted(column)}`
  if (freeText.has(column)) return `'${canary} ' || ${quoted(column)}`
  return quoted(column)
}

const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Values that a job keeps consistent with other tables: these rows may change at any moment without a request. */
const derived = new Set([
  'analytics.sales_rollup',
  'analytics.product_rollup',
  'analytics.stock_rollup',
  'analytics.stale_bucket',
  'inventory.unsettled_product',
  'search.document',
  'search.word',
  'search.facet_value',
  'search.changed_attributes',
  'search.changed_language',
  'search.stale_product',
  'search.tallied_scope',
  'search.tally',
  'search.tally_change',
])

/**
 * A digest of every row of a merchant, by table: equal digests mean that nothing has changed. It omits when a key
 * was last used, because any request may write that.
 */
export async function fingerprint(
  sql: postgres.Sql,
  merchantId: string,
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {}
  for (const table of await tenantTables(sql)) {
    if (derived.has(table.name)) continue
    const [row] = await sql.unsafe<{ digest: string }[]>(
      `SELECT count(*) || ':' || md5(coalesce(string_agg(r::text, ',' ORDER BY r::text), '')) AS digest
       FROM (SELECT to_jsonb(t) - 'last_used_at' AS r FROM ${table.name} t WHERE merchant_id = $1) rows`,
      [merchantId],
    )
    digests[table.name] = row?.digest ?? 'no rows'
  }
  return digests
}
