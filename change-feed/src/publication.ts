import pg from 'pg'

/** Runs a statement without parameters, and returns its rows. */
export type RunSql = (text: string) => Promise<readonly unknown[]>

export interface PublicationOptions {
  readonly publication: string
  /** A column that says whose row it is, in tables that have it. */
  readonly partitionColumn: string | undefined
  /** Schemas whose tables are left out, besides Postgres' own and Hasura's. */
  readonly leftOut?: readonly string[]
}

/** A message in the log itself. */
export const announcement = { prefix: 'change-feed', content: 'schema' } as const

interface Definition {
  readonly definition: string | null
}

/**
 * Publishes all tables whose changes can be followed, with the columns that name a row and its partition alone, and
 * announces it if that changes anything. The user must own the tables, and the publication if there is one.
 *
 * Left out are tables without a replica identity, because Postgres refuses to update a row of one that is published;
 * unlogged ones; and those with partitions or heirs, whose rows can go without a change of a row (DROP TABLE, DETACH).
 */
export async function publishTables(run: RunSql, options: PublicationOptions): Promise<void> {
  const name = pg.escapeIdentifier(options.publication)
  const wanted = definitions(await run(followableTables(options)))
  const rows = await run(presentTables(options.publication))
  if (rows.length === 0) await run(`CREATE PUBLICATION ${name}`)
  const present = definitions(rows)
  if (wanted.join() === present.join()) return
  // A publication can't be set to no table.
  if (wanted.length > 0) await run(`ALTER PUBLICATION ${name} SET TABLE ${wanted.join(', ')}`)
  else await run(`DROP PUBLICATION ${name}`)
  await announceSchema(run)
}

/**
 * Takes all tables out of the publication, so that their key columns can change. To be followed by `publishTables` in the
 * same transaction: what it announces there covers the rows that changed while no table was published.
 */
export async function withdrawTables(run: RunSql, publication: string): Promise<void> {
  const tables = (await run(presentTableNames(publication))) as readonly { readonly name: string }[]
  if (tables.length === 0) return
  const names = tables.map(({ name }) => name)
  await run(`ALTER PUBLICATION ${pg.escapeIdentifier(publication)} DROP TABLE ${names.join(', ')}`)
}

/** Tells the feeds of all processes that views, functions or policies may have changed. */
export async function announceSchema(run: RunSql): Promise<void> {
  const { prefix, content } = announcement
  await run(`SELECT pg_logical_emit_message(true, '${prefix}', '${content}')`)
}

const definitions = (rows: readonly unknown[]): readonly string[] =>
  (rows as readonly Definition[]).flatMap(({ definition }) => definition ?? []).toSorted()

function followableTables({ partitionColumn = '', leftOut = [] }: PublicationOptions): string {
  const schemas = ['information_schema', 'hdb_catalog', ...leftOut].map((each) => pg.escapeLiteral(each))
  return `
    SELECT
      format('%I.%I', n.nspname, c.relname)
        || CASE WHEN c.relreplident <> 'f' THEN ' (' || l.columns || ')' ELSE '' END AS definition
    FROM
      pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_index i
        ON i.indrelid = c.oid
        AND i.indimmediate
        AND ((c.relreplident = 'd' AND i.indisprimary) OR (c.relreplident = 'i' AND i.indisreplident)),
      LATERAL (
        SELECT
          string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns,
          bool_or(a.attgenerated <> '') AS generated
        FROM pg_attribute a
        WHERE
          a.attrelid = c.oid
          AND a.attnum > 0
          AND NOT a.attisdropped
          AND (a.attname = ${pg.escapeLiteral(partitionColumn)} OR a.attnum = ANY (i.indkey))
      ) l
    WHERE
      c.relkind = 'r'
      AND c.relpersistence = 'p'
      AND NOT EXISTS (SELECT FROM pg_inherits h WHERE c.oid IN (h.inhparent, h.inhrelid))
      AND (c.relreplident = 'f' OR (i.indexrelid IS NOT NULL AND NOT l.generated))
      AND n.nspname NOT LIKE 'pg\\_%'
      AND n.nspname NOT IN (${schemas.join(', ')})
      AND pg_has_role(c.relowner, 'USAGE')`
}

/** No row: there is no publication. */
const presentTables = (publication: string): string => `
    SELECT
      CASE WHEN c.oid IS NOT NULL THEN format('%I.%I', n.nspname, c.relname)
        || CASE WHEN r.prattrs IS NULL THEN '' ELSE ' (' || (
          SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
          FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum = ANY (r.prattrs)
        ) || ')' END
        || CASE WHEN r.prqual IS NULL THEN '' ELSE ' WHERE' END END AS definition
    FROM
      pg_publication p
      LEFT JOIN (
        pg_publication_rel r
        JOIN pg_class c ON c.oid = r.prrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
      ) ON r.prpubid = p.oid
    WHERE p.pubname = ${pg.escapeLiteral(publication)}`

const presentTableNames = (publication: string): string => `
    SELECT format('%I.%I', n.nspname, c.relname) AS name
    FROM
      pg_publication p
      JOIN pg_publication_rel r ON r.prpubid = p.oid
      JOIN pg_class c ON c.oid = r.prrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE p.pubname = ${pg.escapeLiteral(publication)}`

/**
 * The oids of the tables of which every change is published; no row: there is no such publication. Rows of tables with
 * partitions or heirs can go without a change of a row.
 */
export const coveredTables = (publication: string): string => `
    SELECT
      CASE
        WHEN
          c.relkind = 'r'
          AND t.rowfilter IS NULL
          AND p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate
          AND NOT EXISTS (SELECT FROM pg_inherits h WHERE c.oid IN (h.inhparent, h.inhrelid))
        THEN c.oid::text
      END AS oid
    FROM
      pg_publication p
      LEFT JOIN (
        pg_publication_tables t
        JOIN pg_namespace n ON n.nspname = t.schemaname
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
      ) ON t.pubname = p.pubname
    WHERE p.pubname = ${pg.escapeLiteral(publication)}`
