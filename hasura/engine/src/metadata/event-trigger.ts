import { z } from 'zod'
import { isCronSchedule } from './cron-schedule.ts'
import { type DeepReadonly, json, nonEmptyText, record } from './parse.ts'
import { requestTransform, responseTransform, webhookHeader } from './webhook.ts'

export const operation = record({
  columns: z.union([z.literal('*'), z.array(z.string())]),
  payload: z.union([z.literal('*'), z.array(z.string())]).optional(),
})

export const retryConf = record({
  num_retries: z.number().int().nonnegative().optional(),
  interval_sec: z.number().int().nonnegative().optional(),
  timeout_sec: z.number().int().positive().optional(),
  tolerance_seconds: z.number().int().nonnegative().optional(),
})

export const eventTrigger = record({
  name: nonEmptyText,
  definition: record({
    enable_manual: z.boolean().optional(),
    insert: operation.optional(),
    update: operation.optional(),
    delete: operation.optional(),
  }),
  retry_conf: retryConf,
  webhook: z.string().optional(),
  webhook_from_env: z.string().optional(),
  headers: z.array(webhookHeader).optional(),
  request_transform: requestTransform.optional(),
  response_transform: responseTransform.optional(),
  cleanup_config: json.optional(),
  trigger_on_replication: z.boolean().optional(),
})

export const scheduledRetryConf = record({
  num_retries: z.number().int().nonnegative().optional(),
  retry_interval_seconds: z.number().int().nonnegative().optional(),
  timeout_seconds: z.number().int().positive().optional(),
  tolerance_seconds: z.number().int().nonnegative().optional(),
})

export const cronTriggerShape = {
  name: nonEmptyText,
  webhook: z.string(),
  schedule: z.string().refine(isCronSchedule, { error: 'not a cron schedule' }),
  include_in_metadata: z.boolean(),
  payload: json.optional(),
  retry_conf: scheduledRetryConf.optional(),
  headers: z.array(webhookHeader).optional(),
  comment: z.string().optional(),
  request_transform: requestTransform.optional(),
  response_transform: responseTransform.optional(),
}

export const cronTrigger = record(cronTriggerShape)

/** Hasura's defaults for scheduled triggers: no retries, a minute for an answer, six hours of tolerance. */
export const scheduledRetryDefaults = {
  num_retries: 0,
  retry_interval_seconds: 10,
  timeout_seconds: 60,
  tolerance_seconds: 6 * 3600,
} as const

export type EventTrigger = DeepReadonly<z.output<typeof eventTrigger>>
export type CronTrigger = DeepReadonly<z.output<typeof cronTrigger>>
export type ScheduledRetryConf = DeepReadonly<z.output<typeof scheduledRetryConf>>
