import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AuditTrail } from '@commerce-graph/audit'
import { tracer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import type { Action } from '../action/action.ts'
import { type Answer, invalid, type Refusal } from '../action/answer.ts'
import { runAudited } from '../action/audited-call.ts'
import { userError } from '../action/input.ts'
import type { AnySession } from '../action/session.ts'
import { actionPayload, callOrigin, idempotencyPart } from './payload.ts'

/** A call of an action, whichever way it has come. */
export interface ActionRequest {
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON. */
  readonly body: unknown
  /** Aborted when the caller waits no longer. */
  readonly signal: AbortSignal
}

export interface ActionReply {
  /** Of HTTP. */
  readonly status: number
  /** For JSON. */
  readonly body: object
}

/** Never rejects. `gone`: the caller has left, so there is no reply. */
export type ServedAction = (request: ActionRequest) => Promise<ActionReply | 'gone'>

export interface ServedActionOptions {
  /** By domain, then by name: served under `/<domain>/<name>`. */
  readonly actions: Readonly<Record<string, Readonly<Record<string, Action>>>>
  /** Does an action's work for its caller, and gives it up when the signal says that the client has gone. */
  readonly runFor: <T>(session: AnySession, signal: AbortSignal, work: () => Promise<T>) => Promise<T>
  readonly audit: AuditTrail
  readonly logger: Logger
  /** From when on a call is logged at `warn`; absent: never. */
  readonly slowMilliseconds?: number | undefined
}

/** The length of the column in `platform.idempotency_record`. */
const maxIdempotencyKey = 255
/** Visible characters and spaces of ASCII, which every header comes through with. */
const idempotencyKeyFormat = /^[ -~]+$/
/** The maximum length of a client's request id in the log. */
const maxRequestId = 128

/** By `<domain>/<name>`. Each continues the trace of Hasura's request. */
export const serveActions = (options: ServedActionOptions): ReadonlyMap<string, ServedAction> =>
  new Map(
    Object.entries(options.actions).flatMap(([domain, byName]) =>
      Object.entries(byName).map(([name, action]) => {
        const path = `${domain}/${name}`
        const serve = serveAction(name, action, options)
        const served: ServedAction = (request) =>
          tracer.span(`POST /${path}`, { kind: 'server', parent: request.headers }, () => serve(request))
        return [path, served] as const
      }),
    ),
  )

const serveAction =
  (name: string, action: Action, options: ServedActionOptions): ServedAction =>
  async (request) => {
    const started = performance.now()
    const requestId = header(request, 'x-request-id')?.slice(0, maxRequestId) ?? randomUUID()
    const payload = actionPayload.safeParse(request.body)
    if (!payload.success || payload.data.action.name !== name)
      return badInput('The body is no call of this action')
    const { session_variables: session, input } = payload.data
    const { runFor, audit, logger, slowMilliseconds = Number.POSITIVE_INFINITY } = options
    try {
      const value = header(request, 'idempotency-key')
      const idempotencyKey =
        value === undefined ? null : { value, part: idempotencyPart(request.body), replayed: false }
      const origin = { ...callOrigin(request.body), requestId }
      const call = { action: name, session, input, idempotencyKey, origin }
      const answer =
        value !== undefined && !isIdempotencyKey(value)
          ? invalidIdempotencyKey
          : await untilGone(request.signal, () =>
              runFor(session, request.signal, () => runAudited(action, call, audit)),
            )
      const milliseconds = Math.round(performance.now() - started)
      logger[milliseconds >= slowMilliseconds ? 'warn' : 'info']({
        requestId,
        action: name,
        ...(session.role === 'operator'
          ? { operatorKeyId: session.operatorKeyId }
          : { merchantId: session.merchantId }),
        role: session.role,
        outcome: answer === 'gone' ? answer : outcomeOf(answer),
        milliseconds,
      })
      return answer === 'gone' ? answer : replyOf(answer, idempotencyKey?.replayed ?? false)
    } catch (error) {
      return internalFailure(logger, { error, requestId, action: name })
    }
  }

function header({ headers }: ActionRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const isIdempotencyKey = (value: string): boolean =>
  value.length <= maxIdempotencyKey && idempotencyKeyFormat.test(value)

const invalidIdempotencyKey: Answer = invalid(
  userError('Idempotency-Key', { kind: 'format', expected: `1 to ${maxIdempotencyKey} characters of ASCII` }),
)

/** Does the work while the caller waits for it: Hasura hangs up when its client does, and when the time is up. */
async function untilGone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | 'gone'> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) return 'gone'
    throw error
  }
}

function replyOf(answer: Answer, replayed: boolean): ActionReply {
  switch (answer.kind) {
    case 'done':
      return { status: 200, body: { ...answer.data, errors: [], replayed } }
    case 'invalid':
      return { status: 200, body: { errors: answer.errors, replayed } }
    case 'refused':
      return { status: answer.status, body: refusalBody(answer) }
    default:
      return answer satisfies never
  }
}

const refusalBody = ({ id, message, details }: Refusal) => ({ message, extensions: { code: id, details } })

const outcomeOf = (answer: Answer): string => (answer.kind === 'refused' ? answer.id : answer.kind)

/** The reply to a body that is none of ours. */
export const badInput = (message: string, status = 400): ActionReply => ({
  status,
  body: { message, extensions: { code: 'BAD_USER_INPUT' } },
})

/** Logs an internal failure under the request's id. The caller learns only that the request failed. */
export function internalFailure(
  logger: Logger,
  failure: { readonly error: unknown; readonly requestId: string | undefined } & Readonly<
    Record<string, unknown>
  >,
): ActionReply {
  logger.error(failure, 'an action failed')
  return {
    status: 500,
    body: {
      message: 'An unexpected error occurred. Please try again.',
      extensions: { code: 'SVC_SRV_001' },
    },
  }
}
