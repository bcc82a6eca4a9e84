import type { Pool } from 'pg'
import { scheduledRetryDefaults } from '../metadata/event-trigger.ts'
import { type Json, json } from '../metadata/parse.ts'
import type { ScheduledRetryConf, WebhookHeader } from '../metadata/types.ts'
import type { Page } from './event-log.ts'
import { z } from 'zod'
import { utcText } from './utc-text.ts'

/** Statements of the metadata API on the tables of scheduled events. */

export type ScheduledKind =
  | { readonly type: 'one_off' }
  | { readonly type: 'cron'; readonly trigger: string | undefined }

const tables = {
  one_off: {
    events: 'hdb_catalog.hdb_scheduled_events',
    logs: 'hdb_catalog.hdb_scheduled_event_invocation_logs',
  },
  cron: { events: 'hdb_catalog.hdb_cron_events', logs: 'hdb_catalog.hdb_cron_event_invocation_logs' },
} as const

export interface OneOffEvent {
  readonly webhook: string
  readonly scheduleAt: string
  readonly payload: Json | undefined
  readonly headers: readonly WebhookHeader[]
  readonly retryConf: ScheduledRetryConf
  readonly comment: string | undefined
}

export async function createOneOffEvent(pool: Pool, event: OneOffEvent): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into hdb_catalog.hdb_scheduled_events
       (webhook_conf, scheduled_time, payload, retry_conf, header_conf, comment)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [
      JSON.stringify(event.webhook),
      event.scheduleAt,
      event.payload === undefined ? null : JSON.stringify(event.payload),
      JSON.stringify({ ...scheduledRetryDefaults, ...event.retryConf }),
      JSON.stringify(event.headers),
      event.comment ?? null,
    ],
  )
  const [row] = rows
  if (!row) throw new Error('the insert has returned nothing')
  return row.id
}

/** Deletes an event. Returns whether it existed. */
export async function deleteScheduledEvent(
  pool: Pool,
  type: ScheduledKind['type'],
  id: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(`delete from ${tables[type].events} where id = $1`, [id])
  return rowCount === 1
}

export interface ScheduledPage extends Page {
  /** Whether the number of all rows is read, too. */
  readonly counted: boolean
}

/** The rows of a page, and the number of rows on all pages if it was requested. */
export interface CountedRows {
  readonly rows: Json
  readonly count: number | undefined
}

const time = (column: string): string => `${utcText(column)} as ${column}`

const eventColumns = {
  one_off: `id, webhook_conf, ${time('scheduled_time')}, retry_conf, payload, header_conf, status, tries,
    ${time('created_at')}, ${time('next_retry_at')}, comment`,
  cron: `id, trigger_name, ${time('scheduled_time')}, status, tries, ${time('created_at')}, ${time('next_retry_at')}`,
} as const

/** Events of one kind, by their scheduled time. */
export const scheduledEvents = async (
  pool: Pool,
  kind: ScheduledKind,
  { statuses, ...page }: ScheduledPage & { readonly statuses: readonly string[] },
): Promise<CountedRows> =>
  readPage(pool, page, {
    columns: eventColumns[kind.type],
    from: `${tables[kind.type].events} as e
      where (cardinality($1::text[]) = 0 or status = any($1))
        and ${kind.type === 'cron' ? 'trigger_name = $2' : '$2::text is null'}`,
    order: 'e.scheduled_time, id',
    values: [statuses, kind.type === 'cron' ? (kind.trigger ?? null) : null],
  })

/** Attempts of one event, of one trigger or of all one-off events, the latest first. */
export async function scheduledInvocations(
  pool: Pool,
  kind: ScheduledKind & { readonly eventId: string | undefined },
  page: ScheduledPage,
): Promise<CountedRows> {
  const { events, logs } = tables[kind.type]
  return readPage(pool, page, {
    columns: `l.id, l.event_id, l.status, l.request, l.response, ${utcText('l.created_at')} as created_at`,
    from: `${logs} l join ${events} e on e.id = l.event_id
      where ($1::text is null or l.event_id = $1)
        and ${kind.type === 'cron' ? '($2::text is null or e.trigger_name = $2)' : '$2::text is null'}`,
    order: 'l.created_at desc, l.id',
    values: [kind.eventId ?? null, kind.type === 'cron' ? (kind.trigger ?? null) : null],
  })
}

interface PageQuery {
  readonly columns: string
  /** The FROM clause with its condition; `$1` and `$2` are its values. */
  readonly from: string
  readonly order: string
  readonly values: readonly [unknown, unknown]
}

async function readPage(
  pool: Pool,
  { limit, offset, counted }: ScheduledPage,
  { columns, from, order, values }: PageQuery,
): Promise<CountedRows> {
  const { rows } = await pool.query<{ list: unknown; count: number | null }>(
    `select coalesce(json_agg(row_to_json(r)), '[]') as list,
            case when $5 then (select count(*)::int from ${from}) end as count
       from (select ${columns} from ${from} order by ${order} limit $3 offset $4) r`,
    [...values, limit, offset, counted],
  )
  return { rows: z.array(json).parse(rows[0]?.list), count: rows[0]?.count ?? undefined }
}
