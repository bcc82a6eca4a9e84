import type { IncomingHttpHeaders } from 'node:http'
import type { WebhookHeader } from '../metadata/types.ts'
import { defaultHeaders } from './default-headers.ts'
import { type Environment, headerValue } from './environment.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import type { WebhookRequest } from './send-webhook.ts'

/** The settings in metadata for the headers of a webhook's requests. */
export interface HeaderDefinition {
  readonly headers?: readonly WebhookHeader[] | undefined
  readonly forward_client_headers?: boolean | undefined
  readonly ignored_client_headers?: readonly string[] | undefined
}

/** The client's headers that the webhook receives. */
export const clientHeadersFor = (
  { forward_client_headers: forwards, ignored_client_headers: ignored }: HeaderDefinition,
  clientHeaders: IncomingHttpHeaders | undefined,
): Readonly<Record<string, string>> => (forwards === true ? forwardedHeaders(clientHeaders, ignored) : {})

/**
 * The headers of a request with a JSON body. Configured headers take precedence over the client's. Throws
 * UnsetVariable.
 */
export function requestHeaders(
  definition: HeaderDefinition,
  environment: Environment,
  clientHeaders: IncomingHttpHeaders | undefined,
): WebhookRequest['headers'] {
  const headers = new Headers(clientHeadersFor(definition, clientHeaders))
  for (const header of definition.headers ?? []) headers.set(header.name, headerValue(header, environment))
  for (const [name, value] of defaultHeaders) headers.set(name, value)
  return [...headers]
}
