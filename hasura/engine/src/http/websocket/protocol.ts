import { z } from 'zod'
import { parseUnrounded } from '../../exact-json.ts'
import type { GraphQLError, GraphQLResult } from '../../graphql-request.ts'

/** A client's message, the same for both protocols. */
export type ClientMessage =
  | { readonly kind: 'init'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'start'; readonly id: string; readonly payload: unknown }
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'ping'; readonly payload: unknown }
  | { readonly kind: 'pong' }
  | { readonly kind: 'terminate' }
  | { readonly kind: 'invalid'; readonly reason: string }

/** A client's violation of the protocol. */
export type Violation =
  | { readonly kind: 'invalid-message'; readonly reason: string }
  | { readonly kind: 'not-initialised'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'duplicate-id'; readonly id: string }
  | { readonly kind: 'initialised-before' }
  | { readonly kind: 'init-timeout' }
  | { readonly kind: 'too-many-operations'; readonly id: string; readonly limit: number }

/** The reaction to a violation: messages, the end of the connection, or nothing. */
interface Reply {
  readonly messages: readonly string[]
  readonly close?: { readonly code: number; readonly reason: string }
}

export interface Protocol {
  /** Whether a client may authenticate again. Later operations then have the new session. */
  readonly mayReintroduce: boolean
  /** Whether a client that doesn't authenticate in time is disconnected. */
  readonly hasInitTimeout: boolean
  readonly acknowledgement: string
  /** Sent when the connection opens, after each authentication, and at an interval. */
  readonly keepAlive: string
  /** The only answer of a query or mutation. */
  readonly onlyResult: (id: string, result: GraphQLResult) => readonly string[]
  /** One answer of a subscription; more may follow. */
  readonly nextResult: (id: string, result: GraphQLResult) => string
  readonly complete: (id: string) => string
  /** The answer for an operation that could not begin. */
  readonly failure: (id: string, errors: readonly GraphQLError[]) => readonly string[]
  readonly violation: (violation: Violation) => Reply
}

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const initPayload = z
  .object({ headers: z.record(z.string(), headerValue).nullish() })
  .nullish()
  .transform((payload) =>
    Object.fromEntries(
      Object.entries(payload?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  )
const id = z.string().min(1).max(256)

const clientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection_init'), payload: initPayload }),
  z.object({ type: z.literal(['start', 'subscribe']), id, payload: z.unknown().optional() }),
  z.object({ type: z.literal(['stop', 'complete']), id }),
  z.object({ type: z.literal('connection_terminate') }),
  z.object({ type: z.literal('ping'), payload: z.unknown().optional() }),
  z.object({ type: z.literal('pong') }),
])

/** Reads a client's message. Like Hasura, it accepts the messages of both protocols on any connection. */
export function readMessage(text: string): ClientMessage {
  const parsed = parse(text, clientMessage)
  if (typeof parsed === 'string') return { kind: 'invalid', reason: parsed }
  switch (parsed.type) {
    case 'connection_init':
      return { kind: 'init', headers: parsed.payload }
    case 'start':
    case 'subscribe':
      return { kind: 'start', id: parsed.id, payload: parsed.payload }
    case 'stop':
    case 'complete':
      return { kind: 'stop', id: parsed.id }
    case 'connection_terminate':
      return { kind: 'terminate' }
    case 'ping':
      return { kind: 'ping', payload: parsed.payload }
    case 'pong':
      return { kind: 'pong' }
    default:
      return parsed satisfies never
  }
}

