import type { WebhookHeader } from '../metadata/types.ts'
import type { CalledTrigger, TriggerOutcome } from './call-trigger.ts'

/** What is done with an event after an attempt. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterSeconds: number }
  | { readonly kind: 'failed' }

export interface RetryPolicy {
  readonly retries: number
  readonly intervalSeconds: number
}

/**
 * Hasura's rule: a 2xx is success; anything else is tried again as often as configured, and as often as the handler
 * itself asks for by `Retry-After`.
 */
export const judge = (outcome: TriggerOutcome, triesBefore: number, policy: RetryPolicy): Verdict => {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { kind: 'delivered' }
  if (outcome.kind === 'untransformable') return { kind: 'failed' }
  const asked = outcome.kind === 'answered' ? retryAfter(outcome.headers) : undefined
  if (asked !== undefined) return { kind: 'retry', afterSeconds: asked }
  return triesBefore >= policy.retries
    ? { kind: 'failed' }
    : { kind: 'retry', afterSeconds: policy.intervalSeconds }
}

/** Nobody is asked to come back later than in a year. */
const longestRetryAfter = 366 * 24 * 3600

/** Whole seconds; like Hasura, not the header's other form, a date. */
const retryAfter = (headers: readonly (readonly [string, string])[]): number | undefined => {
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1].trim()
  if (value === undefined || !/^\d+$/.test(value)) return undefined
  const seconds = Number(value)
  return seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined
}

/** An attempt as the invocation logs keep it: JSON texts, and the status that the console shows. */
export interface Invocation {
  readonly status: number
  readonly request: string
  readonly response: string
}

/** What stands for the status of a call that had no answer. */
const noStatus = 1000

/** A header from the environment is logged by the variable's name: logs are no place for secrets. */
export const invocationOf = (
  { outcome, sentBody }: CalledTrigger,
  headers: readonly WebhookHeader[],
): Invocation => ({
  status: outcome.kind === 'answered' ? outcome.status : noStatus,
  request: `{"payload":${jsonText(sentBody)},"headers":${JSON.stringify(headers)},"version":"2"}`,
  response: JSON.stringify(
    outcome.kind === 'answered'
      ? {
          type: 'webhook_response',
          version: '2',
          data: {
            status: outcome.status,
            headers: outcome.headers.map(([name, value]) => ({ name, value })),
            body: outcome.body,
          },
        }
      : { type: 'client_error', version: '2', data: { message: outcome.message } },
  ),
})

/** A transformed body may be absent, or a form instead of JSON. */
const jsonText = (body: string | undefined): string => {
  if (body === undefined) return 'null'
  try {
    JSON.parse(body)
    return body
  } catch {
    return JSON.stringify(body)
  }
}
