import type { RequestHandler } from 'express'
import { traceHeaders } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import { eventBody, type RowEvent, rowEventOf } from './event.ts'
import { eventHandlers } from './event-handlers.ts'

/** Takes an event from Hasura: reads it and puts it into the queue, nothing more. Hasura sends it again until it hears 2xx. */
export const receiveEvents =
  (enqueue: (event: RowEvent) => Promise<void>, logger: Logger): RequestHandler =>
  async (request, response) => {
    const body = eventBody.safeParse(request.body)
    const name = request.params['trigger']
    if (!body.success || body.data.trigger.name !== name || !Object.hasOwn(eventHandlers, name)) {
      response.status(400).json({
        message: 'The body is no event that is handled here',
        extensions: { code: 'BAD_USER_INPUT' },
      })
      return
    }
    const event = rowEventOf(body.data)
    const trace = traceHeaders()
    await enqueue(Object.keys(trace).length === 0 ? event : { ...event, trace })
    logger.info({ event: event.id, trigger: event.trigger }, 'an event is queued')
    response.status(202).json({ status: 'queued' })
  }
