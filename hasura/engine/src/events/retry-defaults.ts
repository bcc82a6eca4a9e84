import { scheduledRetryDefaults as defaults } from '../metadata/event-trigger.ts'
import type { ScheduledRetryConf } from '../metadata/types.ts'
import type { ScheduledCall } from './scheduled-queue.ts'

/** Seconds for which events of an unknown trigger (not yet, or no longer, in the metadata) are left alone. */
export const unknownTriggerSeconds = 60

type Retries = Pick<ScheduledCall, 'retries' | 'retryIntervalSeconds' | 'timeoutSeconds' | 'toleranceSeconds'>

/** The retry settings of metadata, with Hasura's defaults for absent ones. */
export const retryDefaults = (conf: ScheduledRetryConf = {}): Retries => ({
  retries: conf.num_retries ?? defaults.num_retries,
  retryIntervalSeconds: conf.retry_interval_seconds ?? defaults.retry_interval_seconds,
  timeoutSeconds: conf.timeout_seconds ?? defaults.timeout_seconds,
  toleranceSeconds: conf.tolerance_seconds ?? defaults.tolerance_seconds,
})
