import { type TraceContext, traceHeaders } from '../tracing/trace-context.ts'
import { fetchFollowingRedirects } from './fetch-following-redirects.ts'
import { readBounded } from './read-bounded.ts'

/** A request to a webhook. */
export interface WebhookRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
}

/** The limits of a call, and its context. */
export interface WebhookCall {
  readonly timeoutMs: number
  /** A longer answer counts as no answer. */
  readonly maxAnswerBytes: number
  /** Aborting ends the call. */
  readonly signal?: AbortSignal | undefined
  /** The trace that the call belongs to. It replaces trace headers of the request. */
  readonly trace?: TraceContext | undefined
  /**
   * True if the body itself contains credentials: then a redirect to another host is not followed, it is the answer.
   */
  readonly staysWithHost?: boolean
}

/** The result of a call: an answer with any status, or none. */
export type WebhookOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly body: string
    }
  | { readonly kind: 'unanswered'; readonly message: string }

/** Methods whose requests `fetch` sends without a body. */
const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Sends a request. Redirects to another host are followed without headers that may be secrets. Never rejects. */
export async function sendWebhook(
  { method, url, headers, body }: WebhookRequest,
  { timeoutMs, maxAnswerBytes, signal, trace, staysWithHost = false }: WebhookCall,
): Promise<WebhookOutcome> {
  try {
    const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]))
    for (const [name, value] of trace === undefined ? [] : traceHeaders(trace)) sent.set(name, value)
    const request = {
      method,
      headers: sent,
      body: body === undefined || bodiless.has(method) ? null : body,
      signal: signalOf({ timeoutMs, signal }),
    }
    const response = await fetchFollowingRedirects(url, request, staysWithHost)
    const text = await readBounded(response, maxAnswerBytes)
    if (text === undefined) {
      await response.body?.cancel().catch(() => undefined)
      return tooLarge
    }
    return { kind: 'answered', status: response.status, headers: [...response.headers], body: text }
  } catch (error) {
    return unanswered(error)
  }
}

/** Aborted when the caller wants the call no longer, or its time is up. */
export function signalOf({ timeoutMs, signal }: Pick<WebhookCall, 'timeoutMs' | 'signal'>): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout])
}

export const tooLarge: WebhookOutcome = {
  kind: 'unanswered',
  message: 'the response of the webhook is too large',
}

export const unanswered = (error: unknown): WebhookOutcome => ({
  kind: 'unanswered',
  message: reasonOf(error),
})

/** The reason in Hasura's words, where it has some. The message `fetch failed` is useless; its cause isn't. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'Response timeout'
  return error.cause instanceof Error ? `Connection failure: ${error.cause.message}` : error.message
}
