import type { Logger } from 'pino'
import type { JobQueue } from './queue-backend.ts'

/** A job that runs again and again. */
export interface Schedule {
  readonly job: string
  readonly queue: JobQueue
  /** Milliseconds from one run to the next. */
  readonly every: number
}

/** A failed run is tried again after 1, 2 and 4 seconds, then left in the failed set, where it can be looked at. */
const jobOptions = {
  attempts: 4,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: { count: 1_000 },
} as const

const defaultHealEveryMs = 60_000
/** A run that is overdue for longer than this has been lost, or waits behind others; to plan it again does no harm. */
const lostAfterMs = 60_000

/** Keeps schedules going. */
export interface Schedules {
  stop(): Promise<void>
}

/**
 * Plans all schedules, and looks every minute whether they still are: when the queue's tables are emptied or restored, and whatever
 * happens to a job there, a schedule goes on by itself.
 */
export async function keepSchedules(
  schedules: readonly Schedule[],
  logger: Logger,
  healEveryMs = defaultHealEveryMs,
): Promise<Schedules> {
  for (const schedule of schedules) await plan(schedule)
  let healing = Promise.resolve()
  const timer = setInterval(() => {
    healing = healing
      .then(() => heal(schedules, logger))
      .catch((error: unknown) => logger.warn({ error }, 'the schedules could not be looked at'))
  }, healEveryMs)
  return {
    async stop() {
      clearInterval(timer)
      await healing
    },
  }
}

async function plan({ job, queue, every }: Schedule): Promise<void> {
  await queue.upsertJobScheduler(job, { every }, { name: job, opts: jobOptions })
}

async function heal(schedules: readonly Schedule[], logger: Logger): Promise<void> {
  for (const schedule of schedules) {
    const { next } = (await schedule.queue.getJobScheduler(schedule.job)) ?? {}
    if (next !== undefined && next > Date.now() - lostAfterMs) continue
    logger.warn({ job: schedule.job }, 'a schedule was lost, and is planned again')
    await plan(schedule)
  }
}
