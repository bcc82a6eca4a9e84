import type { Pool } from 'pg'
import { z } from 'zod'
import { scheduledRetryConf } from '../metadata/event-trigger.ts'
import { webhookHeader } from '../metadata/webhook.ts'
import type { Environment } from '../webhook/environment.ts'
import type { DeliveryQueue } from './deliverer.ts'
import type { HeldRows } from './held-rows.ts'
import { utcText } from './utc-text.ts'
import { retryDefaults } from './retry-defaults.ts'
import { type ScheduledCall, type ScheduledRow, createScheduledQueue } from './scheduled-queue.ts'

interface OneOffRow extends ScheduledRow {
  readonly scheduledTime: string
  readonly createdAt: string
  readonly comment: string | null
  /** JSON text. */
  readonly payload: string | null
  readonly webhook: unknown
  readonly headers: unknown
  readonly retry: unknown
}

/** The parts of a stored event that are needed here. This engine or Hasura may have written it. */
const stored = z.object({
  webhook: z.string(),
  headers: z.array(webhookHeader).nullable(),
  retry: scheduledRetryConf.nullable(),
})

export const createOneOffQueue = (pool: Pool, heldRows: HeldRows, environment: Environment): DeliveryQueue =>
  createScheduledQueue<OneOffRow>(pool, heldRows, environment, {
    name: 'one-off',
    events: 'hdb_scheduled_events',
    invocations: 'hdb_scheduled_event_invocation_logs',
    columns: `, ${utcText('scheduled_time')} as "scheduledTime",
      ${utcText('created_at')} as "createdAt", comment, payload::text, webhook_conf as webhook, header_conf as headers, retry_conf as retry`,
    isUsed: () => true,
    callOf: (row) => {
      const parsed = stored.safeParse(row)
      return parsed.success ? callOf(row, parsed.data) : 'unreadable'
    },
  })

const callOf = (row: OneOffRow, { webhook, headers, retry }: z.output<typeof stored>): ScheduledCall => ({
  webhook,
  headers: headers ?? [],
  body: bodyOf(row),
  ...retryDefaults(retry ?? undefined),
})

function bodyOf({ id, scheduledTime, createdAt, comment, payload }: OneOffRow): string {
  const head = {
    id,
    scheduled_time: scheduledTime,
    created_at: createdAt,
    ...(comment === null ? {} : { comment }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"payload":${payload ?? 'null'}}`
}
