import {
  ApolloClient,
  type ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
  gql,
} from '@apollo/client'
import { BatchHttpLink } from '@apollo/client/link/batch-http'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { WebSocketLink } from '@apollo/client/link/ws'
import { createClient } from 'graphql-ws'
import type { Subscribable } from 'rxjs'
import { SubscriptionClient } from 'subscriptions-transport-ws'
import { describe, expect, test } from 'vitest'
import { type Arrivals, arrivals } from './arrivals.ts'
import { ada, articleId, authorHeaders, openBlogForFile } from './blog.ts'
import {
  RenameDocument,
  StreamViewsDocument,
  type StreamViewsSubscription,
  TitlesDocument,
  type TitlesQuery,
  WatchViewsDocument,
  type WatchViewsSubscription,
} from './generated/blog.ts'

const blog = await openBlogForFile()

const headers = authorHeaders(ada)

const clientOver = (link: ApolloLink): ApolloClient =>
  new ApolloClient({
    link,
    cache: new InMemoryCache(),
  })

const overHttp = (): ApolloClient => clientOver(new HttpLink({ uri: blog.graphqlUrl, headers }))

interface Result<T> {
  readonly data?: T | undefined
  readonly error?: Error | undefined
}

describe('over HTTP', () => {
  test('a query’s answer has the type names that the cache needs', async () => {
    const client = overHttp()
    const { data } = await client.query({ query: TitlesDocument, variables: { limit: 2 } })
    expect(data).toEqual({
      article: [1, 2].map((n) => ({
        __typename: 'article',
        id: articleId(n),
        title: `Article ${n}`,
        author: { __typename: 'author', id: ada, name: 'Ada' },
      })),
      article_aggregate: {
        __typename: 'article_aggregate',
        aggregate: { __typename: 'article_aggregate_fields', count: 10 },
      },
    })
    expect(Object.keys(client.cache.extract() as object).sort()).toEqual([
      'ROOT_QUERY',
      `article:${articleId(1)}`,
      `article:${articleId(2)}`,
      `author:${ada}`,
    ])
  })

  test('a mutation’s answer updates a watched query without another request', async () => {
    const client = overHttp()
    const query = { query: TitlesDocument, variables: { where: { id: { _eq: articleId(1) } } } }
    const seen = results<TitlesQuery>(client.watchQuery(query))
    expect((await seen.next()).data?.article[0]?.title).toBe('Article 1')
    await client.mutate({ mutation: RenameDocument, variables: { id: articleId(1), title: 'New' } })
    expect((await seen.next()).data?.article[0]?.title).toBe('New')
    const cached = await client.query({ ...query, fetchPolicy: 'cache-only' })
    expect(cached.data?.article[0]?.title).toBe('New')
    seen.stop()
    await client.mutate({ mutation: RenameDocument, variables: { id: articleId(1), title: 'Article 1' } })
  })

  test('Hasura’s errors arrive with their codes', async () => {
    const failed = overHttp().query({ query: gql`{ article { secret } }` }) // prettier-ignore
    const error = await failed.catch((reason: unknown) => reason)
    expect(CombinedGraphQLErrors.is(error)).toBe(true)
    expect((error as CombinedGraphQLErrors).errors).toEqual([
      {
        message: `field "secret" not found in type: 'article'`,
        extensions: { path: '$.selectionSet.article.selectionSet.secret', code: 'validation-failed' },
      },
    ])
  })

  test('the answers of a batch of operations have the batch’s order, including an error', async () => {
    const client = clientOver(new BatchHttpLink({ uri: blog.graphqlUrl, headers, batchInterval: 20 }))
    const ask = (limit: number) => client.query({ query: TitlesDocument, variables: { limit } })
    const [one, wrong, two] = await Promise.allSettled([ask(1), ask(-1), ask(2)])
    expect([one, two]).toMatchObject([
      { value: { data: { article: { length: 1 } } } },
      { value: { data: { article: { length: 2 } } } },
    ])
    expect(wrong.status).toBe('rejected')
  })
})

const protocols: readonly (readonly [string, () => { link: ApolloLink; close: () => void }])[] = [
  [
    'graphql-transport-ws (graphql-ws)',
    () => {
      const client = createClient({ url: blog.webSocketUrl, connectionParams: { headers } })
      return { link: new GraphQLWsLink(client), close: () => void client.dispose() }
    },
  ],
  [
    'the legacy protocol (subscriptions-transport-ws)',
    () => {
      const options = { connectionParams: { headers }, reconnect: false }
      const client = new SubscriptionClient(blog.webSocketUrl, options, WebSocket)
      // oxlint-disable-next-line typescript/no-deprecated -- older applications still use it
      return { link: new WebSocketLink(client), close: () => client.close() }
    },
  ],
]

describe.each(protocols)('over %s', (_, open) => {
  test('a live query shows a change, and updates the same cache', async () => {
    const { link, close } = open()
    const client = clientOver(link)
    const watched = client.subscribe({ query: WatchViewsDocument, variables: { id: articleId(2) } })
    const seen = results<WatchViewsSubscription>(watched)
    const before = (await seen.next()).data?.article_by_pk?.views ?? 0
    await blog.database.query('update article set views = views + 1 where id = $1', [articleId(2)])
    expect((await seen.next()).data?.article_by_pk?.views).toBe(before + 1)
    expect(client.cache.extract()).toMatchObject({ [`article:${articleId(2)}`]: { views: before + 1 } })
    seen.stop()
    close()
  })

  test('queries, mutations and errors use the same socket', async () => {
    const { link, close } = open()
    const client = clientOver(link)
    const { data } = await client.query({ query: TitlesDocument, variables: { limit: 1 } })
    expect(data?.article).toHaveLength(1)
    const renamed = client.mutate({
      mutation: RenameDocument,
      variables: { id: articleId(5), title: 'Not mine' },
    })
    expect((await renamed).data).toEqual({ update_article_by_pk: null })
    const failed = client.query({ query: gql`{ nothing }` }) // prettier-ignore
    expect(await failed.catch(errorText)).toMatch(/"nothing.+query_root/)
    const refused = results(client.subscribe({ query: gql`subscription { nothing }` })) // prettier-ignore
    expect(errorText((await refused.next()).error)).toMatch(/"nothing.+subscription_root/)
    close()
  })

  test('a stream delivers each row once, in order', async () => {
    const { link, close } = open()
    const seen = results<StreamViewsSubscription>(clientOver(link).subscribe({ query: StreamViewsDocument }))
    const streamed: number[] = []
    while (streamed.length < 8)
      streamed.push(...((await seen.next()).data?.article_stream ?? []).map(({ views }) => views))
    expect(streamed).toEqual([...new Set(streamed)].sort((one, other) => one - other))
    seen.stop()
    close()
  })
})

/** Apollo wraps the legacy client's list of errors as the cause of its own error. */
const errorText = (error: unknown): string =>
  JSON.stringify(error instanceof Error ? [error.message, error.cause] : error)

/** The results of an observable that have data or an error; the other results only say that it is loading. */
function results<T>(observable: Subscribable<Result<unknown>>): Arrivals<Result<T>> {
  const all = arrivals<Result<T>>((arrive) => {
    const subscription = observable.subscribe({ next: (result) => arrive(result as Result<T>) })
    return () => subscription.unsubscribe()
  })
  return {
    ...all,
    next: (wanted = () => true) =>
      all.next((result) => (result.data !== undefined || result.error !== undefined) && wanted(result)),
  }
}
