import { z } from 'zod'

/**
 * Every bound on what one request or WebSocket may ask for; how many requests there may be is @commerce-graph/rate-limits'. The specification says that depth and complexity are bounded and
 * leaves the values open (docs/open-points.md); each can be set by the environment variable named beside it.
 */
const settings = {
  /** Bytes of a request's body. */
  bodyBytes: { variable: 'LIMIT_BODY_BYTES', default: 1_000_000 },
  /** Milliseconds in which the whole of a request, head and body, has to arrive. */
  receiveMilliseconds: { variable: 'LIMIT_RECEIVE_MILLISECONDS', default: 10_000 },
  /** Milliseconds in which a request is answered; what still runs in Postgres then is cancelled. */
  requestMilliseconds: { variable: 'LIMIT_REQUEST_MILLISECONDS', default: 40_000 },
  /** Bytes of an answer. */
  answerBytes: { variable: 'LIMIT_ANSWER_BYTES', default: 10_000_000 },
  /** Connections that are open at once, WebSockets included. */
  connections: { variable: 'LIMIT_CONNECTIONS', default: 20_000 },
  /** Those from one client's address; a trusted proxy has no bound. */
  connectionsPerAddress: { variable: 'LIMIT_CONNECTIONS_PER_ADDRESS', default: 1_000 },
  /** Milliseconds in which a client has to take some of its answer off the line. */
  sendMilliseconds: { variable: 'LIMIT_SEND_MILLISECONDS', default: 30_000 },
  /** Bytes that it takes in a second at least, over the whole of an answer. */
  sendBytesPerSecond: { variable: 'LIMIT_SEND_BYTES_PER_SECOND', default: 20_000 },
  /** Characters of a document. */
  documentCharacters: { variable: 'LIMIT_DOCUMENT_CHARACTERS', default: 50_000 },
  /** Lexical tokens of a document. Validation compares fields pairwise, so this bounds its time. */
  documentTokens: { variable: 'LIMIT_DOCUMENT_TOKENS', default: 2_500 },
  /** Fields of the root with an alias or without, all fragments spread: each is a statement of its own. */
  rootFields: { variable: 'LIMIT_ROOT_FIELDS', default: 20 },
  /** Aliases in a document. */
  aliases: { variable: 'LIMIT_ALIASES', default: 50 },
  /** Directives in a document. */
  directives: { variable: 'LIMIT_DIRECTIVES', default: 50 },
  /** Lists and objects inside of each other in an argument's value or a variable's. */
  valueNesting: { variable: 'LIMIT_VALUE_NESTING', default: 50 },
  /** Values that the variables hold, those in lists and objects included. */
  variableValues: { variable: 'LIMIT_VARIABLE_VALUES', default: 50_000 },
  /** Fields inside of fields. `{ product { id } }` has depth 2. Introspection doesn't count. */
  depth: { variable: 'LIMIT_DEPTH', default: 15 },
  /** Values that an answer may hold, by estimate: see complexity.ts. */
  complexity: { variable: 'LIMIT_COMPLEXITY', default: 50_000 },
  /** Values that an answer's introspection may hold, counted: see introspection.ts. */
  introspection: { variable: 'LIMIT_INTROSPECTION', default: 150_000 },
  /** The estimated size of a list without a size in the document. */
  assumedListSize: { variable: 'LIMIT_ASSUMED_LIST_SIZE', default: 5 },
  /** WebSockets that are open at once. */
  sockets: { variable: 'LIMIT_SOCKETS', default: 10_000 },
  /** Those of one merchant: its keys, users and shoppers together. */
  socketMerchantConnections: { variable: 'LIMIT_SOCKET_MERCHANT_CONNECTIONS', default: 2_000 },
  /** Those of one key or shopper. */
  socketConnections: { variable: 'LIMIT_SOCKET_CONNECTIONS', default: 50 },
  /** Subscriptions of one key or shopper at once, over all of its WebSockets. */
  socketSubscriptions: { variable: 'LIMIT_SOCKET_SUBSCRIPTIONS', default: 200 },
  /** Messages that a WebSocket may send in a second. */
  socketMessagesPerSecond: { variable: 'LIMIT_SOCKET_MESSAGES_PER_SECOND', default: 100 },
  /** Bytes of such a message. */
  socketMessageBytes: { variable: 'LIMIT_SOCKET_MESSAGE_BYTES', default: 100_000 },
  /** Milliseconds in which a WebSocket has to say who it is. */
  socketInitMilliseconds: { variable: 'LIMIT_SOCKET_INIT_MILLISECONDS', default: 3_000 },
  /** Milliseconds from ping to ping; who has not answered the last one by then is gone. */
  socketPingMilliseconds: { variable: 'LIMIT_SOCKET_PING_MILLISECONDS', default: 15_000 },
  /** Milliseconds in which a client has to take an answer off the line. */
  socketSendMilliseconds: { variable: 'LIMIT_SOCKET_SEND_MILLISECONDS', default: 10_000 },
  /** Documents that are kept parsed, validated and planned. */
  cachedDocuments: { variable: 'LIMIT_CACHED_DOCUMENTS', default: 1_000 },
  /** Bytes of the answers that are kept as long as they are right, with what keeping them takes. */
  keptAnswerBytes: { variable: 'LIMIT_KEPT_ANSWER_BYTES', default: 64_000_000 },
  /** Bytes of the documents that are kept for persisted queries. */
  persistedDocumentBytes: { variable: 'LIMIT_PERSISTED_DOCUMENT_BYTES', default: 10_000_000 },
} as const

/** The variables and their defaults, for docs/limits.md. */
export const limitVariables: ReadonlyMap<string, number> = new Map(
  Object.values(settings).map(({ variable, default: fallback }) => [variable, fallback]),
)

export type Limits = Readonly<Record<keyof typeof settings, number>>

const bound = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

/** @throws Error naming the variable that isn't a positive whole number. A bound that is a typo bounds nothing. */
export function limitsFrom(environment: Readonly<Record<string, string | undefined>>): Limits {
  const entries = Object.entries(settings).map(([name, { variable, default: fallback }]) => {
    const parsed = bound.safeParse(environment[variable] ?? fallback)
    if (!parsed.success)
      throw new Error(
        `${variable} must be a whole number of at least 1, not "${environment[variable] ?? ''}"`,
      )
    return [name, parsed.data] as const
  })
  return Object.fromEntries(entries) as Limits
}
