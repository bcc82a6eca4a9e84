import type { Json } from '../metadata/parse.ts'
import type { WebhookOutcome, WebhookRequest } from './send-webhook.ts'

/**
 * A call without an answer, in the form in which Hasura logs it and tells it in `internal`. It names the request's headers,
 * too; here they are left out, as they hold secrets.
 */
export function httpException(
  { method, url }: Pick<WebhookRequest, 'method' | 'url'>,
  { message }: Extract<WebhookOutcome, { kind: 'unanswered' }>,
  timeoutMs: number,
): Json {
  if (!URL.canParse(url)) return { type: 'invalid_url', message }
  const { hostname, port, protocol, pathname, search } = new URL(url)
  const secure = protocol === 'https:'
  return {
    type: 'http_exception',
    message,
    request: {
      host: hostname,
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      secure,
      path: pathname,
      queryString: search,
      method,
      responseTimeout: `ResponseTimeoutMicro ${timeoutMs * 1000}`,
    },
  }
}
