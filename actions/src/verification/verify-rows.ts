import type { Queryable } from '../database.ts'

/** Two places of the database that tell different things about a record. */
export interface Disagreement {
  readonly merchantId: string
  /** The id of the record. */
  readonly subject: string
  /** A sentence for people. */
  readonly disagreement: string
}

/** What was found out about one rule. */
export interface Verdict {
  /** The name of the rule: of a view in `sql/verification`, or `processor_payments`. */
  readonly rule: string
  readonly disagreements: number
  /** The first of them. */
  readonly shown: readonly Disagreement[]
  readonly milliseconds: number
}

export interface VerifyOptions {
  /** Only this merchant's rows; all merchants' when absent. */
  readonly merchantId?: string | undefined
  /** How many disagreements of each rule are read, at least one; the others are counted. */
  readonly mostShown: number
}

/** Checks each rule of `sql/verification` in turn. One snapshot for all of them makes sense of a database that changes meanwhile. */
export async function* verifyRows(
  sql: Queryable,
  { merchantId, mostShown }: VerifyOptions,
): AsyncGenerator<Verdict> {
  const rules = await sql<{ rule: string }[]>`
    SELECT viewname AS rule FROM pg_views WHERE schemaname = 'verification' ORDER BY viewname`
  for (const { rule } of rules) {
    const began = performance.now()
    const rows = await sql<(Disagreement & { readonly count: number })[]>`
      SELECT v.merchant_id AS "merchantId", v.subject, v.disagreement, (count(*) OVER ())::integer AS count
      FROM ${sql('verification')}.${sql(rule)} v
      WHERE ${merchantId ?? null}::uuid IS NULL OR v.merchant_id = ${merchantId ?? null}
      ORDER BY v.merchant_id, v.subject
      LIMIT ${mostShown}`
    yield {
      rule,
      disagreements: rows[0]?.count ?? 0,
      shown: rows.map(({ merchantId, subject, disagreement }) => ({ merchantId, subject, disagreement })),
      milliseconds: performance.now() - began,
    }
  }
}
