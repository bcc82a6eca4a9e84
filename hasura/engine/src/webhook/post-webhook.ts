import { readBounded } from './read-bounded.ts'

export interface WebhookCall {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly timeoutMs: number
  /** Ends the call before its time. */
  readonly signal: AbortSignal
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

/** Answers are logged, not processed: a long one is a mistake of the handler's. */
const maxAnswerBytes = 1024 * 1024

export const postWebhook = async (call: WebhookCall): Promise<WebhookOutcome> => {
  try {
    const headers = new Headers(call.headers.map(([name, value]): [string, string] => [name, value]))
    headers.set('content-type', 'application/json')
    if (!headers.has('user-agent')) headers.set('user-agent', 'hasura-graphql-engine/embedded')
    const response = await fetch(call.url, {
      method: 'POST',
      headers,
      body: call.body,
      redirect: 'manual',
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)]),
    })
    const body = await readBounded(response, maxAnswerBytes)
    if (body === undefined) {
      await response.body?.cancel().catch(() => undefined)
      return { kind: 'unanswered', message: 'the response of the webhook is too large' }
    }
    return { kind: 'answered', status: response.status, headers: [...response.headers], body }
  } catch (error) {
    return { kind: 'unanswered', message: reasonOf(error) }
  }
}

/** `fetch failed` says nothing; what it wraps does. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'ResponseTimeout'
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
