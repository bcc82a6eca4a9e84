import type { IncomingHttpHeaders } from 'node:http'
import type { Action } from '../metadata/types.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { RequestFailure } from '../execute/request-failure.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import { type Environment, UnsetVariable, resolveTemplate } from '../webhook/environment.ts'
import { requestHeaders } from '../webhook/request-headers.ts'
import { type WebhookOutcome, type WebhookRequest, sendWebhook } from '../webhook/send-webhook.ts'
import { TransformError } from '../webhook/transform-error.ts'
import { type TransformContext, transformContext, transformRequest } from '../webhook/transform-request.ts'
import { transformResponse } from '../webhook/transform-response.ts'

/** What an action's handler is sent. */
export interface ActionPayload {
  readonly action: { readonly name: string }
  readonly input: JsonValue
  readonly session_variables: Readonly<Record<string, string>>
  /** Null for an asynchronous action: the log does not keep the document. */
  readonly request_query: string | null
}

export interface HandlerCall {
  readonly environment: Environment
  readonly clientHeaders?: IncomingHttpHeaders | undefined
  readonly trace?: TraceContext | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HandlerAnswer {
  readonly body: JsonValue
  readonly cookies: readonly string[]
}

/** Seconds. */
const defaultTimeout = 30

/** Answers are rows for a page, not files. */
const maxAnswerBytes = 10 * 1024 * 1024

/** Posts to an action's handler. Throws RequestFailure with what the client is to be told. */
export const callHandler = async (
  { definition }: Action,
  payload: ActionPayload,
  call: HandlerCall,
): Promise<HandlerAnswer> => {
  const session = payload.session_variables
  const { request, context } = requestOf(definition, payload, call)
  const answer = await sendWebhook(request, {
    timeoutMs: (definition.timeout ?? defaultTimeout) * 1000,
    maxAnswerBytes,
    signal: call.signal,
    trace: call.trace,
  })
  if (answer.kind === 'unanswered')
    throw unexpected('http exception when calling webhook', new Error(answer.message))
  const { status } = answer
  const body = bodyOf(definition, answer, session, context)
  if (status >= 200 && status < 300) return { body, cookies: cookiesOf(answer) }
  throw refusal(status, body)
}

const bodyOf = (
  { response_transform: transform }: Action['definition'],
  { body, status }: Extract<WebhookOutcome, { kind: 'answered' }>,
  session: ActionPayload['session_variables'],
  request: TransformContext | undefined,
): JsonValue => {
  const parsed = parseJson(body)
  if (transform !== undefined)
    return transformed<JsonValue>('Response Transformation Failed', () =>
      transformResponse(transform, { body: parsed ?? null, status, session, request }),
    )
  if (parsed === undefined) throw unexpected('not a valid json response from webhook')
  return parsed
}

/** The request to the handler, and what its templates saw if there are any. */
const requestOf = (
  definition: Action['definition'],
  payload: ActionPayload,
  call: HandlerCall,
): { readonly request: WebhookRequest; readonly context: TransformContext | undefined } => {
  const url = configured(() => resolveTemplate(definition.handler, call.environment))
  const request: WebhookRequest = {
    method: 'POST',
    url,
    headers: configured(() => requestHeaders(definition, call.environment, call.clientHeaders)),
    body: JSON.stringify(payload),
  }
  const { request_transform: transform } = definition
  if (transform === undefined) return { request, context: undefined }
  const context = transformContext(url, { ...payload }, payload.session_variables)
  return transformed('Request Transformation Failed', () => ({
    request: transformRequest(transform, request, context),
    context,
  }))
}

const transformed = <Result>(message: string, transform: () => Result): Result => {
  try {
    return transform()
  } catch (error) {
    throw error instanceof TransformError ? unexpected(message, error) : error
  }
}

const cookiesOf = ({ headers }: Extract<WebhookOutcome, { kind: 'answered' }>): readonly string[] =>
  headers.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []))

/** What the metadata leaves to the environment, which may lack it. */
const configured = <Result>(resolve: () => Result): Result => {
  try {
    return resolve()
  } catch (error) {
    throw error instanceof UnsetVariable ? unexpected(error.message) : error
  }
}

const parseJson = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** A 4xx is the handler's own word to the client; anything else is its failure. */
const refusal = (status: number, body: JsonValue): RequestFailure => {
  if (status < 400 || status >= 500) return unexpected('internal error')
  const { message, code, extensions } = objectOf(body)
  if (typeof message !== 'string') return unexpected('parsing the error response of the webhook failed')
  const own = typeof code === 'string' ? code : 'unexpected'
  return new RequestFailure({ message, extensions: { path: '$', code: own, ...objectOf(extensions) } })
}

const objectOf = (value: JsonValue | undefined): Readonly<Record<string, JsonValue>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, JsonValue>)
    : {}

const unexpected = (message: string, cause?: unknown): RequestFailure => {
  const failure = new RequestFailure({ message, extensions: { path: '$', code: 'unexpected' } })
  failure.cause = cause
  return failure
}
