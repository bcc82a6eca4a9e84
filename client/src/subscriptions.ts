import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws/client'
import type { CallerHeaders } from './caller.ts'
import type { Client } from './client.ts'
import { requireOperation, textOf, type Rest, type TypedDocument, type Variables } from './document.ts'
import { errorCatalogue } from './generated/error-catalogue.ts'
import { firstConnectionMs, Interruptions } from './interruptions.ts'
import { isErrorId, requestErrorOf, RequestFailed, type RequestError } from './request-error.ts'
import { isTemporary } from './retry-policy.ts'
import { wait } from './wait.ts'

export interface SubscriptionsOptions {
  /** A class WebSocket, where there is no global one: Node before 22. */
  readonly webSocket?: unknown
  /** How often the connection is tested, in milliseconds. 10,000 unless set. If no answer comes for half as long, it is lost. */
  readonly keepAliveMs?: number
}

export interface SubscribeOptions<Data> {
  /** Ends the subscription. */
  readonly signal?: AbortSignal
  /**
   * The variables with which a stream continues behind this data after a lost connection, e.g.
   * `({ orderCreated }) => ({ after: orderCreated.orderNumber })`. Without it, the subscription begins anew, which is right for the
   * state of a record.
   */
  readonly resume?: (data: Data) => Variables
  /**
   * How long the connection may be away, in milliseconds, before the iterator throws. 600,000 unless set; 30,000 at most until the
   * server has accepted a connection.
   */
  readonly reconnectForMs?: number
  /** Called when the connection is lost, and at each attempt that fails. */
  readonly onInterrupted?: (error: RequestError) => void
}

/** Subscriptions of a client, which share a WebSocket. It is open while there are any. */
export interface Subscriptions {
  /**
   * The data of a subscription, as they arrive, over lost connections too. Leaving the loop ends the subscription; so does the signal.
   * A loop that is slower than the data gets the newest state, or with `resume` all of the stream.
   *
   * @throws RequestFailed if the server refuses the subscription, or stays away
   */
  subscribe<Data, Own>(
    document: TypedDocument<Data, Own>,
    ...rest: Rest<Own, SubscribeOptions<NoInfer<Data>>>
  ): AsyncGenerator<Data, void, undefined>
  subscribe<Data = Variables>(
    document: string,
    variables?: Variables,
    options?: SubscribeOptions<Data>,
  ): AsyncGenerator<Data, void, undefined>
}

export function createSubscriptions(client: Client, options: SubscriptionsOptions = {}): Subscriptions {
  const socket = openSocket(client, options)
  return {
    subscribe: (
      document: string | TypedDocument<unknown, never>,
      variables: Variables = {},
      subscribeOptions: SubscribeOptions<never> = {},
    ) => {
      requireOperation(document, 'subscription')
      const request = { query: textOf(document), variables }
      return follow({ client, socket, request }, subscribeOptions)
    },
  }
}

/** A connection, or the attempt at one. */
interface Connection {
  /** As whom it was opened. */
  caller?: CallerHeaders
  /** When the server accepted it, in milliseconds since 1970. */
  acceptedAt?: number
}

interface Socket {
  readonly client: SocketClient
  /** The latest connection. */
  readonly connection: () => Connection
}

/** Silent connections are ended, since a broken network sends no error. */
function openSocket(client: Client, { webSocket, keepAliveMs = 10_000 }: SubscriptionsOptions): Socket {
  let silence: ReturnType<typeof setTimeout> | undefined
  let connection: Connection = {}
  const socket = createSocketClient({
    url: client.url.replace(/^http/, 'ws'),
    connectionParams: async () => {
      const opened = connection
      const headers = await client.callerHeaders()
      opened.caller = headers
      const { authorization, 'x-cart-secret': cartSecret } = headers
      return {
        Authorization: authorization,
        ...(cartSecret !== undefined && { 'X-Cart-Secret': cartSecret }),
      }
    },
    // The loop below reconnects, because it knows where to continue.
    retryAttempts: 0,
    connectionAckWaitTimeout: firstConnectionMs,
    keepAlive: keepAliveMs,
    ...(webSocket !== undefined && { webSocketImpl: webSocket }),
    on: {
      connecting: () => (connection = {}),
      connected: () => (connection.acceptedAt = Date.now()),
      ping: (received) => {
        if (!received) silence = setTimeout(() => socket.terminate(), keepAliveMs / 2)
      },
      pong: (received) => {
        if (received) clearTimeout(silence)
      },
      closed: () => clearTimeout(silence),
    },
  })
  return { client: socket, connection: () => connection }
}

interface Followed {
  readonly client: Client
  readonly socket: Socket
  readonly request: { readonly query: string; readonly variables: Variables }
}

