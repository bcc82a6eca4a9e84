import type { WebhookHeader } from '../metadata/types.ts'
import { defaultHeaders, isDefaultHeader } from '../webhook/default-headers.ts'
import type { CalledTrigger, TriggerOutcome } from './call-trigger.ts'

/** The next step for an event after an attempt. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterSeconds: number }
  | { readonly kind: 'failed' }

export interface RetryPolicy {
  readonly retries: number
  readonly intervalSeconds: number
}

/**
 * Hasura's rule: a 2xx is a success. Any other result is tried again, as often as configured, and also as often as the
 * handler asks for it with `Retry-After`.
 */
export function judge(outcome: TriggerOutcome, triesBefore: number, policy: RetryPolicy): Verdict {
  if (outcome.kind === 'answered' && isSuccess(outcome.status)) return { kind: 'delivered' }
  if (outcome.kind === 'untransformable') return { kind: 'failed' }
  const requestedSeconds = outcome.kind === 'answered' ? retryAfter(outcome.headers) : undefined
  if (requestedSeconds !== undefined) return { kind: 'retry', afterSeconds: requestedSeconds }
  return triesBefore >= policy.retries
    ? { kind: 'failed' }
    : { kind: 'retry', afterSeconds: policy.intervalSeconds }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Seconds: the longest accepted wait, about a year. */
const longestRetryAfter = 366 * 24 * 3600

/** The header's whole seconds. Like Hasura, it doesn't read the header's other form, a date. */
function retryAfter(headers: readonly (readonly [string, string])[]): number | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1].trim()
  if (value === undefined || !/^\d+$/.test(value)) return undefined
  const seconds = Number(value)
  return seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined
}

/** An attempt in the invocation logs: JSON texts, and the status if there was an answer. */
export interface Invocation {
  readonly status: number | null
  readonly request: string
  readonly response: string
}

/** The formats of Hasura's invocation logs differ only in these numbers. */
export type InvocationVersion = '1' | '2'

/** Only answers that count as success are logged whole. */
export const invocationOf = (
  { outcome, sentBody }: CalledTrigger,
  headers: readonly WebhookHeader[],
  version: InvocationVersion,
): Invocation => ({
  status: outcome.kind === 'answered' ? outcome.status : null,
  request: `{"payload":${jsonText(sentBody)},"headers":${JSON.stringify(loggedHeaders(headers))},"version":"${version}"}`,
  response: JSON.stringify(
    outcome.kind === 'answered' && isSuccess(outcome.status)
      ? {
          type: 'webhook_response',
          version,
          data: {
            status: outcome.status,
            headers: outcome.headers.map(([name, value]) => ({ name, value })),
            body: outcome.body,
          },
        }
      : {
          type: 'client_error',
          version,
          data: { message: outcome.kind === 'answered' ? outcome.body : outcome.message },
        },
  ),
})

/** A header from the environment is logged by its variable's name, so that logs hold no secrets. */
const loggedHeaders = (headers: readonly WebhookHeader[]): readonly WebhookHeader[] => [
  ...defaultHeaders.map(([name, value]) => ({ name, value })),
  ...headers.filter(({ name }) => !isDefaultHeader(name)),
]

/** A transformed body may be absent, or a form instead of JSON. */
function jsonText(body: string | undefined): string {
  if (body === undefined) return 'null'
  try {
    JSON.parse(body)
    return body
  } catch {
    return JSON.stringify(body)
  }
}
