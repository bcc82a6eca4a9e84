import type { Pool } from 'pg'
import type { CronTrigger } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Environment } from '../webhook/environment.ts'
import { planCronEvents } from './cron-events.ts'
import type { DeliveryQueue } from './deliverer.ts'
import type { HeldRows } from './held-rows.ts'
import { utcText } from './utc-text.ts'
import { retryDefaults } from './retry-defaults.ts'
import { type ScheduledRow, createScheduledQueue } from './scheduled-queue.ts'

interface CronRow extends ScheduledRow {
  readonly triggerName: string
  readonly scheduledTime: string
}

/** How often coming times are planned. */
const planningIntervalMs = 60_000

export function createCronQueue(
  pool: Pool,
  heldRows: HeldRows,
  getSnapshot: () => Snapshot,
  environment: Environment,
): DeliveryQueue {
  const triggers = (): readonly CronTrigger[] => getSnapshot().metadata.cron_triggers ?? []
  let plannedAt = -Infinity
  return createScheduledQueue<CronRow>(pool, heldRows, environment, {
    name: 'cron',
    events: 'hdb_cron_events',
    invocations: 'hdb_cron_event_invocation_logs',
    columns: `, trigger_name as "triggerName", ${utcText('scheduled_time')} as "scheduledTime"`,
    isUsed: () => triggers().length > 0,
    prepare: async () => {
      if (Date.now() - plannedAt < planningIntervalMs) return
      await planCronEvents(pool, triggers())
      plannedAt = Date.now()
    },
    callOf: (row) => {
      const trigger = triggers().find(({ name }) => name === row.triggerName)
      if (trigger === undefined) return 'unknown-trigger'
      return {
        webhook: trigger.webhook,
        headers: trigger.headers ?? [],
        request_transform: trigger.request_transform,
        response_transform: trigger.response_transform,
        body: bodyOf(row, trigger),
        ...retryDefaults(trigger.retry_conf),
      }
    },
  })
}

const bodyOf = (row: CronRow, { payload, comment }: CronTrigger): string =>
  JSON.stringify({
    id: row.id,
    name: row.triggerName,
    scheduled_time: row.scheduledTime,
    payload: payload ?? null,
    ...(comment === undefined ? {} : { comment }),
  })