async function* follow<Data>(
  { client, socket, request }: Followed,
  { signal, resume, reconnectForMs = 600_000, onInterrupted }: SubscribeOptions<Data>,
): AsyncGenerator<Data, void, undefined> {
  let variables = request.variables
  const interruptions = new Interruptions(reconnectForMs, Date.now())
  while (signal?.aborted !== true) {
    const events = new Events<Data>(
      socket,
      { ...request, variables },
      { signal, keepsAll: resume !== undefined },
    )
    try {
      for await (const data of events) {
        interruptions.worked()
        if (resume !== undefined) variables = { ...request.variables, ...resume(data) }
        yield data
      }
    } finally {
      events.stop()
    }
    const { ending } = events
    if (ending.kind === 'completed') return
    if (ending.kind === 'overflown') continue
    let { error } = ending
    interruptions.lost(ending.ranMs, Date.now())
    if (error.kind === 'unauthenticated' && !interruptions.renewed && ending.caller !== undefined) {
      const renewal = await client.renewCaller(ending.caller)
      if (renewal === null) {
        interruptions.renew()
        continue
      }
      error = renewal ?? error
    }
    const delay = isTemporary(error) ? interruptions.nextDelay(Date.now(), Math.random()) : null
    if (delay === null) throw new RequestFailed(error)
    onInterrupted?.(error)
    await wait(delay, signal)
  }
}

type Ending =
  | { readonly kind: 'completed' }
  /** The loop is so slow that the server was asked to stop. It continues from the last data that the loop took. */
  | { readonly kind: 'overflown' }
  | Failed

interface Failed {
  readonly kind: 'failed'
  readonly error: RequestError
  /** As whom the connection was opened. */
  readonly caller: CallerHeaders | undefined
  /** How long the subscription ran, in milliseconds; null if the server had not accepted the connection. */
  readonly ranMs: number | null
}

const maxWaiting = 1_000

/** The data of one subscription until it ends, which wait until they are taken. */
class Events<Data> implements AsyncIterable<Data> {
  readonly #waiting: Data[] = []
  readonly #began = Date.now()
  readonly #socket: Socket
  readonly #signal: AbortSignal | undefined
  readonly #unsubscribe: () => void
  #ending: Ending | undefined
  #wake: (() => void) | undefined

  constructor(
    socket: Socket,
    request: { readonly query: string; readonly variables: Variables },
    { signal, keepsAll }: { readonly signal: AbortSignal | undefined; readonly keepsAll: boolean },
  ) {
    this.#socket = socket
    this.#signal = signal
    signal?.addEventListener('abort', this.#complete)
    // graphql-ws may call the sink before subscribe() has returned.
    this.#unsubscribe = socket.client.subscribe<Data>(
      { query: request.query, variables: { ...request.variables } },
      {
        next: ({ data, errors }) => {
          if (errors !== undefined) this.#fail(errors)
          else if (data != null) this.#take(data, keepsAll)
        },
        error: (reason) => this.#fail(reason),
        complete: this.#complete,
      },
    )
  }

  /** Once the data are taken. */
  get ending(): Ending {
    return this.#ending ?? { kind: 'completed' }
  }

  stop(): void {
    this.#complete()
    this.#signal?.removeEventListener('abort', this.#complete)
    this.#unsubscribe()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Data, void, undefined> {
    for (;;) {
      const data = this.#waiting.shift()
      if (data !== undefined) yield data
      else if (this.#ending !== undefined) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  #take(data: Data, keepsAll: boolean): void {
    if (this.#ending !== undefined) return
    if (!keepsAll) this.#waiting.length = 0
    this.#waiting.push(data)
    if (this.#waiting.length === maxWaiting) this.#end({ kind: 'overflown' })
    this.#wake?.()
  }

  #fail(reason: unknown): void {
    const { caller, acceptedAt } = this.#socket.connection()
    const ranMs = acceptedAt === undefined ? null : Date.now() - Math.max(this.#began, acceptedAt)
    this.#end({ kind: 'failed', error: errorOf(reason), caller, ranMs })
  }

  readonly #complete = (): void => this.#end({ kind: 'completed' })

  #end(ending: Ending): void {
    this.#ending ??= ending
    this.#wake?.()
  }
}

const noAnswer = { status: 200, requestId: null, retryAfterMs: null }

/** Of what graphql-ws tells: the errors of the server, the event that closed the socket, or an error of its own. */
function errorOf(reason: unknown): RequestError {
  if (Array.isArray(reason)) return requestErrorOf(reason[0], noAnswer)
  const { code, reason: said } = (typeof reason === 'object' && reason !== null ? reason : {}) as {
    readonly code?: unknown
    readonly reason?: unknown
  }
  const text = typeof said === 'string' && said !== '' ? said : 'The connection was lost'
  const id = /SVC_[A-Z]+_\d{3}/.exec(text)?.[0]
  const status = isErrorId(id)
    ? errorCatalogue[id].status
    : ((typeof code === 'number' ? refusals[code] : undefined) ?? 503)
  return requestErrorOf({ message: text, extensions: { id } }, { ...noAnswer, status })
}

/** The HTTP status for a code with which the server refuses (docs/subscriptions.md). The other codes mean: connect again. */
const refusals: Readonly<Record<number, number>> = { 4400: 400, 4401: 401, 4409: 409, 4429: 429 }
