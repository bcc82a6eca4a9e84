import type { DataLayer, ExecuteOptions, Operation, SessionVariables } from './data-layer.ts'
import { parseGraphqlAnswer } from './graphql-answer.ts'
import { createJsonClient, type JsonClient } from './json-client.ts'
import { createWebSocketClient } from './websocket-client.ts'

export interface HttpDataLayerOptions {
  /** Hasura's address without a path: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly adminSecret: string
  /** The longest time for an operation, in milliseconds. */
  readonly timeout?: number
  /** The longest accepted answer, in bytes. */
  readonly maxBody?: number
  /** How many operations run at once; further ones wait for a connection. */
  readonly maxConnections?: number
  /** Milliseconds after which an idle connection for subscriptions is pinged, and for which a ping may go unanswered. */
  readonly keepAliveMs?: number
}

/** The data layer over any Hasura's `/v1/graphql`. `close` ends its idle connections and all subscriptions. */
export function createHttpDataLayer(
  options: HttpDataLayerOptions,
): DataLayer & { readonly close: () => void } {
  const { url, adminSecret, keepAliveMs } = options
  const { timeout = 30_000, maxBody = 64 * 1024 * 1024, maxConnections = 64 } = options
  const client = createJsonClient({ url: new URL('/v1/graphql', url), timeout, maxBody, maxConnections })
  const webSockets = createWebSocketClient({
    url,
    adminSecret,
    ...(keepAliveMs !== undefined && { keepAliveMs }),
  })
  return {
    execute: (operation, session, callOptions) =>
      execute(client, adminSecret, operation, session, callOptions ?? {}),
    subscribe: (operation, session, { signal }) => webSockets.subscribe(operation, session, signal),
    close: () => {
      client.close()
      webSockets.close()
    },
  }
}

async function execute(
  client: JsonClient,
  adminSecret: string,
  operation: Operation,
  session: SessionVariables,
  { headers = {}, signal }: ExecuteOptions,
): ReturnType<DataLayer['execute']> {
  // Later entries win, so a client's header can't replace the session or the secret.
  const sent = { ...withoutHasuraHeaders(headers), ...session, 'x-hasura-admin-secret': adminSecret }
  const answer = await client.post(JSON.stringify(operation), sent, signal)
  switch (answer.kind) {
    case 'failed':
      return { kind: 'unavailable', reason: answer.reason }
    case 'answered':
      return parseGraphqlAnswer(answer.status, answer.body)
    default:
      return answer satisfies never
  }
}

function withoutHasuraHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(named.filter(([name]) => !name.startsWith('x-hasura-')))
}
