import {
  cacheExchange,
  Client,
  fetchExchange,
  makeOperation,
  mapExchange,
  type Operation,
  subscriptionExchange,
} from '@urql/core'
import { createClient, type Sink } from 'graphql-ws'

type Variables = Record<string, unknown>

/** @param credential returns the key, or the access token of the person who is signed in */
export function openShop(url: string, credential: () => string): Client {
  const live = createClient({
    url: url.replace('http', 'ws'),
    connectionParams: () => ({ Authorization: `Bearer ${credential()}` }),
  })
  const named = (operation: Operation) => {
    const headers = { authorization: `Bearer ${credential()}`, 'idempotency-key': crypto.randomUUID() }
    return makeOperation(operation.kind, operation, { ...operation.context, fetchOptions: { headers } })
  }
  return new Client({
    url,
    // The API takes POST only.
    preferGetMethod: false,
    exchanges: [
      cacheExchange,
      mapExchange({ onOperation: named }),
      fetchExchange,
      subscriptionExchange({
        // The types of a result differ where data or errors are absent.
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: live.subscribe({ query, variables: variables as Variables }, sink as Sink),
          }),
        }),
      }),
    ],
  })
}
