import { createHash, timingSafeEqual } from 'node:crypto'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import { tracer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import { badInput, internalFailure, type ServedAction } from './serve-action.ts'

export interface AppOptions {
  readonly secret: string
  /** By `<domain>/<name>`. */
  readonly actions: ReadonlyMap<string, ServedAction>
  readonly maxBodyBytes: number
  /** The handler of Hasura's event triggers: `POST /events/:trigger`. */
  readonly receiveEvent: RequestHandler
  /** The pages that need no secret because mails link to them, by path. */
  readonly pages: Readonly<Record<string, RequestHandler>>
  /** Requests for a shop, by people without a credential: `/sign-up`. Null: the operator takes none. */
  readonly signUp: RequestHandler | null
  /** The answer of `/healthz`. If it isn't `ok`, callers should use another instance. */
  readonly health: () => Promise<Health>
  readonly logger: Logger
}

/** `unavailable`: what the service stands on doesn't answer. */
export type Health = 'ok' | 'unavailable' | 'stopping'

/** The HTTP side of the actions: who may post, what a body may be, and how answers and failures are sent. */
export function createApp(options: AppOptions): Express {
  const { secret, actions, maxBodyBytes, receiveEvent, pages, signUp, health, logger } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.get('/livez', (_request, response) => response.json({ status: 'ok' }))
  app.get(['/healthz', '/readyz'], async (_request, response) => {
    const status = await health()
    response.status(status === 'ok' ? 200 : 503).json({ status })
  })
  for (const [path, page] of Object.entries(pages)) app.use(path, page)
  app.use(requireSecret(secret))
  app.use(express.json({ limit: maxBodyBytes }))
  app.post('/events/:trigger', traced(receiveEvent))
  if (signUp !== null) app.use('/sign-up', signUp)
  // One route for all: express tries routes one after the other, and there are some two hundred actions.
  app.post('/:domain/:name', callAction(actions))
  app.use((_request, response) => {
    response.status(404).json({ message: 'There is no such action', extensions: { code: 'NOT_FOUND' } })
  })
  app.use(tellFailure(logger))
  return app
}

const callAction =
  (actions: ReadonlyMap<string, ServedAction>): RequestHandler<{ domain: string; name: string }> =>
  async (request, response, next) => {
    const action = actions.get(`${request.params.domain}/${request.params.name}`)
    if (action === undefined) {
      next()
      return
    }
    const leaving = new AbortController()
    const leave = (): void => leaving.abort(new DOMException('the caller has gone', 'AbortError'))
    response.once('close', leave)
    const reply = await action({ headers: request.headers, body: request.body, signal: leaving.signal })
    response.off('close', leave)
    if (reply !== 'gone') response.status(reply.status).json(reply.body)
  }

/** Continues the trace of Hasura's request. */
const traced =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    tracer.span(`POST ${request.path}`, { kind: 'server', parent: request.headers }, async () => {
      await handler(request, response, next)
    })

// Hashes of equal length are compared, so neither the secret's characters nor its length show in the time it takes.
function requireSecret(secret: string): RequestHandler {
  const expected = createHash('sha256').update(secret).digest()
  return (request, response, next) => {
    const given = createHash('sha256')
      .update(request.get('x-actions-secret') ?? '')
      .digest()
    if (timingSafeEqual(given, expected)) next()
    else
      response
        .status(401)
        .json({ message: 'x-actions-secret is wrong', extensions: { code: 'UNAUTHENTICATED' } })
  }
}

/** Of what isn't an action, and of bodies that can't be read. */
const tellFailure =
  (logger: Logger): ErrorRequestHandler =>
  (error: unknown, request: Request, response, next) => {
    if (response.headersSent) {
      next(error)
      return
    }
    const status = clientErrorStatus(error)
    const { status: told, body } =
      status === undefined
        ? internalFailure(logger, { error, requestId: request.get('x-request-id'), path: request.path })
        : badInput('The body can not be read', status)
    response.status(told).json(body)
  }

/** express.json tells a body's faults as errors with a 4xx status. */
function clientErrorStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined
  const { status } = error
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined
}
