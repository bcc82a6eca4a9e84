import {
  type AnyVariables,
  Client,
  type OperationResult,
  type OperationResultSource,
  type SubscriptionForwarder,
  cacheExchange,
  fetchExchange,
  gql,
  subscriptionExchange,
} from '@urql/core'
import { type Sink, createClient } from 'graphql-ws'
import { SubscriptionClient } from 'subscriptions-transport-ws'
import { describe, expect, test } from 'vitest'
import { type Arrivals, arrivals } from './arrivals.ts'
import { bo, articleId, authorHeaders, openBlogForFile } from './blog.ts'
import { AddViewsDocument, MostViewedDocument, WatchMostViewedDocument } from './generated/blog.ts'

const blog = await openBlogForFile()

const headers = authorHeaders(bo)

describe('over HTTP', () => {
  const open = (): Client =>
    new Client({
      url: blog.graphqlUrl,
      // urql sends GET by default, which Hasura does not serve.
      preferGetMethod: false,
      fetchOptions: { headers },
      exchanges: [cacheExchange, fetchExchange],
    })

  test('the document cache repeats queries of a type after a mutation of it', async () => {
    const client = open()
    const seen = results(client.query(MostViewedDocument, { limit: 1 }))
    expect((await seen.next()).data?.article).toMatchObject([{ id: articleId(10), views: 100 }])
    const { data } = await client.mutation(AddViewsDocument, { id: articleId(5), times: 100 })
    expect(data?.update_article).toMatchObject({
      affected_rows: 1,
      returning: [{ id: articleId(5), views: 150 }],
    })
    await seen.next(({ data: now }) => now?.article[0]?.id === articleId(5))
    seen.stop()
  })

  test('errors, including missing permissions, are urql’s combined errors', async () => {
    const { error, data } = await open().query(gql<object>`{ article { nothing } }`, {}) // prettier-ignore
    expect(data).toBeUndefined()
    expect(error?.graphQLErrors).toMatchObject([
      {
        message: `field "nothing" not found in type: 'article'`,
        extensions: { code: 'validation-failed' },
      },
    ])
    const { data: none } = await open().mutation(AddViewsDocument, { id: articleId(1), times: 1 })
    expect(none?.update_article).toMatchObject({ affected_rows: 0, returning: [] })
  })
})

const forwarders: readonly (readonly [
  string,
  () => { forward: SubscriptionForwarder; close: () => void | Promise<void> },
])[] = [
  [
    'graphql-transport-ws (graphql-ws)',
    () => {
      const client = createClient({ url: blog.webSocketUrl, connectionParams: { headers } })
      const forward: SubscriptionForwarder = ({ query = '', variables }) => ({
        subscribe: (sink) => ({
          // urql's type of a result omits data where graphql-ws has undefined.
          unsubscribe: client.subscribe(
            { query, variables: variables as Record<string, unknown> },
            sink as Sink,
          ),
        }),
      })
      return { forward, close: () => client.dispose() }
    },
  ],
  [
    'the legacy protocol (subscriptions-transport-ws)',
    () => {
      const client = new SubscriptionClient(blog.webSocketUrl, { connectionParams: { headers } }, WebSocket)
      const forward: SubscriptionForwarder = ({ query = '', variables }) => ({
        subscribe: (sink) => client.request({ query, variables: variables ?? {} }).subscribe(sink),
      })
      return { forward, close: () => client.close() }
    },
  ],
]

describe.each(forwarders)('over %s', (_, open) => {
  test('a live query follows its rows; queries and mutations work, too; errors have their message', async () => {
    const { forward, close } = open()
    const client = new Client({
      url: 'http://127.0.0.1:9/never-called',
      exchanges: [subscriptionExchange({ forwardSubscription: forward, enableAllOperations: true })],
    })
    const seen = results(client.subscription(WatchMostViewedDocument, {}))
    const before = (await seen.next()).data?.article[0]?.views ?? 0
    const { data } = await client.mutation(AddViewsDocument, { id: articleId(10), times: 1000 })
    expect(data?.update_article).toMatchObject({ affected_rows: 1 })
    expect((await seen.next()).data?.article[0]?.views).toBeGreaterThan(before)
    expect((await client.query(MostViewedDocument, { limit: 3 })).data?.article).toHaveLength(3)
    const refused = results(client.subscription(gql`subscription { nothing }`, {})) // prettier-ignore
    expect((await refused.next()).error?.message).toContain("not found in type: 'subscription_root'")
    seen.stop()
    await close()
  })
})

const results = <Data, Variables extends AnyVariables>(
  source: OperationResultSource<OperationResult<Data, Variables>>,
): Arrivals<OperationResult<Data, Variables>> =>
  arrivals((arrive) => {
    const subscription = source.subscribe(arrive)
    return () => subscription.unsubscribe()
  })
