import { type Client, createClient } from 'graphql-ws'

export type SubscriptionClient = Client

/** A client for subscriptions, whose headers both APIs find in its introduction. */
export const createSubscriptionClient = (
  url: string,
  headers: Readonly<Record<string, string>>,
): SubscriptionClient =>
  createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: { ...headers, headers },
    retryAttempts: 0,
  })
