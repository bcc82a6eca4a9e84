import type { Pool } from 'pg'
import { type Json, json } from '../metadata/parse.ts'
import type { Page } from './event-log.ts'
import { z } from 'zod'

/** What the metadata API asks of the tables of scheduled events. */

export type ScheduledKind =
  { readonly type: 'one_off' } | { readonly type: 'cron'; readonly trigger: string | undefined }

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
  readonly headers: unknown
  readonly retryConf: unknown
  readonly comment: string | undefined
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

export const createOneOffEvent = async (pool: Pool, event: OneOffEvent): Promise<string> => {
  const { rows } = await pool.query<{ id: string }>(
    `insert into hdb_catalog.hdb_scheduled_events
       (webhook_conf, scheduled_time, payload, retry_conf, header_conf, comment)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [
      JSON.stringify(event.webhook),
      event.scheduleAt,
      jsonOrNull(event.payload),
      jsonOrNull(event.retryConf),
      jsonOrNull(event.headers),
      event.comment ?? null,
    ],
  )
  const [row] = rows
  if (!row) throw new Error('the insert has returned nothing')
  return row.id
}

/** Returns whether there was such an event. */
export const deleteScheduledEvent = async (
  pool: Pool,
  type: ScheduledKind['type'],
  id: string,
): Promise<boolean> => {
  const { rowCount } = await pool.query(`delete from ${tables[type].events} where id = $1`, [id])
  return rowCount === 1
}

export const scheduledEvents = async (
  pool: Pool,
  kind: ScheduledKind,
  { statuses, limit, offset }: Page & { readonly statuses: readonly string[] },
): Promise<Json> => {
  const trigger = kind.type === 'cron' ? (kind.trigger ?? null) : null
  return list(
    pool,
    `select * from ${tables[kind.type].events}
      where (cardinality($1::text[]) = 0 or status = any($1))
        ${kind.type === 'cron' ? 'and trigger_name = $4' : 'and $4::text is null'}
      order by scheduled_time, id limit $2 offset $3`,
    [statuses, limit, offset, trigger],
  )
}

export const scheduledInvocations = async (
  pool: Pool,
  kind: ScheduledKind & { readonly eventId: string | undefined },
  { limit, offset }: Page,
): Promise<Json> => {
  const { events, logs } = tables[kind.type]
  const trigger = kind.type === 'cron' ? (kind.trigger ?? null) : null
  return list(
    pool,
    `select l.* from ${logs} l join ${events} e on e.id = l.event_id
      where ($1::text is null or l.event_id = $1)
        ${kind.type === 'cron' ? 'and ($4::text is null or e.trigger_name = $4)' : 'and $4::text is null'}
      order by l.created_at desc, l.id limit $2 offset $3`,
    [kind.eventId ?? null, limit, offset, trigger],
  )
}

const list = async (pool: Pool, sql: string, values: readonly unknown[]): Promise<Json> => {
  const { rows } = await pool.query<{ list: unknown }>(
    `select coalesce(json_agg(row_to_json(r)), '[]') as list from (${sql}) r`,
    [...values],
  )
  return z.array(json).parse(rows[0]?.list)
}
