import type { DataProvider } from '@refinedev/core'
import dataProvider, {
  GraphQLClient,
  type HasuraDataProviderOptions,
  graphqlWS,
  liveProvider,
} from '@refinedev/hasura'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arrivals } from './arrivals.ts'
import { ada, bo, type Blog, type NamingConvention, articleId, authorHeaders, openBlog } from './blog.ts'

/** The types of the package say that its default export is the module that it comes from, and of another build. */
const createDataProvider = dataProvider as unknown as (
  client: GraphQLClient,
  options: HasuraDataProviderOptions,
) => Required<DataProvider>

/** The data provider of Refine generates its own queries, in either naming convention. */
const conventions: readonly (readonly [NamingConvention, (column: string) => string])[] = [
  ['hasura-default', (column) => column],
  ['graphql-default', (column) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())],
]

describe.each(conventions)('in an admin panel of Refine with %s names', (naming, named) => {
  let blog: Blog
  beforeAll(async () => {
    blog = await openBlog(naming)
  })
  afterAll(() => blog.close())

  const provider = (id = ada) =>
    createDataProvider(new GraphQLClient(blog.graphqlUrl, { headers: { ...authorHeaders(id) } }), {
      namingConvention: naming,
    })

  const fields = ['id', 'title', 'views', named('is_published'), { author: ['name'] }]
  const article = { resource: 'article', meta: { fields } }

  test('a list can be filtered, sorted and paged, and has its total', async () => {
    const { data, total } = await provider().getList({
      ...article,
      filters: [
        { field: 'views', operator: 'gte', value: 20 },
        { field: 'author.name', operator: 'eq', value: 'Ada' },
        {
          operator: 'or',
          value: [
            { field: 'title', operator: 'contains', value: 'ARTICLE' },
            { field: 'title', operator: 'nnull', value: true },
          ],
        },
      ],
      sorters: [{ field: 'views', order: 'desc' }],
      pagination: { currentPage: 2, pageSize: 3 },
    })
    expect(data.map(({ views }) => views as number)).toEqual([60, 40, 30])
    expect(total).toBe(7)
    expect(data[0]).toEqual({
      id: articleId(6),
      title: 'Article 6',
      views: 60,
      [named('is_published')]: true,
      author: { name: 'Ada' },
    })
  })

  test.each([
    ['eq', 'Article 4', [4]],
    ['ne', 'Article 4', [1, 2, 3, 5, 6, 7, 8, 9, 10]],
    ['in', ['Article 4', 'Article 5'], [4, 5]],
    ['nin', ['Article 4', 'Article 5'], [1, 2, 3, 6, 7, 8, 9, 10]],
    ['containss', 'article', []],
    ['ncontains', 'ticle 1', [2, 3, 4, 5, 6, 7, 8, 9]],
    ['startswith', 'article 1', [1, 10]],
    ['endswiths', '7', [7]],
    ['nendswith', '0', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['null', true, []],
  ] as const)('the filter %s %j', async (operator, value, numbers) => {
    const { data } = await provider().getList({
      ...article,
      filters: [{ field: 'title', operator, value }],
      sorters: [{ field: 'views', order: 'asc' }],
      pagination: { mode: 'off' },
    })
    expect(data.map(({ id }) => id)).toEqual(numbers.map(articleId))
  })

  test('one row and many rows are found by ids, if the role may see them', async () => {
    const { data } = await provider(bo).getMany({ ...article, ids: [2, 3, 4].map(articleId) })
    expect(data.map(({ id }) => id).sort()).toEqual([articleId(2), articleId(4)])
    expect((await provider(bo).getOne({ ...article, id: articleId(4) })).data.title).toBe('Article 4')
    expect((await provider(bo).getOne({ ...article, id: articleId(3) })).data).toBeNull()
  })

  test('one row and many rows can be created, changed and deleted, within the role’s permissions', async () => {
    const { create, createMany, update, updateMany, deleteOne, deleteMany } = provider()
    const made = await create({ ...article, variables: { title: 'Made', views: 1 } })
    expect(made.data).toMatchObject({ title: 'Made', author: { name: 'Ada' } })
    const two = await createMany({ ...article, variables: [{ title: 'One' }, { title: 'Two' }] })
    expect(two.data.map(({ title }) => title as string)).toEqual(['One', 'Two'])
    const id = made.data.id ?? ''
    const changed = await update({
      ...article,
      id,
      variables: { title: 'Changed', [named('is_published')]: true },
    })
    expect(changed.data).toMatchObject({ title: 'Changed', [named('is_published')]: true })
    const ids = [id, ...two.data.map((row) => row.id ?? '')]
    const read = await updateMany({ ...article, ids: [...ids, articleId(5)], variables: { views: 9 } })
    expect(read.data.map(({ views }) => views as number)).toEqual([9, 9, 9])
    expect((await provider(bo).deleteOne({ ...article, id })).data).toBeNull()
    expect((await deleteOne({ ...article, id })).data).toMatchObject({ id })
    expect((await deleteMany({ ...article, ids })).data).toHaveLength(2)
    await expect(create({ ...article, variables: { author_id: bo, title: 'Forged' } })).rejects.toThrow(
      `field "author_id" not found in type`,
    )
  })
})

test('lists, rows and single rows are live', async () => {
  const blog = await openBlog()
  const client = graphqlWS.createClient({
    url: blog.webSocketUrl,
    connectionParams: { headers: authorHeaders(ada) },
  })
  const live = liveProvider(client)
  const follow = (params: object) =>
    arrivals<unknown>((arrive) => {
      const stop = live.subscribe({
        channel: 'resources/article',
        types: ['*'],
        params: { resource: 'article', meta: { fields: ['id', 'title'] }, ...params },
        callback: arrive,
      }) as () => void
      return stop
    })
  const list = follow({
    subscriptionType: 'useList',
    filters: [{ field: 'title', operator: 'eq', value: 'Live' }],
    sorters: [{ field: 'title', order: 'asc' }],
  })
  const many = follow({ subscriptionType: 'useMany', ids: [articleId(1)] })
  const one = follow({ subscriptionType: 'useOne', id: articleId(1) })
  expect(await list.next()).toEqual([])
  expect(await many.next()).toEqual([{ id: articleId(1), title: 'Article 1' }])
  expect(await one.next()).toEqual({ id: articleId(1), title: 'Article 1' })
  await blog.database.query(`update article set title = 'Live' where id = $1`, [articleId(1)])
  const changed = { id: articleId(1), title: 'Live' }
  expect([await list.next(), await many.next(), await one.next()]).toEqual([[changed], [changed], changed])
  for (const { stop } of [list, many, one]) stop()
  await client.dispose()
  await blog.close()
})
