import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { pino } from 'pino'
import { eventQueue, openEventQueue } from '../messaging/triggers/event-queue.ts'
import { receiveEvents } from '../messaging/triggers/receive-events.ts'
import { openQueueBackend } from '../jobs/queue-backend.ts'

/** The platform's receiver of events and its queue, with a worker that records its jobs. */
export interface EventReceiver {
  readonly url: string
  /** How many times an event was posted and answered, repetitions included. */
  readonly posts: () => number
  /** The row's `id` of each job that ran, in the order in which they ran. */
  readonly jobs: readonly unknown[]
  close(): Promise<void>
}

/** Listens on any free port at `/events/:trigger`. Jobs live in the database. */
export async function startEventReceiver(databaseUrl: string): Promise<EventReceiver> {
  // The jobs show what is lost or doubled; errors of a queue that ends with its server don't matter.
  const logger = pino({ level: 'silent' })
  const backend = await openQueueBackend({ databaseUrl, connections: 4 }, logger)
  const queue = openEventQueue(backend, logger)
  const jobs: unknown[] = []
  const worker = backend.openWorker(
    eventQueue,
    (job) => {
      jobs.push((job.data as { readonly new: { readonly id: unknown } }).new.id)
      return Promise.resolve()
    },
    { concurrency: 10 },
  )
  worker.on('error', (error) => logger.error({ error }, 'the worker failed'))
  await worker.waitUntilReady()
  let posts = 0
  const app = express()
  app.post('/events/:trigger', express.json(), (_request, response, next) => {
    response.once('finish', () => (posts += 1))
    next()
  })
  app.post(
    '/events/:trigger',
    receiveEvents((event) => queue.enqueue(event), logger),
  )
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    posts: () => posts,
    jobs,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await worker.close()
      await queue.close()
      await backend.close()
    },
  }
}
