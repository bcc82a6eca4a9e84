import { localError, notGraphQL, requestErrorOf, type RequestError } from './request-error.ts'
import { retryAfterMs } from './retry-policy.ts'
import type { Variables } from './document.ts'

export type Fetch = (url: string, init: RequestInit & { readonly body: string }) => Promise<Response>

/** A request as it is sent, perhaps several times. */
export interface HttpRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly query: string
  readonly variables: Variables
  /** The caller's. */
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  readonly fetch: Fetch
}

/** What one attempt has led to. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly errors: readonly RequestError[]
  readonly requestId: string | null
}

const failed = (error: RequestError): Answer => ({ data: null, errors: [error], requestId: error.requestId })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sends the request once, by GraphQL over HTTP. */
export async function attempt(request: HttpRequest): Promise<Answer> {
  const { url, headers, query, variables, signal, timeoutMs } = request
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request.fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json;q=0.9',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    return answerOf(url, response, await response.text())
  } catch (cause) {
    return failed(reasonOf(cause, request, timeout))
  }
}

function answerOf(url: string, { status, headers }: Response, text: string): Answer {
  const requestId = headers.get('x-request-id')
  const facts = { status, requestId, retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.now()) }
  const body = parsed(text)
  const { data = null, errors = [] } = isObject(body) ? body : {}
  const isAnswer = (isObject(data) || data === null) && Array.isArray(errors)
  if (!isAnswer || (data === null && errors.length === 0)) return failed(notGraphQL(url, facts))
  return { data, errors: errors.map((error: unknown) => requestErrorOf(error, facts)), requestId }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function reasonOf(
  cause: unknown,
  { url, signal, timeoutMs }: HttpRequest,
  timeout: AbortSignal,
): RequestError {
  if (signal?.aborted === true) return localError('aborted', 'The request was aborted.')
  if (timeout.aborted) return localError('unavailable', `${url} did not answer within ${timeoutMs} ms`)
  const said = cause instanceof Error ? cause : new Error(String(cause))
  const { message } = said.cause instanceof Error ? said.cause : said
  return localError('unavailable', `${url} can not be reached: ${message}`)
}
