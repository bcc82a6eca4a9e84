import { type Client, createClient } from 'graphql-ws'
import type { DataLayerResult, Operation, SessionVariables } from './data-layer.ts'
import { parseGraphqlAnswer } from './graphql-answer.ts'

export interface WebSocketClientOptions {
  /** Hasura's address without a path. */
  readonly url: string
  readonly adminSecret: string
  /** Milliseconds after which an idle connection is pinged; and how long it may take to answer that, or to be accepted. */
  readonly keepAliveMs?: number
}

export interface WebSocketClient {
  readonly subscribe: (
    operation: Operation,
    session: SessionVariables,
    signal: AbortSignal,
  ) => AsyncIterable<DataLayerResult>
  readonly close: () => void
}

/** An engine sends at most one answer a second. */
const maxWaitingResults = 100

/**
 * Subscribes at `/v1/graphql` over WebSocket. A connection has one session, so all subscriptions of a session share a
 * connection, which closes with the last of them. It doesn't reconnect: the subscriber knows from which row to
 * continue. A connection on which nothing answers is ended: a machine that has vanished closes none.
 */
export function createWebSocketClient({
  url,
  adminSecret,
  keepAliveMs = 10_000,
}: WebSocketClientOptions): WebSocketClient {
  const address = new URL('/v1/graphql', url)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  const connections = new Map<string, { readonly client: Client; users: number }>()

  function connect(headers: SessionVariables): Client {
    let silence: ReturnType<typeof setTimeout> | undefined
    const client = createClient({
      url: address.href,
      connectionParams: { headers },
      retryAttempts: 0,
      connectionAckWaitTimeout: keepAliveMs,
      keepAlive: keepAliveMs,
      on: {
        ping: (received) => {
          if (!received) silence = setTimeout(() => client.terminate(), keepAliveMs)
        },
        pong: (received) => {
          if (received) clearTimeout(silence)
        },
        closed: () => clearTimeout(silence),
      },
    })
    return client
  }

  async function* subscribe(
    { query, variables, operationName }: Operation,
    session: SessionVariables,
    signal: AbortSignal,
  ): AsyncGenerator<DataLayerResult> {
    if (signal.aborted) return
    const headers = { ...session, 'x-hasura-admin-secret': adminSecret }
    const key = JSON.stringify(Object.entries(headers).sort())
    const connection = connections.get(key) ?? { client: connect(headers), users: 0 }
    connections.set(key, connection)
    connection.users += 1
    const results = new ResultQueue()
    const leave = connection.client.subscribe(
      { query, variables: variables ?? null, operationName: operationName ?? null },
      {
        next: (answer) => results.add(parseGraphqlAnswer(200, JSON.stringify(answer))),
        error: (error) => results.add(failureOf(error)),
        complete: () => results.add({ kind: 'unavailable', reason: 'the engine has ended the subscription' }),
      },
    )
    signal.addEventListener('abort', results.end, { once: true })
    try {
      for (;;) {
        const result = await results.take()
        if (result === undefined) return
        yield result
        if (result.kind !== 'data') return
      }
    } finally {
      signal.removeEventListener('abort', results.end)
      leave()
      connection.users -= 1
      if (connection.users === 0) {
        connections.delete(key)
        void connection.client.dispose()
      }
    }
  }

  return {
    subscribe,
    close: () => {
      for (const { client } of connections.values()) client.terminate()
    },
  }
}

/**
 * Results that the engine has sent and the subscriber has not taken yet. (graphql-ws's iterator never ends when the
 * connection is lost between two reads.) The engine doesn't wait for the subscriber, so a subscriber that takes nothing
 * for too long is cut off.
 */
class ResultQueue {
  readonly #results: DataLayerResult[] = []
  #ended = false
  #wake: (() => void) | undefined

  add(result: DataLayerResult): void {
    if (this.#results.length >= maxWaitingResults)
      this.#results.splice(0, Infinity, { kind: 'unavailable', reason: 'answers were not taken' })
    else this.#results.push(result)
    this.#wake?.()
  }

  readonly end = (): void => {
    this.#ended = true
    this.#wake?.()
  }

  /** The next result; undefined after the last. */
  async take(): Promise<DataLayerResult | undefined> {
    if (this.#results.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    return this.#ended ? undefined : this.#results.shift()
  }
}

/** graphql-ws throws the list of an `error` message, or the event with which a socket closed or failed. */
function failureOf(error: unknown): DataLayerResult {
  if (Array.isArray(error)) return parseGraphqlAnswer(200, JSON.stringify({ errors: error as unknown[] }))
  const { code, reason, message } = error as { code?: unknown; reason?: unknown; message?: unknown }
  const cause = [reason, message, code].find((part) => part !== undefined && part !== '')
  return { kind: 'unavailable', reason: `the connection to the engine was lost: ${String(cause)}` }
}
