import type { Pool } from 'pg'
import { z } from 'zod'
import type { EventTrigger } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type TraceContext, parentOf, recordedTrace, resumeTrace } from '../tracing/trace-context.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { Environment } from '../webhook/environment.ts'
import type { SessionVariables } from '../webhook/transform-request.ts'
import { callTrigger } from './call-trigger.ts'
import type { Delivery, DeliveryQueue } from './deliverer.ts'
import { type HeldRows, holdSql, isHeldSql } from './held-rows.ts'
import { unknownTriggerSeconds } from './retry-defaults.ts'
import { eventCreatedAt, utcText } from './utc-text.ts'
import { type Invocation, type Verdict, invocationOf, judge } from './delivery-outcome.ts'

/** A locked event. */
interface EventRow {
  readonly id: string
  readonly schema_name: string
  readonly table_name: string
  readonly trigger_name: string
  /** JSON text, passed on without parsing. */
  readonly payload: string
  readonly tries: number
  readonly created_at: string
}

// The order is that of the index event_log_fetch_events.
const takeSql = `
update hdb_catalog.event_log set locked = now()
where id in (
  select id from hdb_catalog.event_log
  where not delivered and not error and not archived
    and (locked is null or locked < now() - interval '30 minutes')
    and (next_retry_at is null or next_retry_at <= now())
  order by locked nulls first, next_retry_at nulls first, created_at
  limit $1
  for update skip locked
)
returning id, schema_name, table_name, trigger_name, payload::text, tries,
          ${utcText(eventCreatedAt)} as created_at, ${holdSql('event')}`

const abandonedSql = `locked is not null and not delivered and not error and not archived and not ${isHeldSql('event')}`

const recordSql = `
with invocation as (
  insert into hdb_catalog.event_invocation_logs (trigger_name, event_id, status, request, response)
  values ($2, $1, $3, $4, $5)
)
update hdb_catalog.event_log
   set tries = tries + 1, delivered = $6, error = $7, locked = null,
       next_retry_at = now() + make_interval(secs => $8)
 where id = $1`

export function createEventQueue(
  pool: Pool,
  heldRows: HeldRows,
  getSnapshot: () => Snapshot,
  { environment, tracer }: { readonly environment: Environment; readonly tracer?: Tracer | undefined },
): DeliveryQueue {
  const record = async (row: EventRow, verdict: Verdict, invocation: Invocation): Promise<void> => {
    await pool.query(recordSql, [
      row.id,
      row.trigger_name,
      invocation.status,
      invocation.request,
      invocation.response,
      verdict.kind === 'delivered',
      verdict.kind === 'failed',
      verdict.kind === 'retry' ? verdict.afterSeconds : null,
    ])
  }

  const postpone = async (row: EventRow): Promise<void> => {
    await pool.query(
      `update hdb_catalog.event_log
          set locked = null, next_retry_at = now() + make_interval(secs => $2)
        where id = $1`,
      [row.id, unknownTriggerSeconds],
    )
  }

  const attempt = async (row: EventRow, signal: AbortSignal): Promise<void> => {
    const trigger = findTrigger(getSnapshot(), row.trigger_name)
    if (!trigger) return postpone(row)
    const {
      num_retries: retries = 0,
      interval_sec: intervalSeconds = 10,
      timeout_sec = 60,
    } = trigger.retry_conf
    const body = eventBody(row, retries)
    const { session, trace } = originOf(row)
    const call = { body, session, timeoutSeconds: timeout_sec, environment, signal }
    const deliver = () => callTrigger(trigger, { ...call, trace: recordedTrace(tracer) ?? trace })
    const called = await (tracer === undefined
      ? deliver()
      : tracer.span(`deliver ${row.trigger_name}`, { kind: 'producer', parent: parentOf(trace) }, deliver))
    // A call that the engine's stop has cut off doesn't count as an attempt.
    if (signal.aborted && called.outcome.kind === 'unanswered') return
    const verdict = judge(called.outcome, row.tries, { retries, intervalSeconds })
    await record(row, verdict, invocationOf(called, trigger.headers ?? [], '2'))
  }

  return {
    name: 'event',
    isUsed: () => getSnapshot().metadata.sources.some(hasTriggers),
    take: async (limit) => {
      const rows = await heldRows.take<EventRow>('event', takeSql, [limit])
      return rows
        .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
        .map((row): Delivery => ({ id: row.id, attempt: (signal) => attempt(row, signal) }))
    },
    release: async (ids) => {
      await pool.query('update hdb_catalog.event_log set locked = null where id = any($1)', [ids])
    },
    findAbandoned: async () => {
      const rows = await heldRows.look<{ id: string }>(
        `select id from hdb_catalog.event_log where ${abandonedSql}`,
      )
      return rows.map(({ id }) => id)
    },
    releaseAbandoned: async (ids) => {
      await heldRows.look(
        `update hdb_catalog.event_log set locked = null where id = any($1) and ${abandonedSql}`,
        [ids],
      )
    },
  }
}

const eventOrigin = z.object({
  session_variables: z.record(z.string(), z.string()).nullish().catch(undefined),
  trace_context: z.unknown(),
})

/** The session that wrote the row (undefined when it wasn't written by GraphQL), and the trace that it belongs to. */
function originOf({ payload }: EventRow): {
  readonly session: SessionVariables | undefined
  readonly trace: TraceContext
} {
  const origin = eventOrigin.safeParse(JSON.parse(payload)).data
  return { session: origin?.session_variables ?? undefined, trace: resumeTrace(origin?.trace_context) }
}

const hasTriggers = ({ tables }: Snapshot['metadata']['sources'][number]): boolean =>
  tables.some(({ event_triggers = [] }) => event_triggers.length > 0)

const findTrigger = ({ metadata }: Snapshot, name: string): EventTrigger | undefined =>
  metadata.sources
    .flatMap(({ tables }) => tables.flatMap(({ event_triggers = [] }) => event_triggers))
    .find((trigger) => trigger.name === name)

/** The event stays Postgres's text, so that numbers beyond JavaScript's keep their digits. */
function eventBody(row: EventRow, maxRetries: number): string {
  const head = {
    id: row.id,
    created_at: row.created_at,
    trigger: { name: row.trigger_name },
    table: { schema: row.schema_name, name: row.table_name },
    delivery_info: { current_retry: row.tries, max_retries: maxRetries },
  }
  return `${JSON.stringify(head).slice(0, -1)},"event":${row.payload}}`
}
