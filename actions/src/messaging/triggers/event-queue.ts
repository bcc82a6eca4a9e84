import type { Logger } from 'pino'
import type { JobQueue, QueueBackend } from '../../jobs/queue-backend.ts'
import type { RowEvent } from './event.ts'

/** Takes events over from Hasura, which has done its part once this resolves. */
export interface EventQueue {
  enqueue(event: RowEvent): Promise<void>
  close(): Promise<void>
}

export const eventQueue = 'events'

/**
 * A failed event is tried again after 1, 2, 4… seconds, about four minutes in all, then left in the failed set, where it can be
 * looked at. Those that are done are kept for a day, so that a redelivery finds its id taken.
 */
const jobOptions = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { age: 24 * 60 * 60, count: 100_000 },
  removeOnFail: { count: 10_000 },
} as const

export function openEventQueue(backend: QueueBackend, logger: Logger): EventQueue {
  const queue: JobQueue = backend.openQueue(eventQueue)
  queue.on('error', (error) => logger.error({ error }, 'the queue of events can not be reached'))
  return {
    async enqueue(event) {
      await queue.add(event.trigger, event, { ...jobOptions, jobId: event.id })
    },
    close: () => queue.close(),
  }
}
