import { jsonTypeOf } from '../exact-json.ts'
import { RequestFailure } from '../execute/request-failure.ts'
import type { Json } from '../metadata/parse.ts'
import type { WebhookOutcome } from '../webhook/send-webhook.ts'

/** The request to a handler and its response, as Hasura shows them in `internal`. */
export interface Exchange {
  readonly request: Json
  readonly response: Json
}

/** A failure of the handler or the engine, in Hasura's words. `internal` reaches only callers with internal errors. */
export const handlerFailure = (
  message: string,
  internal?: Json,
  code: 'unexpected' | 'parse-failed' = 'unexpected',
): RequestFailure => new RequestFailure({ message, extensions: { path: '$', code }, internal })

/** As `handlerFailure`, with the exchange in which it happened. */
export const exchangeFailure = (
  message: string,
  error: Json,
  { request, response }: Exchange,
  code?: 'unexpected' | 'parse-failed',
): RequestFailure => handlerFailure(message, { error, request, response }, code)

/** The response's part of an exchange. */
export const responseInfo = (
  { status, headers }: Extract<WebhookOutcome, { kind: 'answered' }>,
  body: Json,
): Json => ({ status, body, headers: headers.map(([name, value]) => ({ name, value })) })

/** The name of Hasura's parser of such answers, which is a part of its message to the client. */
const parser =
  'parsing Hasura.GraphQL.Execute.Action.Types.ActionWebhookErrorResponse(ActionWebhookErrorResponse) failed'

/**
 * The error for an answer that isn't 2xx. A 4xx is the handler's error for the client: its `extensions` are passed on
 * unchanged, in place of a path and a code. Any other status is a failure of the handler.
 */
export function refusal(status: number, body: Json, exchange: Exchange): RequestFailure {
  if (status < 400 || status >= 500)
    return exchangeFailure(
      'internal error',
      `expecting 2xx or 4xx status code, but found ${status}`,
      exchange,
    )
  const unreadable = (reason: string): RequestFailure =>
    exchangeFailure(`${parser}, ${reason}`, 'unexpected response', exchange, 'parse-failed')
  const fields = objectOf(body)
  if (fields === undefined) return unreadable(`expected Object, but encountered ${kindOf(body)}`)
  const { message, code, extensions } = fields
  if (message === undefined) return unreadable('key "message" not found')
  if (typeof message !== 'string') return unreadable(`expected String, but encountered ${kindOf(message)}`)
  const own = typeof code === 'string' ? code : 'unexpected'
  return new RequestFailure({
    message,
    extensions: objectOf(extensions ?? null) ?? { path: '$', code: own },
    refusal: { status, code: own },
  })
}

const objectOf = (value: Json): Readonly<Record<string, Json>> | undefined =>
  jsonTypeOf(value) === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : undefined

function kindOf(value: Json): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  return { string: 'String', number: 'Number', boolean: 'Boolean', object: 'Object' }[
    jsonTypeOf(value) as 'string' | 'number' | 'boolean' | 'object'
  ]
}
