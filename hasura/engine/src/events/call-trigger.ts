import type { WebhookHeader } from '../metadata/types.ts'
import {
  type Environment,
  UnsetVariable,
  headerValue,
  resolveTemplate,
  valueFromEnvironment,
} from '../webhook/environment.ts'
import { type WebhookOutcome, postWebhook } from '../webhook/post-webhook.ts'

/** Whom to call, as metadata says it. */
export interface Addressee {
  readonly webhook?: string | undefined
  readonly webhook_from_env?: string | undefined
  readonly headers?: readonly WebhookHeader[] | undefined
}

export interface TriggerCall {
  readonly body: string
  readonly timeoutSeconds: number
  readonly environment: Environment
  readonly signal: AbortSignal
}

/** Calls the webhook of a trigger. A variable that is not set counts as a webhook that does not answer. */
export const callTrigger = async (
  { webhook, webhook_from_env, headers = [] }: Addressee,
  { body, timeoutSeconds, environment, signal }: TriggerCall,
): Promise<WebhookOutcome> => {
  try {
    return await postWebhook({
      url:
        webhook_from_env === undefined
          ? resolveTemplate(webhook ?? '', environment)
          : valueFromEnvironment(webhook_from_env, environment),
      headers: headers.map((header) => [header.name, headerValue(header, environment)] as const),
      body,
      timeoutMs: timeoutSeconds * 1000,
      signal,
    })
  } catch (error) {
    if (error instanceof UnsetVariable) return { kind: 'unanswered', message: error.message }
    throw error
  }
}
