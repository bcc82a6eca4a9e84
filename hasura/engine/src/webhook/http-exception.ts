import type { Json } from '../metadata/parse.ts'
import type { WebhookOutcome, WebhookRequest } from './send-webhook.ts'

/**
 * A call without an answer, in the form of Hasura's logs and `internal`. Hasura's form also has the request's headers;
 * they are left out here, because they contain secrets.
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
