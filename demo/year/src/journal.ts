import type { Sql } from '@commerce-graph/postgres-driver'

/** The terms of a run: a run with other terms is another run. */
export interface Terms {
  readonly orders: number
  readonly months: number
  readonly seed: number
}

/** The progress of a run, written in the transaction of each day. */
export interface Journal {
  readonly merchantId: string
  readonly terms: Terms
  /** Midnights in milliseconds: the first day, and the one after the last. */
  readonly from: number
  readonly to: number
  /** The number of simulated days. */
  readonly days: number
  readonly finished: boolean
}

export async function createJournal(sql: Sql): Promise<void> {
  await sql.unsafe(`
    CREATE SCHEMA IF NOT EXISTS demo;
    CREATE TABLE IF NOT EXISTS demo.run (
      merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant ON DELETE CASCADE,
      terms jsonb NOT NULL, from_time timestamptz NOT NULL, to_time timestamptz NOT NULL,
      days integer NOT NULL DEFAULT 0, finished boolean NOT NULL DEFAULT false
    );
    CREATE TABLE IF NOT EXISTS demo.placed (
      merchant_id uuid REFERENCES demo.run ON DELETE CASCADE, number integer, order_id uuid NOT NULL,
      PRIMARY KEY (merchant_id, number)
    )`)
}

export async function readJournal(sql: Sql, merchantId: string): Promise<Journal | undefined> {
  const [row] = await sql<{ terms: Terms; from: Date; to: Date; days: number; finished: boolean }[]>`
    SELECT terms, from_time AS from, to_time AS to, days, finished FROM demo.run WHERE merchant_id = ${merchantId}`
  return row && { ...row, merchantId, from: row.from.getTime(), to: row.to.getTime() }
}

export async function beginJournal(
  sql: Sql,
  { merchantId, terms, from, to }: Omit<Journal, 'days' | 'finished'>,
) {
  await sql`
    INSERT INTO demo.run (merchant_id, terms, from_time, to_time)
    VALUES (${merchantId}, ${sql.json({ ...terms })}, ${new Date(from)}, ${new Date(to)})`
}

export async function countDay(sql: Sql, merchantId: string, finished: boolean): Promise<void> {
  await sql`UPDATE demo.run SET days = days + 1, finished = ${finished} WHERE merchant_id = ${merchantId}`
}

/** Orders by their number in the plan, so that their later steps find them after an interruption. */
export async function placedOrders(sql: Sql, merchantId: string): Promise<Map<number, string>> {
  const rows = await sql<{ number: number; orderId: string }[]>`
    SELECT number, order_id AS "orderId" FROM demo.placed WHERE merchant_id = ${merchantId}`
  return new Map(rows.map(({ number, orderId }) => [number, orderId]))
}

export async function rememberOrders(
  sql: Sql,
  merchantId: string,
  placed: readonly (readonly [number, string])[],
): Promise<void> {
  const rows = placed.map(([number, order_id]) => ({ merchant_id: merchantId, number, order_id }))
  if (rows.length > 0) await sql`INSERT INTO demo.placed ${sql(rows)}`
}
