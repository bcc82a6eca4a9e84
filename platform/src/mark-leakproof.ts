import type { Sql } from '@commerce-graph/postgres-driver'

/**
 * Behind row security, Postgres uses an index only by functions that it knows to tell nothing of a row that they refuse, and it knows
 * that of few. These report no value of a row in any error: with them, texts, e-mail addresses, tags, words and metadata are found by
 * their indexes.
 */
const functions = [
  'textlike',
  'texticlike',
  'citext_eq',
  'citext_ne',
  'citext_lt',
  'citext_le',
  'citext_gt',
  'citext_ge',
  'arraycontains',
  'arraycontained',
  'arrayoverlap',
  'jsonb_contains',
  'ts_match_vq',
  'similarity_op',
  'range_overlaps',
] as const

/** Tells Postgres so, if this is a superuser, who alone may. Without it, such a search reads the rows of the merchant. */
export async function markLeakproof(sql: Sql): Promise<void> {
  const unmarked = await sql<{ name: string }[]>`
    SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname IN ('pg_catalog', 'public') AND NOT p.proleakproof AND p.proname IN ${sql(functions)}
      AND (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user)`
  for (const { name } of unmarked) await sql.unsafe(`ALTER FUNCTION ${name} LEAKPROOF`)
}
