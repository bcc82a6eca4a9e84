import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { defaultHeaders } from '../webhook/default-headers.ts'
import { forwardedHeaders } from '../webhook/forwarded-headers.ts'
import {
  type Environment,
  headerValue,
  resolveTemplate,
  valueFromEnvironment,
} from '../webhook/environment.ts'
import { sendWebhook } from '../webhook/send-webhook.ts'
import type { Json } from '../metadata/parse.ts'
import type { RemoteSchema } from '../metadata/types.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import { parseExactly } from '../exact-json.ts'

/** A GraphQL request to a remote schema. */
export interface RemoteRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  readonly operationName?: string | undefined
}

export interface RemoteCaller {
  readonly environment: Environment
  /** Whether an answer with data and errors counts as data. */
  readonly prioritizesData?: boolean | undefined
  readonly sessionVariables?: Readonly<Record<string, string>> | undefined
  readonly clientHeaders?: IncomingHttpHeaders | undefined
  readonly trace?: TraceContext | undefined
  readonly signal?: AbortSignal | undefined
}

export type RemoteAnswer =
  | {
      readonly kind: 'data'
      readonly data: Readonly<Record<string, unknown>>
      readonly cookies: readonly string[]
    }
  | { readonly kind: 'errors'; readonly errors: readonly RemoteError[] }
  /** It doesn't answer, or its answer is no GraphQL. */
  | { readonly kind: 'unavailable'; readonly message: string }

const remoteError = z.object({
  message: z.string(),
  // A schema for JSON would copy a number that is kept as text as an object.
  extensions: z.record(z.string(), z.custom<Json>()).nullish(),
})
export type RemoteError = z.output<typeof remoteError>

const envelope = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(remoteError).nullish(),
})

/** Seconds. */
const defaultTimeout = 60
const maxAnswerBytes = 20 * 1024 * 1024

/** Sends a request to a remote schema. Throws UnsetVariable when its definition names a variable that is not set. */
export async function sendRemote(
  definition: RemoteSchema['definition'],
  request: RemoteRequest,
  caller: RemoteCaller,
): Promise<RemoteAnswer> {
  const answer = await sendWebhook(
    {
      method: 'POST',
      url: urlOf(definition, caller.environment),
      headers: headersOf(definition, caller),
      body: JSON.stringify(request),
    },
    {
      timeoutMs: (definition.timeout_seconds ?? defaultTimeout) * 1000,
      maxAnswerBytes,
      signal: caller.signal,
      trace: caller.trace,
    },
  )
  if (answer.kind === 'unanswered') return { kind: 'unavailable', message: answer.message }
  const parsed = envelope.safeParse(jsonOrUndefined(answer.body))
  if (!parsed.success)
    return { kind: 'unavailable', message: `the answer with status ${answer.status} is no answer of GraphQL` }
  const { data, errors } = parsed.data
  const isData = data != null && caller.prioritizesData === true
  if (errors != null && errors.length > 0 && !isData) return { kind: 'errors', errors }
  if (data == null) return { kind: 'unavailable', message: 'the answer has neither data nor errors' }
  const cookies = answer.headers.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []))
  return { kind: 'data', data, cookies }
}

const urlOf = ({ url, url_from_env }: RemoteSchema['definition'], environment: Environment): string =>
  url_from_env === undefined
    ? resolveTemplate(url ?? '', environment)
    : valueFromEnvironment(url_from_env, environment)

/** Configured headers take precedence over the session's variables, and these over the client's headers. */
function headersOf(
  definition: RemoteSchema['definition'],
  { environment, sessionVariables, clientHeaders }: RemoteCaller,
): readonly (readonly [string, string])[] {
  const headers = new Headers(
    definition.forward_client_headers === true ? forwardedHeaders(clientHeaders) : {},
  )
  for (const [name, value] of Object.entries(sessionVariables ?? {})) headers.set(name, encodeHeader(value))
  for (const header of definition.headers ?? []) headers.set(header.name, headerValue(header, environment))
  for (const [name, value] of defaultHeaders) headers.set(name, value)
  return [...headers]
}

/** A session variable may contain characters that a header can't. */
const encodeHeader = (value: string): string =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : encodeURIComponent(value)

function jsonOrUndefined(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}
