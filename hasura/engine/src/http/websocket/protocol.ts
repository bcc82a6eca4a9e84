import { z } from 'zod'
import type { GraphQLError, GraphQLResult } from '../../graphql-request.ts'

/** What a client says, whichever protocol it speaks. */
export type ClientMessage =
  | { readonly kind: 'init'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'start'; readonly id: string; readonly payload: unknown }
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'ping'; readonly payload: unknown }
  | { readonly kind: 'pong' }
  | { readonly kind: 'terminate' }
  | { readonly kind: 'invalid'; readonly reason: string }

/** What a client did that the protocol does not allow. */
export type Violation =
  | { readonly kind: 'invalid-message'; readonly reason: string }
  | { readonly kind: 'not-initialised'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'duplicate-id'; readonly id: string }
  | { readonly kind: 'initialised-before' }
  | { readonly kind: 'init-timeout' }
  | { readonly kind: 'too-many-operations'; readonly id: string; readonly limit: number }

/** A message, the end of the connection, or nothing where the protocol does not mind. */
export interface Reply {
  readonly messages: readonly string[]
  readonly close?: { readonly code: number; readonly reason: string }
}

export interface Protocol {
  readonly read: (text: string) => ClientMessage
  /** Whether a client may say anew who it is; what it starts afterwards is under the new name. */
  readonly mayReintroduce: boolean
  readonly acknowledgement: readonly string[]
  readonly keepAlive: string
  readonly pong: (payload: unknown) => string
  /** An answer of a query or mutation, which is its only one. */
  readonly onlyResult: (id: string, result: GraphQLResult) => readonly string[]
  /** An answer of a subscription; more may follow. */
  readonly nextResult: (id: string, result: GraphQLResult) => string
  readonly complete: (id: string) => string
  /** An operation that could not begin. */
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

const init = z.object({ type: z.literal('connection_init'), payload: initPayload })
const identified = <Type extends string>(type: Type) => z.object({ type: z.literal(type), id })
const operation = <Type extends string>(type: Type) =>
  z.object({ type: z.literal(type), id, payload: z.unknown() })

const parse = <Message>(text: string, schema: z.ZodType<Message>): Message | string => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'parsing ClientMessage failed, the message is no JSON'
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return `parsing ClientMessage failed, ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
}

const invalid = (reason: string): ClientMessage => ({ kind: 'invalid', reason })

const sent = (errors: readonly GraphQLError[]) =>
  errors.map(({ message, extensions }) => ({ message, extensions }))

/** Whether it was the database that refused: the operation had begun, and its data is null. */
const isExecuted = (result: GraphQLResult): boolean =>
  result.kind === 'data' || result.errors.some(({ database }) => database !== undefined)

/** The body of an answer. Data is JSON already. */
const bodyOf = (result: GraphQLResult): string => {
  if (result.kind === 'data') return `{"data":${result.json}}`
  const errors = sent(result.errors)
  return JSON.stringify(isExecuted(result) ? { data: null, errors } : { errors })
}

const message = (type: string, operationId: string, payload: string): string =>
  `{"type":"${type}","id":${JSON.stringify(operationId)},"payload":${payload}}`

const startFailed = (operationId: string, error: string): string =>
  message('error', operationId, JSON.stringify({ path: '$', error, code: 'start-failed' }))

const transportMessage = z.discriminatedUnion('type', [
  init,
  operation('subscribe'),
  identified('complete'),
  z.object({ type: z.literal('ping'), payload: z.unknown() }),
  z.object({ type: z.literal('pong') }),
])

/** `graphql-transport-ws`, of the package graphql-ws: a client that breaks the rules is disconnected. */
export const transportProtocol: Protocol = {
  mayReintroduce: false,
  read: (text) => {
    const parsed = parse(text, transportMessage)
    if (typeof parsed === 'string') return invalid(parsed)
    switch (parsed.type) {
      case 'connection_init':
        return { kind: 'init', headers: parsed.payload }
      case 'subscribe':
        return { kind: 'start', id: parsed.id, payload: parsed.payload }
      case 'complete':
        return { kind: 'stop', id: parsed.id }
      case 'ping':
        return { kind: 'ping', payload: parsed.payload }
      case 'pong':
        return { kind: 'pong' }
      default:
        return parsed satisfies never
    }
  },
  acknowledgement: ['{"type":"connection_ack"}'],
  keepAlive: '{"type":"ping","payload":{"message":"keepalive"}}',
  pong: (payload) => JSON.stringify({ type: 'pong', payload }),
  onlyResult: (operationId, result) =>
    result.kind === 'data' || isExecuted(result)
      ? [message('next', operationId, bodyOf(result)), transportProtocol.complete(operationId)]
      : transportProtocol.failure(operationId, result.errors),
  nextResult: (operationId, result) => message('next', operationId, bodyOf(result)),
  complete: (operationId) => JSON.stringify({ type: 'complete', id: operationId }),
  failure: (operationId, errors) => [message('error', operationId, JSON.stringify(sent(errors)))],
  violation: (violation) => ({ messages: [], close: transportClose(violation) }),
}

const transportClose = (violation: Violation): NonNullable<Reply['close']> => {
  switch (violation.kind) {
    case 'invalid-message':
      return { code: 4400, reason: violation.reason }
    case 'not-initialised':
      return { code: 4401, reason: 'Unauthorized' }
    case 'refused':
      return { code: 4403, reason: `Forbidden: ${violation.reason}` }
    case 'init-timeout':
      return { code: 4408, reason: 'Connection initialisation timed out' }
    case 'duplicate-id':
      return { code: 4409, reason: `Subscriber for ${violation.id} already exists` }
    case 'initialised-before':
      return { code: 4429, reason: 'Too many initialisation requests' }
    case 'too-many-operations':
      return { code: 4429, reason: `more than ${violation.limit} operations on one connection` }
    default:
      return violation satisfies never
  }
}

const legacyMessage = z.discriminatedUnion('type', [
  init,
  operation('start'),
  identified('stop'),
  z.object({ type: z.literal('connection_terminate') }),
])

/** The protocol of subscriptions-transport-ws, which Hasura also speaks with clients that name none. */
export const legacyProtocol: Protocol = {
  mayReintroduce: true,
  read: (text) => {
    const parsed = parse(text, legacyMessage)
    if (typeof parsed === 'string') return invalid(parsed)
    switch (parsed.type) {
      case 'connection_init':
        return { kind: 'init', headers: parsed.payload }
      case 'start':
        return { kind: 'start', id: parsed.id, payload: parsed.payload }
      case 'stop':
        return { kind: 'stop', id: parsed.id }
      case 'connection_terminate':
        return { kind: 'terminate' }
      default:
        return parsed satisfies never
    }
  },
  acknowledgement: ['{"type":"connection_ack"}', '{"type":"ka"}'],
  keepAlive: '{"type":"ka"}',
  pong: () => '{"type":"ka"}',
  onlyResult: (operationId, result) =>
    result.kind === 'data' || isExecuted(result)
      ? [message('data', operationId, bodyOf(result)), legacyProtocol.complete(operationId)]
      : legacyProtocol.failure(operationId, result.errors),
  nextResult: (operationId, result) => message('data', operationId, bodyOf(result)),
  complete: (operationId) => JSON.stringify({ type: 'complete', id: operationId }),
  failure: (operationId, errors) => [
    message('error', operationId, bodyOf({ kind: 'errors', errors })),
    legacyProtocol.complete(operationId),
  ],
  violation: (violation) => legacyReply(violation),
}

const connectionError = (reason: string): Reply => ({
  messages: [JSON.stringify({ type: 'connection_error', payload: reason })],
})

const legacyReply = (violation: Violation): Reply => {
  switch (violation.kind) {
    case 'invalid-message':
    case 'refused':
      return connectionError(violation.reason)
    case 'not-initialised':
      return {
        messages: [startFailed(violation.id, 'start received before the connection is initialised')],
      }
    case 'duplicate-id':
      return {
        messages: [startFailed(violation.id, `an operation already exists with this id: ${violation.id}`)],
      }
    case 'too-many-operations':
      return {
        messages: [startFailed(violation.id, `more than ${violation.limit} operations on one connection`)],
      }
    case 'initialised-before':
      return connectionError('connection_init received while another is being answered')
    case 'init-timeout':
      return { messages: [], close: { code: 4408, reason: 'Connection initialisation timed out' } }
    default:
      return violation satisfies never
  }
}
