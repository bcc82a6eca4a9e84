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

const blog = await openBlogForFile()

const headers = authorHeaders(bo)

const bestBooks = gql<{ article: readonly { id: string; views: number }[] }, { limit: number }>`
  query Best($limit: Int!) {
    article(order_by: [{ views: desc }, { id: asc }], limit: $limit) {
      id
      views
    }
  }
`

const read = gql<
  { update_article: { affected_rows: number; returning: readonly object[] } },
  { id: string; times: number }
>`
  mutation Read($id: uuid!, $times: Int!) {
    update_article(where: { id: { _eq: $id } }, _inc: { views: $times }) {
      affected_rows
      returning {
        id
        views
      }
    }
  }
`

describe('over HTTP', () => {
  const open = (): Client =>
    new Client({
      url: blog.graphqlUrl,
      // urql asks with GET by itself, which Hasura does not serve.
      preferGetMethod: false,
      fetchOptions: { headers },
      exchanges: [cacheExchange, fetchExchange],
    })

  test('a mutation makes the document cache ask again for what shows that type', async () => {
    const client = open()
    const seen = results(client.query(bestBooks, { limit: 1 }))
    expect((await seen.next()).data?.article).toMatchObject([{ id: articleId(10), views: 100 }])
    const { data } = await client.mutation(read, { id: articleId(5), times: 100 })
    expect(data?.update_article).toMatchObject({
      affected_rows: 1,
      returning: [{ id: articleId(5), views: 150 }],
    })
    await seen.next(({ data: now }) => now?.article[0]?.id === articleId(5))
    seen.stop()
  })

  test("errors, and what a permission refuses, are urql's combined errors", async () => {
    const { error, data } = await open().query(gql<object>`{ article { nothing } }`, {}) // prettier-ignore
    expect(data).toBeUndefined()
    expect(error?.graphQLErrors).toMatchObject([
      {
        message: `field "nothing" not found in type: 'article'`,
        extensions: { code: 'validation-failed' },
      },
    ])
    const { data: none } = await open().mutation(read, { id: articleId(1), times: 1 })
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
          // urql's type of a result leaves data out where graphql-ws has undefined.
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
  test('a live query follows its rows, queries and mutations too, and errors have their message', async () => {
    const { forward, close } = open()
    const client = new Client({
      url: 'http://127.0.0.1:9/nobody-asks-here',
      exchanges: [subscriptionExchange({ forwardSubscription: forward, enableAllOperations: true })],
    })
    const best = gql<{ article: readonly { views: number }[] }>`
      subscription {
        article(order_by: { views: desc }, limit: 1) {
          views
        }
      }
    `
    const seen = results(client.subscription(best, {}))
    const before = (await seen.next()).data?.article[0]?.views ?? 0
    const { data } = await client.mutation(read, { id: articleId(10), times: 1000 })
    expect(data?.update_article).toMatchObject({ affected_rows: 1 })
    expect((await seen.next()).data?.article[0]?.views).toBeGreaterThan(before)
    expect((await client.query(bestBooks, { limit: 3 })).data?.article).toHaveLength(3)
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
