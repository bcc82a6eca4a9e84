import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { SetContextLink } from '@apollo/client/link/context'
import { RetryLink } from '@apollo/client/link/retry'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { relayStylePagination } from '@apollo/client/utilities'
import { createClient } from 'graphql-ws'
import { Kind, OperationTypeNode } from 'graphql'

/** @param credential returns the key, or the access token of the person who is signed in */
export function openShop(url: string, credential: () => string): ApolloClient {
  // Before the RetryLink, so that all attempts of an operation have one key.
  const caller = new SetContextLink(({ headers }) => ({
    headers: {
      ...(headers as object),
      authorization: `Bearer ${credential()}`,
      'idempotency-key': crypto.randomUUID(),
    },
  }))
  const retry = new RetryLink({ delay: { initial: 250, jitter: true }, attempts: { max: 4 } })
  const live = new GraphQLWsLink(
    createClient({
      url: url.replace('http', 'ws'),
      connectionParams: () => ({ Authorization: `Bearer ${credential()}` }),
    }),
  )
  const isLive = ({ query }: ApolloLink.Operation) =>
    query.definitions.some(
      (definition) =>
        definition.kind === Kind.OPERATION_DEFINITION &&
        definition.operation === OperationTypeNode.SUBSCRIPTION,
    )
  return new ApolloClient({
    link: ApolloLink.split(isLive, live, ApolloLink.from([caller, retry, new HttpLink({ uri: url })])),
    cache: new InMemoryCache({
      typePolicies: {
        // The type Subscription is a merchant's plan. Without this, Apollo Client takes it for the root of subscriptions.
        SubscriptionRoot: { subscriptionType: true },
        Query: { fields: { products: relayStylePagination(['filters', 'sortBy', 'sortOrder']) } },
      },
    }),
  })
}
