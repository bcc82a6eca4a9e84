import { channel } from 'node:diagnostics_channel'
import type postgres from '@commerce-graph/postgres-driver'
import { storedPosition, tracer } from '@commerce-graph/telemetry'
import type { Database, Queryable } from '../database.ts'

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
  const acting = typeof caller === 'function' ? undefined : caller
  const sql = typeof caller === 'function' ? caller : caller.sql
  const from = acting === undefined ? sql`` : sql`FROM ${acting.actingAs}`
  const [row] = await inSpan(
    sql,
    name,
    (to) => to<{ answer: unknown }[]>`SELECT ${call(to)} AS answer ${from}`,
  )
  if (row === undefined) throw new Error('A function of the database answered with no row.')
  const { answer } = row
  if (answered.hasSubscribers) answered.publish({ name, answer } satisfies AnsweredCall)
  return answer as Answer
}

/** In a span, what a function writes carries the trace: events and messages continue it. */
function inSpan<T>(sql: Queryable, name: string, run: (sql: Queryable) => PromiseLike<T>): PromiseLike<T> {
  if (tracer.current()?.sampled !== true) return run(sql)
  const attributes = { 'db.system.name': 'postgresql' }
  return tracer.span(name, { kind: 'client', attributes }, async () => {
    const position = tracer.current()
    const context = position === undefined ? '' : storedPosition(position)
    const traced = async (to: Queryable): Promise<T> => {
      await to`SELECT set_config('hasura.tracecontext', ${context}, true)`
      return run(to)
    }
    return 'begin' in sql ? ((await (sql as Database).begin(traced)) as T) : traced(sql)
  })
}

/** Calls a function that answers rows. */
export const rowsOf = async <Row>(call: Fragment): Promise<readonly Row[]> =>
  (await call) as unknown as readonly Row[]

/** A list parameter, which the driver may keep. */
export const listOf = <Item>(items: readonly Item[] | null): Item[] | null => items && [...items]
