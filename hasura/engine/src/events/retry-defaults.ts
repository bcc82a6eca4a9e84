import type { ScheduledRetryConf } from '../metadata/types.ts'
import type { ScheduledCall } from './scheduled-queue.ts'

type Retries = Pick<ScheduledCall, 'retries' | 'retryIntervalSeconds' | 'timeoutSeconds' | 'toleranceSeconds'>

/** Hasura's defaults of scheduled triggers: no retries, a minute for an answer, six hours of tolerance. */
export const retryDefaults = (conf: ScheduledRetryConf = {}): Retries => ({
  retries: conf.num_retries ?? 0,
  retryIntervalSeconds: conf.retry_interval_seconds ?? 10,
  timeoutSeconds: conf.timeout_seconds ?? 60,
  toleranceSeconds: conf.tolerance_seconds ?? 6 * 3600,
})
