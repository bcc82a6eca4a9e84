import type { Database } from '../../database.ts'
import { eventQueue } from './event-queue.ts'

export interface WaitingEvents {
  readonly waiting: number
  /** Seconds; 0 when none waits. */
  readonly oldest: number
  /** Events that were given up, and stay in the failed set. */
  readonly failed: number
}

/** The number of events that wait in the queue, those to be retried included. */
export async function waitingEvents(database: Database): Promise<WaitingEvents> {
  const [row] = await database<WaitingEvents[]>`
    SELECT count(*) FILTER (WHERE state <> 'failed')::integer AS waiting,
      coalesce(extract(epoch FROM now()) - min(added_at_ms) FILTER (WHERE state <> 'failed') / 1000.0, 0)::integer AS oldest,
      count(*) FILTER (WHERE state = 'failed')::integer AS failed
    FROM bullmq.job WHERE queue = ${eventQueue} AND state IN ('waiting', 'active', 'delayed', 'failed')`
  return row ?? { waiting: 0, oldest: 0, failed: 0 }
}
