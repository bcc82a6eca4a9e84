import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws/client'
import type { CallerHeaders } from './caller.ts'
import type { Client } from './client.ts'
import { requireOperation, textOf, type Rest, type TypedDocument, type Variables } from './document.ts'
import { errorCatalogue } from './generated/error-catalogue.ts'
import { isErrorId, requestErrorOf, RequestFailed, type RequestError } from './request-error.ts'
import { backoffMs, isTemporary } from './retry-policy.ts'
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
  /** How long the connection may be away, in milliseconds, before the iterator throws. 600,000 unless set. */
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

const reconnectPolicy = { retries: Infinity, firstDelayMs: 500, maxDelayMs: 15_000 }

/** A connection that was never made is given up sooner: the address is probably wrong. */
const firstConnectionMs = 30_000

export function createSubscriptions(client: Client, options: SubscriptionsOptions = {}): Subscriptions {
  let caller: CallerHeaders | undefined
  const socket = openSocket(client, options, (headers) => (caller = headers))
  return {
    subscribe: (
      document: string | TypedDocument<unknown, never>,
      variables: Variables = {},
      subscribeOptions: SubscribeOptions<never> = {},
    ) => {
      requireOperation(document, 'subscription')
      const request = { query: textOf(document), variables }
      return follow({ client, socket, request, caller: () => caller }, subscribeOptions)
    },
  }
}

/** Silent connections are ended, since a broken network sends no error. */
function openSocket(
  client: Client,
  { webSocket, keepAliveMs = 10_000 }: SubscriptionsOptions,
  setCaller: (headers: CallerHeaders) => void,
): SocketClient {
  let silence: ReturnType<typeof setTimeout> | undefined
  const socket = createSocketClient({
    url: client.url.replace(/^http/, 'ws'),
    connectionParams: async () => {
      const headers = await client.callerHeaders()
      setCaller(headers)
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
      ping: (received) => {
        if (!received) silence = setTimeout(() => socket.terminate(), keepAliveMs / 2)
      },
      pong: (received) => {
        if (received) clearTimeout(silence)
      },
      closed: () => clearTimeout(silence),
    },
  })
  return socket
}

interface Followed {
  readonly client: Client
  readonly socket: SocketClient
  readonly request: { readonly query: string; readonly variables: Variables }
  /** As whom the socket was opened last. */
  readonly caller: () => CallerHeaders | undefined
}

async function* follow<Data>(
  { client, socket, request, caller }: Followed,
  { signal, resume, reconnectForMs = 600_000, onInterrupted }: SubscribeOptions<Data>,
): AsyncGenerator<Data, void, undefined> {
  let variables = request.variables
  let failures = 0
  let awaySince = Date.now()
  let patience = Math.min(firstConnectionMs, reconnectForMs)
  let renewed = false
  while (signal?.aborted !== true) {
    const events = new Events<Data>(
      socket,
      { ...request, variables },
      { signal, keepsAll: resume !== undefined },
    )
    try {
      for await (const data of events) {
        failures = 0
        renewed = false
        patience = reconnectForMs
        if (resume !== undefined) variables = { ...request.variables, ...resume(data) }
        yield data
        awaySince = Date.now()
      }
    } finally {
      events.stop()
    }
    const { ending } = events
    if (ending.kind === 'completed') return
    if (ending.kind === 'overflown') continue
    const used = caller()
    if (ending.error.kind === 'unauthenticated' && !renewed && used !== undefined) {
      renewed = true
      const renewal = await client.renewCaller(used)
      if (renewal === null) continue
      if (renewal !== undefined && !isTemporary(renewal)) throw new RequestFailed(renewal)
    }
    if (!isTemporary(ending.error) || Date.now() - awaySince > patience) throw new RequestFailed(ending.error)
    onInterrupted?.(ending.error)
    failures += 1
    await wait(backoffMs(reconnectPolicy, failures, Math.random()), signal)
  }
}

type Ending =
  | { readonly kind: 'completed' }
  /** The loop is so slow that the server was asked to stop. It continues from the last data that the loop took. */
  | { readonly kind: 'overflown' }
  | { readonly kind: 'failed'; readonly error: RequestError }

const maxWaiting = 1_000

/** The data of one subscription until it ends, which wait until they are taken. */
class Events<Data> implements AsyncIterable<Data> {
  readonly #waiting: Data[] = []
  readonly #signal: AbortSignal | undefined
  readonly #unsubscribe: () => void
  #ending: Ending | undefined
  #wake: (() => void) | undefined

  constructor(
    socket: SocketClient,
    request: { readonly query: string; readonly variables: Variables },
    { signal, keepsAll }: { readonly signal: AbortSignal | undefined; readonly keepsAll: boolean },
  ) {
    this.#signal = signal
    signal?.addEventListener('abort', this.#complete)
    // graphql-ws may call the sink before subscribe() has returned.
    this.#unsubscribe = socket.subscribe<Data>(
      { query: request.query, variables: { ...request.variables } },
      {
        next: ({ data, errors }) => {
          if (errors !== undefined) this.#end({ kind: 'failed', error: errorOf(errors) })
          else if (data != null) this.#take(data, keepsAll)
        },
        error: (reason) => this.#end({ kind: 'failed', error: errorOf(reason) }),
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
