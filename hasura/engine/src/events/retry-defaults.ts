import { scheduledRetryDefaults as defaults } from '../metadata/event-trigger.ts'
import type { ScheduledRetryConf } from '../metadata/types.ts'

/** Seconds for which events of an unknown trigger (not yet, or no longer, in the metadata) are left alone. */
export const unknownTriggerSeconds = 60

/** How a scheduled event is tried again. */
export interface Retries {
  readonly retries: number
  readonly retryIntervalSeconds: number
  readonly timeoutSeconds: number
  /** An event that is overdue by more seconds is dropped. */
  readonly toleranceSeconds: number
}

/** The retry settings of metadata, with Hasura's defaults for absent ones. */
export const retryDefaults = (conf: ScheduledRetryConf = {}): Retries => ({
  retries: conf.num_retries ?? defaults.num_retries,
  retryIntervalSeconds: conf.retry_interval_seconds ?? defaults.retry_interval_seconds,
  timeoutSeconds: conf.timeout_seconds ?? defaults.timeout_seconds,
  toleranceSeconds: conf.tolerance_seconds ?? defaults.tolerance_seconds,
})
