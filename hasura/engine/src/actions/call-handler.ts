import type { IncomingHttpHeaders } from 'node:http'
import type { Action } from '../metadata/types.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { RequestFailure } from '../execute/request-failure.ts'
import { type Environment, UnsetVariable, headerValue, resolveTemplate } from '../webhook/environment.ts'
import { readBounded } from '../webhook/read-bounded.ts'

/** What an action's handler is sent. */
export interface ActionPayload {
  readonly action: { readonly name: string }
  readonly input: JsonValue
  readonly session_variables: Readonly<Record<string, string>>
  readonly request_query: string
}

export interface HandlerCall {
  readonly environment: Environment
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
  const url = configured(() => resolveTemplate(definition.handler, call.environment))
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
  const text = await readBounded(response, maxAnswerBytes)
  if (text === undefined) throw unexpected('the response of the webhook is too large')
  const body = parseBody(text)
  if (response.ok) return { body, cookies: response.headers.getSetCookie() }
  throw refusal(response.status, body)
}

/** What the metadata leaves to the environment, which may lack it. */
const configured = (resolve: () => string): string => {
  try {
    return resolve()
  } catch (error) {
    throw error instanceof UnsetVariable ? unexpected(error.message) : error
  }
}

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
  for (const header of definition.headers ?? [])
    headers.set(
      header.name,
      configured(() => headerValue(header, environment)),
    )
  headers.set('content-type', 'application/json')
  return headers
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
