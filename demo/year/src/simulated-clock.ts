import type { ISql, Sql } from '@commerce-graph/postgres-driver'

/*
 * The rules of the shop are database functions that call `now()`. A session whose search path begins with the schema
 * `demo` uses another `now()`, so the same rules run at any past time. A column's default is bound when the table is
 * created, so a run replaces the defaults and restores them at its end; the clocks of other sessions don't change.
 */

/** The search path of a session with the simulated clock. */
export const simulatedSearchPath = 'demo, pg_catalog, public'

/** Only one run at a time may replace the defaults. */
const clockLock = 4_815_162_342

/** Installs the clock. Returns false if another run has it. */
export async function installClock(sql: Sql): Promise<boolean> {
  const [lock] = await sql<{ held: boolean }[]>`SELECT pg_try_advisory_lock(${clockLock}) AS held`
  if (lock?.held !== true) return false
  await sql.begin(async (transaction) => {
    await transaction.unsafe(clock)
    for (const { table, column } of await defaultsAskingForTheTime(transaction)) {
      await transaction.unsafe(`ALTER TABLE ${table} ALTER COLUMN ${column} SET DEFAULT demo.now()`)
    }
  })
  return true
}

/** Restores the defaults, also those that a killed run has left. */
export async function removeClock(sql: Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    const exchanged = await transaction<{ table: string; column: string; expression: string }[]>`
      SELECT table_name AS table, column_name AS column, expression FROM demo.exchanged_default`
    for (const { table, column, expression } of exchanged) {
      await transaction.unsafe(`ALTER TABLE ${table} ALTER COLUMN ${column} SET DEFAULT ${expression}`)
    }
    await transaction`TRUNCATE demo.exchanged_default`
  })
  await sql`SELECT pg_advisory_unlock(${clockLock})`
}

/** From now on, the session's clock shows this time. */
export async function setClock(sql: Sql, at: number): Promise<void> {
  await sql`SELECT set_config('demo.now', ${new Date(at).toISOString()}, false)`
}

const clock = `
  CREATE SCHEMA IF NOT EXISTS demo;
  CREATE OR REPLACE FUNCTION demo.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(nullif(pg_catalog.current_setting('demo.now', true), '')::timestamptz, pg_catalog.now())
  $$;
  CREATE OR REPLACE FUNCTION demo.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT coalesce(nullif(pg_catalog.current_setting('demo.now', true), '')::timestamptz, pg_catalog.clock_timestamp())
  $$;
  CREATE TABLE IF NOT EXISTS demo.exchanged_default (
    table_name text, column_name text, expression text NOT NULL, PRIMARY KEY (table_name, column_name)
  )`

/** Columns of merchants' tables with the current time as their default, stored before the defaults are replaced. */
const defaultsAskingForTheTime = (sql: ISql) => sql<{ table: string; column: string }[]>`
  INSERT INTO demo.exchanged_default (table_name, column_name, expression)
  SELECT format('%I.%I', n.nspname, c.relname), format('%I', a.attname), pg_get_expr(d.adbin, d.adrelid)
  FROM pg_attrdef d
  JOIN pg_class c ON c.oid = d.adrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.adnum
  WHERE n.nspname NOT IN ('hdb_catalog', 'demo') AND c.relkind = 'r'
    AND pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'clock_timestamp()')
    AND EXISTS (SELECT FROM pg_attribute m WHERE m.attrelid = c.oid AND m.attname = 'merchant_id')
  RETURNING table_name AS table, column_name AS column`