function parse<Message>(text: string, schema: z.ZodType<Message>): Message | string {
  let json: unknown
  try {
    json = parseUnrounded(text)
  } catch {
    return 'parsing ClientMessage failed: the message is no JSON'
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return `parsing ClientMessage failed: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
}

const sent = (errors: readonly GraphQLError[]) =>
  errors.map(({ message, extensions }) => ({ message, extensions }))

/** The body of an answer. The data is already JSON. */
function bodyOf(result: GraphQLResult): string {
  if (result.kind === 'data') return `{"data":${result.json}}`
  const errors = sent(result.errors)
  return JSON.stringify(result.stage === 'request' ? { errors } : { data: null, errors })
}

const message = (type: string, operationId: string, payload: string): string =>
  `{"type":"${type}","id":${JSON.stringify(operationId)},"payload":${payload}}`

const complete = (operationId: string): string => JSON.stringify({ type: 'complete', id: operationId })

/** How many bytes of UTF-8 fit into a close frame beside the code. */
const maxReasonBytes = 123

/** The end of a connection. The reason has Hasura's form, cut to what a close frame holds. */
function close(code: number, text: string): NonNullable<Reply['close']> {
  const reason = JSON.stringify({ server_error_msg: `${code}: ${text}` })
  if (Buffer.byteLength(reason) <= maxReasonBytes) return { code, reason }
  // The text may be as long as a client's message, so it is first cut to the frame's size: a character has at least one
  // byte.
  return close(code, text.slice(0, Math.min(maxReasonBytes, text.length - 1)))
}

/** `graphql-transport-ws`, of the package graphql-ws. A client that violates it is disconnected. */
export const transportProtocol: Protocol = {
  mayReintroduce: false,
  hasInitTimeout: true,
  acknowledgement: '{"type":"connection_ack"}',
  keepAlive: '{"type":"ping","payload":{"message":"keepalive"}}',
  onlyResult: (operationId, result) =>
    result.kind === 'data'
      ? [message('next', operationId, bodyOf(result)), complete(operationId)]
      : transportProtocol.failure(operationId, result.errors),
  nextResult: (operationId, result) => message('next', operationId, bodyOf(result)),
  complete,
  failure: (operationId, errors) => [
    message('error', operationId, JSON.stringify(sent(errors))),
    complete(operationId),
  ],
  violation: (violation) => ({ messages: [], close: transportClose(violation) }),
}

function transportClose(violation: Violation): NonNullable<Reply['close']> {
  switch (violation.kind) {
    case 'invalid-message':
      return close(4400, `Parsing client message failed: ${violation.reason}`)
    case 'not-initialised':
      return close(4401, 'Unauthorized')
    case 'refused':
      return close(4403, 'Forbidden')
    case 'init-timeout':
      return { code: 4408, reason: 'Connection initialisation timed out' }
    case 'duplicate-id':
      return close(4409, `Subscriber for ${violation.id} already exists`)
    case 'initialised-before':
      return close(4429, 'Too many initialisation requests')
    case 'too-many-operations':
      return close(4429, `more than ${violation.limit} operations on one connection`)
    default:
      return violation satisfies never
  }
}

/** The protocol of subscriptions-transport-ws, which Hasura also uses for clients that name no protocol. */
export const legacyProtocol: Protocol = {
  mayReintroduce: true,
  hasInitTimeout: false,
  acknowledgement: '{"type":"connection_ack"}',
  keepAlive: '{"type":"ka"}',
  onlyResult: (operationId, result) =>
    result.kind === 'errors' && result.stage === 'request'
      ? legacyProtocol.failure(operationId, result.errors)
      : [message('data', operationId, bodyOf(result)), complete(operationId)],
  nextResult: (operationId, result) => message('data', operationId, bodyOf(result)),
  complete,
  failure: (operationId, errors) => [
    message('error', operationId, bodyOf({ kind: 'errors', stage: 'request', errors })),
    complete(operationId),
  ],
  violation: (violation) => legacyReply(violation),
}

const connectionError = (reason: string): string =>
  JSON.stringify({ type: 'connection_error', payload: reason })

/** The operation is also reported as complete. An earlier operation with the same id still goes on. */
function startFailed(operationId: string, reason: string): Reply {
  const error: GraphQLError = { message: reason, extensions: { path: '$', code: 'start-failed' } }
  return { messages: [message('error', operationId, JSON.stringify(error)), complete(operationId)] }
}

function legacyReply(violation: Violation): Reply {
  switch (violation.kind) {
    case 'invalid-message':
      return { messages: [connectionError(violation.reason)] }
    case 'refused':
      return {
        messages: [connectionError(violation.reason)],
        close: close(4400, `Connection initialization failed: ${violation.reason}`),
      }
    case 'not-initialised':
      return startFailed(violation.id, 'start received before the connection is initialised')
    case 'duplicate-id':
      return startFailed(violation.id, `an operation already exists with this id: ${violation.id}`)
    case 'too-many-operations':
      return startFailed(violation.id, `more than ${violation.limit} operations on one connection`)
    case 'initialised-before':
      return { messages: [connectionError('connection_init received while another is being answered')] }
    case 'init-timeout':
      return { messages: [] }
    default:
      return violation satisfies never
  }
}
