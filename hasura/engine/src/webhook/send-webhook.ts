import { type TraceContext, traceHeaders } from '../tracing/trace-context.ts'
import { fetchFollowingRedirects } from './fetch-following-redirects.ts'
import { readBounded } from './read-bounded.ts'

/** A request to a webhook, as it goes out. */
export interface WebhookRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
}

/** Bounds of a call, and what it is part of. */
export interface WebhookCall {
  readonly timeoutMs: number
  /** Longer answers count as none. */
  readonly maxAnswerBytes: number
  /** Ends the call before its time. */
  readonly signal?: AbortSignal | undefined
  /** The call becomes part of it, whatever the request's own headers say. */
  readonly trace?: TraceContext | undefined
  /** The request holds credentials in its very body, so a redirect to another host is not followed: it is the answer. */
  readonly staysWithHost?: boolean
}

/** What became of a call: an answer, whatever its status, or none. */
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

/** Sends a request and waits for the answer. Redirects are followed; to another host, headers that may be secrets don't go along. */
export async function sendWebhook(
  { method, url, headers, body }: WebhookRequest,
  { timeoutMs, maxAnswerBytes, signal, trace, staysWithHost = false }: WebhookCall,
): Promise<WebhookOutcome> {
  try {
    const timeout = AbortSignal.timeout(timeoutMs)
    const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]))
    for (const [name, value] of trace === undefined ? [] : traceHeaders(trace)) sent.set(name, value)
    const request = {
      method,
      headers: sent,
      body: body === undefined || bodiless.has(method) ? null : body,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    }
    const response = await fetchFollowingRedirects(url, request, staysWithHost)
    const text = await readBounded(response, maxAnswerBytes)
    if (text === undefined) {
      await response.body?.cancel().catch(() => undefined)
      return { kind: 'unanswered', message: 'the response of the webhook is too large' }
    }
    return { kind: 'answered', status: response.status, headers: [...response.headers], body: text }
  } catch (error) {
    return { kind: 'unanswered', message: reasonOf(error) }
  }
}

/** In Hasura's words, as far as they go. `fetch failed` says nothing; what it wraps does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'Response timeout'
  return error.cause instanceof Error ? `Connection failure: ${error.cause.message}` : error.message
}
