import type { Pool } from 'pg'
import type { WebhookHeader } from '../metadata/types.ts'
import { startTrace } from '../tracing/trace-context.ts'
import type { Environment } from '../webhook/environment.ts'
import { type Addressee, callTrigger } from './call-trigger.ts'
import type { Delivery, DeliveryQueue } from './deliverer.ts'
import { type HeldRows, holdSql, isHeldSql } from './held-rows.ts'
import { invocationOf, judge } from './delivery-outcome.ts'
import { type Retries, retryDefaults, unknownTriggerSeconds } from './retry-defaults.ts'

/** A due event. */
export interface ScheduledRow {
  readonly id: string
  readonly tries: number
  /** Seconds since its scheduled time. */
  readonly overdueSeconds: number
}

/** The delivery of a row. */
export interface ScheduledCall extends Addressee, Retries {
  readonly headers: readonly WebhookHeader[]
  /** JSON text. */
  readonly body: string
}

/** One of the two tables, of the same form, in which Hasura keeps cron events and one-off events. */
export interface ScheduledTable<Row extends ScheduledRow> {
  readonly name: 'cron' | 'one-off'
  readonly events: 'hdb_cron_events' | 'hdb_scheduled_events'
  readonly invocations: 'hdb_cron_event_invocation_logs' | 'hdb_scheduled_event_invocation_logs'
  /** SQL: the columns of `Row` that only this table has, with a leading comma. */
  readonly columns: string
  isUsed(): boolean
  /** Runs before events are taken. */
  prepare?(): Promise<void>
  /**
   * The call; `unreadable` if the row says none, or `unknown-trigger` if its trigger is not in this engine's metadata: not
   * yet, when another engine has just added it, or no longer.
   */
  callOf(row: Row): ScheduledCall | 'unreadable' | 'unknown-trigger'
}

export function createScheduledQueue<Row extends ScheduledRow>(
  pool: Pool,
  heldRows: HeldRows,
  environment: Environment,
  table: ScheduledTable<Row>,
): DeliveryQueue {
  const events = `hdb_catalog.${table.events}`

  const takeSql = `
    update ${events} set status = 'locked'
    where id in (
      select id from ${events}
      where status = 'scheduled' and coalesce(next_retry_at, scheduled_time) <= now()
      order by scheduled_time
      limit $1
      for update skip locked
    )
    returning id, tries, extract(epoch from now() - scheduled_time)::float8 as "overdueSeconds"${table.columns},
      ${holdSql(table.name)}`

  const recordSql = `
    with invocation as (
      insert into hdb_catalog.${table.invocations} (event_id, status, request, response) values ($1, $2, $3, $4)
    )
    update ${events}
       set tries = tries + 1, status = $5, next_retry_at = now() + make_interval(secs => $6)
     where id = $1`

  const finish = async (row: Row, status: 'dead' | 'error'): Promise<void> => {
    await pool.query(`update ${events} set status = $2 where id = $1`, [row.id, status])
  }

  const postpone = async (row: Row): Promise<void> => {
    await pool.query(
      `update ${events} set status = 'scheduled', next_retry_at = now() + make_interval(secs => $2) where id = $1`,
      [row.id, unknownTriggerSeconds],
    )
  }

  const attempt = async (row: Row, signal: AbortSignal): Promise<void> => {
    const call = table.callOf(row)
    if (call === 'unreadable') return finish(row, 'error')
    if (call === 'unknown-trigger')
      return row.overdueSeconds > retryDefaults().toleranceSeconds ? finish(row, 'dead') : postpone(row)
    if (row.overdueSeconds > call.toleranceSeconds) return finish(row, 'dead')
    const { body, timeoutSeconds, retries, retryIntervalSeconds: intervalSeconds } = call
    const called = await callTrigger(call, {
      body,
      timeoutSeconds,
      environment,
      trace: startTrace(),
      signal,
    })
    if (signal.aborted && called.outcome.kind === 'unanswered') return
    const verdict = judge(called.outcome, row.tries, { retries, intervalSeconds })
    const { status, request, response } = invocationOf(called, call.headers, '1')
    await pool.query(recordSql, [
      row.id,
      status,
      request,
      response,
      { delivered: 'delivered', retry: 'scheduled', failed: 'error' }[verdict.kind],
      verdict.kind === 'retry' ? verdict.afterSeconds : null,
    ])
  }

  const unlockSql = `update ${events} set status = 'scheduled' where status = 'locked'`
  return {
    name: table.name,
    isUsed: () => table.isUsed(),
    take: async (limit) => {
      await table.prepare?.()
      const rows = await heldRows.take<Row>(table.name, takeSql, [limit])
      return rows.map((row): Delivery => ({ id: row.id, attempt: (signal) => attempt(row, signal) }))
    },
    release: async (ids) => {
      await pool.query(`${unlockSql} and id = any($1)`, [ids])
    },
    findAbandoned: async () => {
      const rows = await heldRows.look<{ id: string }>(
        `select id from ${events} where status = 'locked' and not ${isHeldSql(table.name)}`,
      )
      return rows.map(({ id }) => id)
    },
    releaseAbandoned: async (ids) => {
      await heldRows.look(`${unlockSql} and id = any($1) and not ${isHeldSql(table.name)}`, [ids])
    },
  }
}
