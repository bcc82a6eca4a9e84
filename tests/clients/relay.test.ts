import { type IntrospectionQuery, getIntrospectionQuery } from 'graphql'
import { type Client, createClient } from 'graphql-ws'
import { type ReactNode, Suspense, createElement } from 'react'
import { RelayEnvironmentProvider, useFragment, useLazyLoadQuery, usePaginationFragment } from 'react-relay'
import { create } from 'react-test-renderer'
import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  type GraphQLTaggedNode,
  Network,
  Observable,
  type OperationType,
  RecordSource,
  Store,
  type Variables,
  commitMutation,
  fetchQuery,
  requestSubscription,
} from 'relay-runtime'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { arrivals } from './arrivals.ts'
import { ada, type Blog, articleId, authorHeaders, openBlog } from './blog.ts'
import { compileRelayDocuments } from './compile-relay-documents.ts'
import { relayModule, relayDocuments } from './relay-documents.ts'

const names = [
  'BlogFrontPageQuery',
  'Blog_frontPage',
  'Blog_article',
  'BlogAuthorQuery',
  'Blog_author',
  'BlogPublishMutation',
  'BlogRenameMutation',
  'BlogDeleteMutation',
  'BlogNodeSubscription',
] as const

let blog: Blog
let socket: Client
let documents: ReadonlyMap<string, unknown>
let environment: Environment
let fetched: string[]

beforeAll(async () => {
  blog = await openBlog()
  socket = createClient({
    url: blog.relayUrl.replace('http', 'ws'),
    connectionParams: { headers: authorHeaders(ada) },
  })
  const introspected = (await ask(getIntrospectionQuery(), {})) as { readonly data: IntrospectionQuery }
  documents = await compileRelayDocuments(
    introspected.data,
    { file: relayModule, text: relayDocuments },
    names,
  )
})
afterAll(async () => {
  await socket.dispose()
  await blog.close()
})

beforeEach(() => {
  fetched = []
  const fetchOverHttp: FetchFunction = ({ name, text }, variables) => {
    fetched.push(name)
    // Hasura refuses variables that a document does not declare, such as those of @appendNode (its issue 7163).
    const declared = Object.entries(variables).filter(([variable]) => text?.includes(`$${variable}: `))
    return ask(text ?? '', Object.fromEntries(declared))
  }
  environment = new Environment({
    network: Network.create(fetchOverHttp, ({ text }, variables) =>
      Observable.create((sink) =>
        socket.subscribe(
          { query: text ?? '', variables },
          { ...sink, next: (value) => sink.next(value as GraphQLResponse) },
        ),
      ),
    ),
    store: new Store(new RecordSource()),
  })
})

async function ask(query: string, variables: object): Promise<GraphQLResponse> {
  const body = JSON.stringify({ query, variables })
  const response = await fetch(blog.relayUrl, { method: 'POST', headers: authorHeaders(ada), body })
  return (await response.json()) as GraphQLResponse
}

const document = (name: (typeof names)[number]): GraphQLTaggedNode => documents.get(name) as GraphQLTaggedNode

const nodeId = (table: string, id: string): string =>
  Buffer.from(`[1, "public", "${table}", "${id}"]`).toString('base64')

interface Connection {
  readonly __id: string
  readonly edges: readonly { readonly node: { readonly id: string } }[]
}

/** What the page shows to the user: whether there is more, and the key under which Relay stores the list. */
interface Shown {
  readonly connectionId: string
  readonly hasNext: boolean
  readonly more: (count: number) => Promise<void>
}

function FrontPage({ onShow }: { readonly onShow: (shown: Shown) => void }): ReactNode {
  const query = useLazyLoadQuery<OperationType>(document('BlogFrontPageQuery'), { first: 3 })
  const { data, hasNext, loadNext } = usePaginationFragment(document('Blog_frontPage'), query as never)
  const connection = (data as unknown as { readonly article_connection: Connection }).article_connection
  const more = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      loadNext(count, { onComplete: (error) => (error === null ? resolve() : reject(error)) })
    })
  onShow({ connectionId: connection.__id, hasNext, more })
  return connection.edges.map(({ node }) => createElement(Article, { key: node.id, article: node }))
}

function Article({ article }: { readonly article: object }): ReactNode {
  const data = useFragment(document('Blog_article'), article as never) as unknown as {
    readonly title: string
    readonly author: { readonly name: string }
  }
  return createElement('article', null, `${data.title} by ${data.author.name}`)
}

