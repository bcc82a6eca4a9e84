import { type Client, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'

export type SubscriptionClient = Client

/** A client for subscriptions that sends its headers in connection_init; only `origin` is the socket's, as in browsers. */
export const createSubscriptionClient = (
  url: string,
  headers: Readonly<Record<string, string>>,
): SubscriptionClient =>
  createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: { ...headers, headers },
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, headers['origin'] === undefined ? {} : { origin: headers['origin'] })
      }
    },
    retryAttempts: 0,
  })
