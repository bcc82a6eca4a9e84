import { channel } from 'node:diagnostics_channel'
import type postgres from '@commerce-graph/postgres-driver'
import type { Queryable } from '../database.ts'

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** A statement that says for whom it acts. */
export interface ActingCaller {
  readonly sql: Queryable
  /** `platform.acting_as(…)`: what stands after FROM is evaluated first. */
  readonly actingAs: Fragment
}

/** The author of a change: the platform itself, or a session, by `actingAs(sql, session)`. */
export type Caller = Queryable | ActingCaller

/** The message on the channel `commerce-graph:sql-answer`. Tests compare the answers with the declarations. */
export interface AnsweredCall {
  readonly name: string
  readonly answer: unknown
}

const answered = channel('commerce-graph:sql-answer')

/** An interval. */
export type Seconds = number

/**
 * Calls a function that answers one value.
 * What `Answer` is follows from the function's declaration, which is held against its body when this call is generated.
 */
export async function answerOf<Answer>(
  caller: Caller,
  name: string,
  call: (sql: Queryable) => Fragment,
): Promise<Answer> {
  const [sql, from] =
    typeof caller === 'function' ? [caller, caller``] : [caller.sql, caller.sql`FROM ${caller.actingAs}`]
  const [row] = await sql<{ answer: Answer }[]>`SELECT ${call(sql)} AS answer ${from}`
  if (row === undefined) throw new Error('A function of the database answered with no row.')
  if (answered.hasSubscribers) answered.publish({ name, answer: row.answer } satisfies AnsweredCall)
  return row.answer
}

/** Calls a function that answers rows. */
export const rowsOf = async <Row>(call: Fragment): Promise<readonly Row[]> =>
  (await call) as unknown as readonly Row[]

/** A list parameter, which the driver may keep. */
export const listOf = <Item>(items: readonly Item[] | null): Item[] | null => items && [...items]
