import type { IncomingHttpHeaders } from 'node:http'
import { parseUnrounded, withPlainNumbers } from '../exact-json.ts'
import type { Json } from '../metadata/parse.ts'
import type { Action, CustomTypes } from '../metadata/types.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import { type Environment, UnsetVariable, resolveTemplate } from '../webhook/environment.ts'
import { httpException } from '../webhook/http-exception.ts'
import { clientHeadersFor, requestHeaders } from '../webhook/request-headers.ts'
import { type WebhookOutcome, type WebhookRequest, sendWebhook } from '../webhook/send-webhook.ts'
import { TransformError } from '../webhook/transform-error.ts'
import { type TransformContext, transformContext, transformRequest } from '../webhook/transform-request.ts'
import { transformResponse } from '../webhook/transform-response.ts'
import { withoutCredentials } from '../webhook/url-credentials.ts'
import { answerProblem } from './check-answer.ts'
import { exchangeFailure, handlerFailure, refusal, responseInfo } from './handler-failure.ts'
import { askLocally, type LocalHandlers } from './local-handler.ts'

/** The body of a request to an action's handler. */
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
  /** Handlers that need no HTTP. */
  readonly localHandlers?: LocalHandlers | undefined
}

export interface HandlerAnswer {
  readonly body: JsonValue
  readonly cookies: readonly string[]
}

/** Seconds. */
const defaultTimeout = 30

/** The longest answer. Answers are rows for a page, not files. */
const maxAnswerBytes = 10 * 1024 * 1024

/**
 * Posts to an action's handler, or asks it in this process, and checks the answer against the action's output type. Throws
 * RequestFailure with the client's error when the handler doesn't answer, refuses, or answers something else.
 */
export async function callHandler(
  { definition }: Action,
  types: CustomTypes,
  payload: ActionPayload,
  call: HandlerCall,
): Promise<HandlerAnswer> {
  const session = payload.session_variables
  const { request, context } = requestOf(definition, payload, call)
  const shownRequest = requestInfo(definition, payload, call, context === undefined ? null : request)
  const timeoutMs = (definition.timeout ?? defaultTimeout) * 1000
  const { signal, trace } = call
  const limits = { timeoutMs, maxAnswerBytes, signal, trace }
  const local = call.localHandlers?.(request.url)
  const answer =
    local === undefined ? await sendWebhook(request, limits) : await askLocally(local, request, limits)
  if (answer.kind === 'unanswered') {
    const exchange = { request: shownRequest, response: null }
    throw exchangeFailure(
      'http exception when calling webhook',
      httpException(request, answer, timeoutMs),
      exchange,
    )
  }
  const body = bodyOf(definition, answer, session, context)
  if (body === undefined)
    throw exchangeFailure('not a valid json response from webhook', 'invalid json', {
      request: shownRequest,
      response: responseInfo(answer, answer.body),
    })
  const exchange = { request: shownRequest, response: responseInfo(answer, body) }
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer.status, body, exchange)
  const problem = answerProblem(body, definition.output_type ?? 'Boolean', types)
  if (problem !== undefined) throw exchangeFailure(problem, 'unexpected response', exchange)
  return { body, cookies: cookiesOf(answer) }
}

/** The answer after the response transform; undefined when it is no JSON. */
function bodyOf(
  { response_transform: transform }: Action['definition'],
  { body, status }: Extract<WebhookOutcome, { kind: 'answered' }>,
  session: ActionPayload['session_variables'],
  request: TransformContext | undefined,
): JsonValue | undefined {
  if (transform === undefined) return parsed(body, parseUnrounded)
  // Templates know JavaScript's numbers alone.
  const plain = parsed(body, JSON.parse)
  return transformed<JsonValue>('Response Transformation Failed', () =>
    transformResponse(transform, { body: plain ?? null, status, session, request }),
  )
}

/** The request as `internal` shows it. Values from the environment are shown by their variable's name. */
function requestInfo(
  definition: Action['definition'],
  payload: ActionPayload,
  { clientHeaders }: HandlerCall,
  transformed: WebhookRequest | null,
): Json {
  const forwarded = Object.entries(clientHeadersFor(definition, clientHeaders))
  return {
    url: definition.handler,
    body: { ...payload },
    headers: [
      ...(definition.headers ?? []).map((header) => ({ ...header })),
      ...forwarded.map(([name, value]) => ({ name, value })),
    ],
    transformed_request: transformed && {
      method: transformed.method,
      url: withoutCredentials(transformed.url),
      body: transformed.body ?? null,
    },
  }
}

/** The request to the handler, and the context of its templates if it has any. */
function requestOf(
  definition: Action['definition'],
  payload: ActionPayload,
  call: HandlerCall,
): { readonly request: WebhookRequest; readonly context: TransformContext | undefined } {
  const url = configured(() => resolveTemplate(definition.handler, call.environment))
  const request: WebhookRequest = {
    method: 'POST',
    url,
    headers: configured(() => requestHeaders(definition, call.environment, call.clientHeaders)),
    body: JSON.stringify(payload),
  }
  const { request_transform: transform } = definition
  if (transform === undefined) return { request, context: undefined }
  const input = withPlainNumbers(payload.input)
  const context = transformContext(url, { ...payload, input }, payload.session_variables)
  return transformed('Request Transformation Failed', () => ({
    request: transformRequest(transform, request, context),
    context,
  }))
}

function transformed<Result>(message: string, transform: () => Result): Result {
  try {
    return transform()
  } catch (error) {
    throw error instanceof TransformError ? handlerFailure(message, error.errors) : error
  }
}

const cookiesOf = ({ headers }: Extract<WebhookOutcome, { kind: 'answered' }>): readonly string[] =>
  headers.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []))

/** Resolves values from the environment. Throws handlerFailure when a variable is not set. */
function configured<Result>(resolve: () => Result): Result {
  try {
    return resolve()
  } catch (error) {
    throw error instanceof UnsetVariable ? handlerFailure(error.message) : error
  }
}

function parsed(text: string, parse: (text: string) => unknown): JsonValue | undefined {
  try {
    return parse(text) as JsonValue
  } catch {
    return undefined
  }
}
