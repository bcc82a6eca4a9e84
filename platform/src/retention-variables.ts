import { defaultRetention, type Retention } from '@commerce-graph/actions/retention'
import { z } from 'zod'

const most = 3_650

const days = (least: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a number of days')
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error: `must be from ${least} to ${most} days` })

/** How long what has ended is kept; docs/operating.md describes the variables. */
export const retentionVariables = {
  // A webhook is tried for three days.
  RETENTION_EVENTS_DAYS: days(4).default(defaultRetention.events),
  RETENTION_DELIVERIES_DAYS: days(4).optional(),
  RETENTION_DELETIONS_DAYS: days(1).default(defaultRetention.deletions),
  RETENTION_MESSAGES_DAYS: days(1).default(defaultRetention.messages),
  RETENTION_SESSIONS_DAYS: days(1).default(defaultRetention.sessions),
  RETENTION_EVENT_LOG_DAYS: days(1).default(defaultRetention.eventLog),
  RETENTION_INVOCATIONS_DAYS: days(1).optional(),
  RETENTION_AUDIT_DAYS: days(31).optional(),
  RETENTION_OUTBOX_DAYS: days(1).default(30),
}

type Values = z.output<z.ZodObject<typeof retentionVariables>>

export const retentionOf = (values: Values): Retention => ({
  events: values.RETENTION_EVENTS_DAYS,
  deliveries:
    values.RETENTION_DELIVERIES_DAYS ?? Math.min(defaultRetention.deliveries, values.RETENTION_EVENTS_DAYS),
  deletions: values.RETENTION_DELETIONS_DAYS,
  messages: values.RETENTION_MESSAGES_DAYS,
  sessions: values.RETENTION_SESSIONS_DAYS,
  eventLog: values.RETENTION_EVENT_LOG_DAYS,
  invocations:
    values.RETENTION_INVOCATIONS_DAYS ??
    Math.min(defaultRetention.invocations, values.RETENTION_EVENT_LOG_DAYS),
  audit: values.RETENTION_AUDIT_DAYS ?? null,
})

/** What belongs to an event goes with it at the latest. */
export const retentionProblems = (values: Values): readonly string[] =>
  (
    [
      ['RETENTION_DELIVERIES_DAYS', 'RETENTION_EVENTS_DAYS'],
      ['RETENTION_INVOCATIONS_DAYS', 'RETENTION_EVENT_LOG_DAYS'],
    ] as const
  ).flatMap(([part, whole]) =>
    (values[part] ?? 0) > values[whole]
      ? [`${part} must be at most ${whole}, which is ${values[whole]}`]
      : [],
  )
