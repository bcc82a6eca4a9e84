import type { IncomingHttpHeaders } from 'node:http'
import type { Action } from '../metadata/types.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { RequestFailure } from '../execute/request-failure.ts'

/** What an action's handler is sent. */
export interface ActionPayload {
  readonly action: { readonly name: string }
  readonly input: JsonValue
  readonly session_variables: Readonly<Record<string, string>>
  readonly request_query: string
}

export interface HandlerCall {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clientHeaders?: IncomingHttpHeaders | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HandlerAnswer {
  readonly body: JsonValue
  readonly cookies: readonly string[]
}

/** Seconds. */
const defaultTimeout = 30

/** Answers are rows for a page, not files. */
const maxAnswerBytes = 10 * 1024 * 1024

/** Headers that belong to the client's own connection, or that name what this request sends itself. */
const notForwarded: ReadonlySet<string> = new Set([
  'accept',
  'accept-datetime',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-length',
  'content-md5',
  'content-type',
  'dnt',
  'host',
  'origin',
  'referer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** Posts to an action's handler. Throws RequestFailure with what the client is to be told. */
export const callHandler = async (
  { definition }: Action,
  payload: ActionPayload,
  call: HandlerCall,
): Promise<HandlerAnswer> => {
  const url = resolveTemplate(definition.handler, call.environment)
  const timeout = AbortSignal.timeout((definition.timeout ?? defaultTimeout) * 1000)
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal])
  const response = await fetch(url, {
    method: 'POST',
    headers: requestHeaders(definition, call),
    body: JSON.stringify(payload),
    redirect: 'error',
    signal,
  }).catch((error: unknown) => {
    throw unexpected('http exception when calling webhook', error)
  })
  const body = parseBody(await readBounded(response))
  if (response.ok) return { body, cookies: response.headers.getSetCookie() }
  throw refusal(response.status, body)
}

/** `{{NAME}}` stands for a variable of the environment. */
export const resolveTemplate = (template: string, environment: HandlerCall['environment']): string =>
  template.replaceAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g, (_, name: string) => {
    const value = environment[name]
    if (value === undefined) throw unexpected(`environment variable '${name}' not set`)
    return value
  })

const requestHeaders = (
  definition: Action['definition'],
  { environment, clientHeaders }: HandlerCall,
): Headers => {
  const headers = new Headers()
  if (definition.forward_client_headers === true) {
    const ignored = new Set((definition.ignored_client_headers ?? []).map((name) => name.toLowerCase()))
    for (const [name, value] of Object.entries(clientHeaders ?? {}))
      if (value !== undefined && !notForwarded.has(name) && !ignored.has(name))
        headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  for (const header of definition.headers ?? []) {
    const value =
      'value' in header ? resolveTemplate(header.value, environment) : environment[header.value_from_env]
    if (value === undefined) throw unexpected(`environment variable for the header '${header.name}' not set`)
    headers.set(header.name, value)
  }
  headers.set('content-type', 'application/json')
  return headers
}

const readBounded = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxAnswerBytes) throw unexpected('the response of the webhook is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parseBody = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    throw unexpected('not a valid json response from webhook', error)
  }
}

/** A 4xx is the handler's own word to the client; anything else is its failure. */
const refusal = (status: number, body: JsonValue): RequestFailure => {
  if (status < 400 || status >= 500) return unexpected('internal error')
  const { message, code, extensions } = objectOf(body)
  if (typeof message !== 'string') return unexpected('parsing the error response of the webhook failed')
  const own = typeof code === 'string' ? code : 'unexpected'
  return new RequestFailure({ message, extensions: { path: '$', code: own, ...objectOf(extensions) } })
}

const objectOf = (value: JsonValue | undefined): Readonly<Record<string, JsonValue>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, JsonValue>)
    : {}

const unexpected = (message: string, cause?: unknown): RequestFailure => {
  const failure = new RequestFailure({ message, extensions: { path: '$', code: 'unexpected' } })
  failure.cause = cause
  return failure
}
