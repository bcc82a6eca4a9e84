import type { Json } from '../metadata/parse.ts'
import type { RequestTransform, ResponseTransform, WebhookHeader } from '../metadata/types.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import {
  type Environment,
  UnsetVariable,
  headerValue,
  resolveTemplate,
  valueFromEnvironment,
} from '../webhook/environment.ts'
import { defaultHeaders, isDefaultHeader } from '../webhook/default-headers.ts'
import { httpException } from '../webhook/http-exception.ts'
import { type WebhookOutcome, type WebhookRequest, sendWebhook } from '../webhook/send-webhook.ts'
import { TransformError } from '../webhook/transform-error.ts'
import {
  type SessionVariables,
  type TransformContext,
  transformContext,
  transformRequest,
} from '../webhook/transform-request.ts'
import { transformResponse } from '../webhook/transform-response.ts'

/** The webhook of a trigger, and how to call it, from metadata. */
export interface Addressee {
  readonly webhook?: string | undefined
  readonly webhook_from_env?: string | undefined
  readonly headers?: readonly WebhookHeader[] | undefined
  readonly request_transform?: RequestTransform | undefined
  readonly response_transform?: ResponseTransform | undefined
}

export interface TriggerCall {
  readonly body: string
  /** The session that caused the event, for templates. */
  readonly session?: SessionVariables | undefined
  readonly timeoutSeconds: number
  readonly environment: Environment
  readonly trace: TraceContext
  readonly signal: AbortSignal
}

/** A call's result, and the request that was sent, for the logs. */
export interface CalledTrigger {
  readonly outcome: TriggerOutcome
  readonly sentBody: string | undefined
}

/** A template that fails would fail again, so the call is not repeated. */
export type TriggerOutcome = WebhookOutcome | { readonly kind: 'untransformable'; readonly message: string }

/** The longest answer. Answers are only logged, so a longer one is a mistake of the handler. */
const maxAnswerBytes = 1024 * 1024

/** Calls the webhook of a trigger. A variable that is not set counts as a webhook that doesn't answer. */
export async function callTrigger(trigger: Addressee, call: TriggerCall): Promise<CalledTrigger> {
  try {
    const { request, context } = requestOf(trigger, call)
    const { signal, trace } = call
    const timeoutMs = call.timeoutSeconds * 1000
    const outcome = await sendWebhook(request, { timeoutMs, maxAnswerBytes, signal, trace })
    const { body: sentBody } = request
    if (outcome.kind === 'answered')
      return { outcome: withTransformedBody(outcome, trigger, call, context), sentBody }
    const message = JSON.stringify(httpException(request, outcome, timeoutMs))
    return { outcome: { ...outcome, message }, sentBody }
  } catch (error) {
    if (error instanceof UnsetVariable)
      return { outcome: { kind: 'unanswered', message: error.message }, sentBody: call.body }
    if (error instanceof TransformError)
      return { outcome: { kind: 'untransformable', message: error.message }, sentBody: call.body }
    throw error
  }
}

function requestOf(
  { webhook, webhook_from_env, headers = [], request_transform: transform }: Addressee,
  { body, session, environment }: TriggerCall,
): { readonly request: WebhookRequest; readonly context: TransformContext | undefined } {
  const url =
    webhook_from_env === undefined
      ? resolveTemplate(webhook ?? '', environment)
      : valueFromEnvironment(webhook_from_env, environment)
  const configured = headers.map((header) => [header.name, headerValue(header, environment)] as const)
  const request: WebhookRequest = {
    method: 'POST',
    url,
    headers: [...defaultHeaders, ...configured.filter(([name]) => !isDefaultHeader(name))],
    body,
  }
  if (transform === undefined) return { request, context: undefined }
  const context = transformContext(url, JSON.parse(body) as Json, session)
  return { request: transformRequest(transform, request, context), context }
}

/**
 * Applies the response transform, which affects only the log of a trigger's answer. When the transform fails, the
 * answer stays as it came, because the event was delivered.
 */
function withTransformedBody(
  outcome: Extract<WebhookOutcome, { kind: 'answered' }>,
  { response_transform: transform }: Addressee,
  { session }: TriggerCall,
  request: TransformContext | undefined,
): WebhookOutcome {
  if (transform === undefined) return outcome
  const { status, body } = outcome
  try {
    const transformed = transformResponse(transform, { body: jsonOrNull(body), status, session, request })
    return { ...outcome, body: JSON.stringify(transformed) }
  } catch (error) {
    if (error instanceof TransformError) return outcome
    throw error
  }
}

function jsonOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
