import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { AuditTrail } from '@commerce-graph/audit'
import { tracer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import type { Action } from '../action/action.ts'
import type { AnySession } from '../action/session.ts'
import { type Answer, invalid, type Refusal } from '../action/answer.ts'
import { runAudited } from '../action/audited-call.ts'
import { userError } from '../action/input.ts'
import { actionPayload, callOrigin, idempotencyPart } from './payload.ts'

export interface AppOptions {
  readonly secret: string
  /** By domain, then by name: served under `/<domain>/<name>`. */
  readonly actions: Readonly<Record<string, Readonly<Record<string, Action>>>>
  /** Does an action's work for its caller, and gives it up when the signal says that the client has gone. */
  readonly runFor: <T>(session: AnySession, signal: AbortSignal, work: () => Promise<T>) => Promise<T>
  /** The handler of Hasura's event triggers: `POST /events/:trigger`. */
  readonly receiveEvent: RequestHandler
  /** The pages that need no secret because mails link to them, by path. */
  readonly pages: Readonly<Record<string, RequestHandler>>
  /** Requests for a shop, by people without a credential: `/sign-up`. Null: the operator takes none. */
  readonly signUp: RequestHandler | null
  /** The answer of `/healthz`. If it isn't `ok`, callers should use another instance. */
  readonly health: () => Promise<Health>
  readonly audit: AuditTrail
  readonly logger: Logger
  /** From when on a call is logged at `warn`; absent: never. */
  readonly slowMilliseconds?: number | undefined
}

/** `unavailable`: what the service stands on doesn't answer. */
export type Health = 'ok' | 'unavailable' | 'stopping'

/** Hasura's own bound on what it forwards is far above any order. */
const bodyLimit = '1mb'
/** The length of the column in `platform.idempotency_record`. */
const maxIdempotencyKey = 255
/** Visible characters and spaces of ASCII, which every header comes through with. */
const idempotencyKeyFormat = /^[ -~]+$/
/** The maximum length of a client's request id in the log. */
const maxRequestId = 128

/** The HTTP side of the actions: who may post, what a body may be, and how answers and failures are sent. */
export function createApp(options: AppOptions): Express {
  const { secret, receiveEvent, pages, signUp, health, logger } = options
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
  app.use(express.json({ limit: bodyLimit }))
  app.post('/events/:trigger', traced(receiveEvent))
  if (signUp !== null) app.use('/sign-up', signUp)
  // One route for all: express tries routes one after the other, and there are some two hundred actions.
  const handlers = actionHandlers(options)
  app.post('/:domain/:name', (request, response, next) => {
    const handler = handlers.get(`${request.params.domain}/${request.params.name}`) ?? passOn
    return handler(request, response, next)
  })
  app.use((_request, response) => {
    response.status(404).json({ message: 'There is no such action', extensions: { code: 'NOT_FOUND' } })
  })
  app.use(tellFailure(logger))
  return app
}

const passOn: RequestHandler = (_request, _response, next) => {
  next()
}

/** By `<domain>/<name>`. */
const actionHandlers = (options: AppOptions): ReadonlyMap<string, RequestHandler> =>
  new Map(
    Object.entries(options.actions).flatMap(([domain, byName]) =>
      Object.entries(byName).map(
        ([name, action]) => [`${domain}/${name}`, traced(serveAction(name, action, options))] as const,
      ),
    ),
  )

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

const serveAction =
  (
    name: string,
    action: Action,
    {
      runFor,
      audit,
      logger,
      slowMilliseconds = Number.POSITIVE_INFINITY,
    }: Pick<AppOptions, 'runFor' | 'audit' | 'logger' | 'slowMilliseconds'>,
  ): RequestHandler =>
  async (request, response) => {
    const started = performance.now()
    const requestId = request.get('x-request-id')?.slice(0, maxRequestId) ?? randomUUID()
    response.locals.requestId = requestId
    const payload = actionPayload.safeParse(request.body)
    if (!payload.success || payload.data.action.name !== name) {
      response
        .status(400)
        .json({ message: 'The body is no call of this action', extensions: { code: 'BAD_USER_INPUT' } })
      return
    }
    const { session_variables: session, input } = payload.data
    const value = request.get('idempotency-key')
    const idempotencyKey =
      value === undefined ? null : { value, part: idempotencyPart(request.body), replayed: false }
    const call = { action: name, session, input, idempotencyKey }
    const origin = { ...callOrigin(request.body), requestId }
    const answer =
      value !== undefined && (value.length > maxIdempotencyKey || !idempotencyKeyFormat.test(value))
        ? invalid(
            userError('Idempotency-Key', {
              kind: 'format',
              expected: `1 to ${maxIdempotencyKey} characters of ASCII`,
            }),
          )
        : await untilGone(response, (signal) =>
            runFor(session, signal, () => runAudited(action, call, origin, audit)),
          )
    if (answer !== 'gone') tell(response, answer, idempotencyKey?.replayed ?? false)
    const milliseconds = Math.round(performance.now() - started)
    const level = milliseconds >= slowMilliseconds ? 'warn' : 'info'
    logger[level]({
      requestId,
      action: name,
      ...(session.role === 'operator'
        ? { operatorKeyId: session.operatorKeyId }
        : { merchantId: session.merchantId }),
      role: session.role,
      outcome: answer === 'gone' ? answer : outcomeOf(answer),
      milliseconds,
    })
  }

/** Does the work while the client waits for it: Hasura hangs up when its client does, and when the time is up. */
async function untilGone<T>(
  response: Response,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'gone'> {
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(new DOMException('the caller has gone', 'AbortError'))
  response.once('close', leave)
  try {
    return await work(leaving.signal)
  } catch (error) {
    if (leaving.signal.aborted) return 'gone'
    throw error
  } finally {
    response.off('close', leave)
  }
}

function tell(response: Response, answer: Answer, replayed: boolean): void {
  switch (answer.kind) {
    case 'done':
      response.json({ ...answer.data, errors: [], replayed })
      return
    case 'invalid':
      response.json({ errors: answer.errors, replayed })
      return
    case 'refused':
      response.status(answer.status).json(refusalBody(answer))
      return
    default:
      answer satisfies never
  }
}

const refusalBody = ({ id, message, details }: Refusal) => ({ message, extensions: { code: id, details } })

const outcomeOf = (answer: Answer): string => (answer.kind === 'refused' ? answer.id : answer.kind)

// Logs an internal failure under the request's id. The caller learns only that the request failed.
const tellFailure =
  (logger: Logger): ErrorRequestHandler =>
  (error: unknown, request: Request, response, next) => {
    if (response.headersSent) {
      next(error)
      return
    }
    const status = clientErrorStatus(error)
    if (status !== undefined) {
      response
        .status(status)
        .json({ message: 'The body can not be read', extensions: { code: 'BAD_USER_INPUT' } })
      return
    }
    logger.error(
      { error, requestId: response.locals.requestId as unknown, path: request.path },
      'an action failed',
    )
    response.status(500).json({
      message: 'An unexpected error occurred. Please try again.',
      extensions: { code: 'SVC_SRV_001' },
    })
  }

/** express.json tells a body's faults as errors with a 4xx status. */
function clientErrorStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined
  const { status } = error
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined
}