function openFrontPage() {
  let last: Shown | undefined
  const onShow = (shown: Shown): void => {
    last = shown
  }
  const page = createElement(Suspense, { fallback: 'loading' }, createElement(FrontPage, { onShow }))
  // oxlint-disable-next-line typescript/no-deprecated -- React's only renderer without a DOM
  const rendered = create(createElement(RelayEnvironmentProvider, { environment, children: page }))
  return {
    shown: (): Shown => last ?? expect.fail('nothing is shown'),
    articles: (): readonly unknown[] =>
      rendered.root.findAllByType('article').map(({ children }) => children[0]),
    close: () => rendered.unmount(),
  }
}

const eventually = (shown: () => unknown) => expect.poll(shown, { timeout: 10_000, interval: 10 })

const change = (name: (typeof names)[number], variables: Variables): Promise<unknown> =>
  new Promise((resolve, reject) => {
    commitMutation(environment, {
      mutation: document(name),
      variables,
      onCompleted: (response, errors) =>
        errors == null ? resolve(response) : reject(new Error(JSON.stringify(errors))),
      onError: reject,
    })
  })

const byAda = (...numbers: readonly number[]): readonly string[] =>
  numbers.map((n) => `Article ${n} by ${n % 5 === 0 ? 'Bo' : 'Ada'}`)

test('a list grows page by page to its end, and mutations add, change and remove its entries', async () => {
  const page = openFrontPage()
  await eventually(page.articles).toEqual(byAda(1, 2, 3))
  expect(page.shown().hasNext).toBe(true)
  await page.shown().more(4)
  await eventually(page.articles).toEqual(byAda(1, 2, 3, 4, 5, 6, 7))
  await page.shown().more(50)
  await eventually(page.articles).toEqual(byAda(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
  expect(page.shown().hasNext).toBe(false)

  const connections = [page.shown().connectionId]
  await change('BlogPublishMutation', { title: 'Fresh', connections })
  await eventually(() => page.articles().slice(9)).toEqual(['Article 10 by Bo', 'Fresh by Ada'])
  await change('BlogRenameMutation', { from: 'Fresh', to: 'Renamed' })
  await eventually(() => page.articles().slice(9)).toEqual(['Article 10 by Bo', 'Renamed by Ada'])
  await change('BlogDeleteMutation', { title: 'Renamed', connections })
  await eventually(() => page.articles().slice(9)).toEqual(['Article 10 by Bo'])
  expect(fetched).toEqual([
    'BlogFrontPageQuery',
    'BlogFrontPagePaginationQuery',
    'BlogFrontPagePaginationQuery',
    'BlogPublishMutation',
    'BlogRenameMutation',
    'BlogDeleteMutation',
  ])
  page.close()
})

test('a mutation without permission is rejected, and does not change the store', async () => {
  const refused = change('BlogPublishMutation', { title: null, connections: [] })
  await expect(refused).rejects.toThrow(/null value/)
  const changed = await change('BlogRenameMutation', { from: 'Article 5', to: 'Not mine' })
  expect(changed).toEqual({ update_article: { affected_rows: 0, returning: [] } })
})

test('a row is found by its id, with its connection’s last entry', async () => {
  const variables = { id: nodeId('author', ada), last: 2 }
  const answer = await fetchQuery(environment, document('BlogAuthorQuery'), variables).toPromise()
  expect(answer).toMatchObject({ node: { __typename: 'author', name: 'Ada' } })
  const records = Object.values(environment.getStore().getSource().toJSON() as object) as readonly object[]
  const titles = records.flatMap((record) => ('title' in record ? [record.title] : []))
  expect(titles.sort()).toEqual(['Article 8', 'Article 9'])
})

test('a subscription to a node writes each change into the store', async () => {
  const id = nodeId('article', articleId(1))
  const seen = arrivals<unknown>((arrive) => {
    const { dispose } = requestSubscription(environment, {
      subscription: document('BlogNodeSubscription'),
      variables: { id },
      onNext: arrive,
      onError: arrive,
    })
    return dispose
  })
  expect(await seen.next()).toMatchObject({ node: { id, title: 'Article 1' } })
  await blog.database.query(`update article set title = 'Live' where id = $1`, [articleId(1)])
  expect(await seen.next()).toMatchObject({ node: { title: 'Live' } })
  expect(environment.getStore().getSource().get(id)).toMatchObject({ title: 'Live' })
  seen.stop()
})
