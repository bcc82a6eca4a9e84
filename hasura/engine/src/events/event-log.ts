import type { Pool } from 'pg'
import { z } from 'zod'
import { eventCreatedAt, utcText } from './utc-text.ts'
import type { TransactionSettings } from '../execute/statement-query.ts'
import { type Json, json } from '../metadata/parse.ts'
import type { QualifiedName } from '../metadata/qualified-name.ts'

/** Statements of the metadata API on `hdb_catalog.event_log`. */

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface ManualEvent {
  readonly table: QualifiedName
  readonly trigger: string
  readonly payload: Json
}

/** Writes an event without a row; the payload takes the place of the new row. Returns the event's id. */
export async function insertManualEvent(
  pool: Pool,
  { table, trigger, payload }: ManualEvent,
  { user, trace }: TransactionSettings,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select hdb_catalog.insert_event_log($1, $2, $3, 'MANUAL', $4::json) as id
     from (select set_config('hasura.user', $5, true), set_config('hasura.tracecontext', $6, true) offset 0) as settings`,
    [table.schema, table.name, trigger, JSON.stringify({ old: null, new: payload }), user, trace],
  )
  const [row] = rows
  if (!row) throw new Error('insert_event_log has returned nothing')
  return row.id
}

/** Resets an event so that it is delivered again, unless it is being delivered now. */
export async function redeliverEvent(pool: Pool, id: string): Promise<'marked' | 'absent' | 'locked'> {
  const { rows } = await pool.query<{ marked: boolean }>(
    `with marked as (
       update hdb_catalog.event_log
          set delivered = false, error = false, tries = 0, next_retry_at = null
        where id = $1 and (locked is null or locked < now() - interval '30 minutes')
       returning id
     )
     select exists (select from marked) as marked from hdb_catalog.event_log where id = $1`,
    [id],
  )
  const [row] = rows
  if (!row) return 'absent'
  return row.marked ? 'marked' : 'locked'
}

const eventColumns = `id, schema_name, table_name, trigger_name, payload, delivered, error, tries,
  ${utcText(eventCreatedAt)} as created_at, ${utcText('locked')} as locked,
  ${utcText('next_retry_at')} as next_retry_at, archived`

/** Hasura's answers and its table have different names for the status. */
const invocationColumns = `id, trigger_name, event_id, status as http_status, request, response,
  ${utcText('created_at')} as created_at`

const conditions = {
  pending: 'not delivered and not error and not archived',
  processed: '(delivered or error) and not archived',
  error: 'error and not archived',
} as const

export const eventLogs = (
  pool: Pool,
  {
    name,
    status,
    limit,
    offset,
  }: Page & { readonly name: string; readonly status?: keyof typeof conditions | undefined },
): Promise<Json> =>
  jsonList(
    pool,
    `select ${eventColumns} from hdb_catalog.event_log
      where trigger_name = $1 and ${status === undefined ? 'true' : conditions[status]}
      order by event_log.created_at desc, id limit $2 offset $3`,
    [name, limit, offset],
  )

export const eventInvocationLogs = (
  pool: Pool,
  { name, limit, offset }: Page & { readonly name: string },
): Promise<Json> =>
  jsonList(
    pool,
    `select ${invocationColumns} from hdb_catalog.event_invocation_logs
      where trigger_name = $1 order by event_invocation_logs.created_at desc, id limit $2 offset $3`,
    [name, limit, offset],
  )

export async function eventById(pool: Pool, id: string, page: Page): Promise<Json | undefined> {
  const events = z
    .array(json)
    .parse(await jsonList(pool, `select ${eventColumns} from hdb_catalog.event_log where id = $1`, [id]))
  const [event] = events
  if (event === undefined) return undefined
  const invocations = await jsonList(
    pool,
    `select ${invocationColumns} from hdb_catalog.event_invocation_logs
      where event_id = $1 order by event_invocation_logs.created_at desc, id limit $2 offset $3`,
    [id, page.limit, page.offset],
  )
  return { event, invocations }
}

async function jsonList(pool: Pool, sql: string, values: readonly (string | number)[]): Promise<Json> {
  const { rows } = await pool.query<{ list: Json }>(
    `select coalesce(json_agg(row_to_json(r)), '[]') as list from (${sql}) r`,
    [...values],
  )
  return rows[0]?.list ?? []
}
