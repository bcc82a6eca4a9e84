import { traceHeaders } from '../tracing/trace-context.ts'
import {
  signalOf,
  tooLarge,
  unanswered,
  type WebhookCall,
  type WebhookOutcome,
  type WebhookRequest,
} from '../webhook/send-webhook.ts'

/** A request to a handler in this process. */
export interface LocalRequest {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** Aborted when the client has gone or the action's time is up: the answer is not read any more. */
  readonly signal: AbortSignal
}

export interface LocalAnswer {
  readonly status: number
  /** JSON. */
  readonly body: string
}

/** Answers a request as the handler's HTTP server would. A rejection counts as no answer. */
export type LocalHandler = (request: LocalRequest) => Promise<LocalAnswer>

/** The handler of a URL in this process; undefined: the URL is asked over HTTP. */
export type LocalHandlers = (url: string) => LocalHandler | undefined

/** Asks a handler in this process with the limits of a call over HTTP. Never rejects. */
export async function askLocally(
  handler: LocalHandler,
  { headers, body = '' }: WebhookRequest,
  { timeoutMs, maxAnswerBytes, signal, trace }: WebhookCall,
): Promise<WebhookOutcome> {
  const ended = signalOf({ timeoutMs, signal })
  const named = [...headers, ...(trace === undefined ? [] : traceHeaders(trace))]
  try {
    const answer = await orAborted(ended, () =>
      handler({
        headers: Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value])),
        body,
        signal: ended,
      }),
    )
    if (Buffer.byteLength(answer.body) > maxAnswerBytes) return tooLarge
    return { kind: 'answered', status: answer.status, headers: [], body: answer.body }
  } catch (error) {
    return unanswered(error)
  }
}

/** The result of the work, or a rejection once the signal is aborted: a handler may not heed it. */
async function orAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work(), aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
