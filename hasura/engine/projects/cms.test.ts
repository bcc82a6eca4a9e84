import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RemoteServer, startRemoteServer } from '../src/remote/testing/remote-server.ts'
import { type Headers, type RunningProject, asAdmin, runProject } from './run-project.ts'

const reactions = {
  sdl: `
    type Query { count(page: Int!, kind: String!): Count }
    type Count { kind: String! number: Int! }
  `,
  rootValue: {
    count: ({ page, kind }: { readonly page: number; readonly kind: string }) => {
      if (page > 100) throw new Error('there are so many pages')
      return { kind, number: page * 10 }
    },
  },
}

let database: TestDatabase
let remote: RemoteServer
let cms: RunningProject

beforeAll(async () => {
  database = await createTestDatabase()
  remote = await startRemoteServer(reactions)
  cms = await runProject('cms', ['--database-url', database.url], {
    HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION: 'true',
    HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
    HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS: 'false',
    HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
    HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
    CMS_REACTIONS_URL: remote.url,
  })
  await cms.seed()
})

afterAll(async () => {
  await cms.stop()
  await remote.close()
  await database.drop()
})

const as = (role: string, variables: Headers = {}): Headers => ({
  ...asAdmin,
  'x-hasura-role': role,
  ...variables,
})

/** The data of an answer. Throws when it has errors: a test that expects an error calls `refusal`. */
async function data(query: string, headers: Headers = asAdmin): Promise<unknown> {
  const body = (await cms.ask(query, headers)) as { readonly data?: unknown }
  if (body.data == null) throw new Error(JSON.stringify(body))
  return body.data
}

async function refusal(query: string, headers: Headers): Promise<string> {
  const { errors } = (await cms.ask(query, headers)) as { readonly errors: readonly { message: string }[] }
  return errors[0]?.message ?? ''
}

const ids = (found: readonly number[]) => found.map((id) => ({ id }))

describe('operators', () => {
  test.each([
    ['title: {_similar: "%(News|news)%"}', [2, 3]],
    ['title: {_nsimilar: "%(News|news)%"}', [1, 4]],
    ['title: {_regex: "^N"}', [2]],
    ['title: {_iregex: "news"}', [2, 3]],
    ['title: {_nregex: "s"}', [1]],
    ['title: {_niregex: "NEWS"}', [1, 4]],
    ['title: {_like: "%ews%"}', [2, 3]],
    ['title: {_nlike: "%ews%"}', [1, 4]],
    ['title: {_nilike: "%NEWS%"}', [1, 4]],
    ['blocks: {_has_keys_any: ["seo", "nothing"]}', [1]],
    ['blocks: {_has_keys_all: ["seo", "lang"]}', [1]],
    ['blocks: {_contained_in: {lang: "de", more: 1}}', [2]],
    ['blocks: {_cast: {String: {_like: "%draft%"}}}', [1]],
    ['tags: {_contained_in: ["a"]}', [2, 3]],
    ['tags: {_eq: "{a,b}"}', [1]],
    ['category: {_descendant: "top.news"}', [2, 3]],
    ['category: {_ancestor: "top.news"}', [1, 2]],
    ['category: {_matches: "top.*{1}"}', [2]],
    ['category: {_matches_any: ["other", "*.old"]}', [3, 4]],
    ['category: {_matches_fulltext: "news & !old"}', [2]],
    ['length: {_is_null: true}', [3]],
    ['length: {_is_null: false, _nin: [3, 7]}', [1]],
    ['written_on: {_gt: "2026-01-01"}', [2, 4]],
    ['parent: {is_public: {_eq: true}}', [2, 3]],
    ['children_aggregate: {bool_and: {arguments: is_public, predicate: {_eq: false}}}', [1]],
    ['children_aggregate: {bool_or: {arguments: is_public, predicate: {_eq: true}}}', [1]],
    ['children_aggregate: {count: {filter: {is_public: {_eq: true}}, predicate: {_gt: 0}}}', [1]],
    ['children_aggregate: {count: {arguments: [site_id], distinct: true, predicate: {_eq: 1}}}', [1]],
  ])('%s', async (where, found) => {
    const query = `{ pages(where: {${where}}, order_by: {id: asc}) { id } }`
    expect(await data(query)).toEqual({ pages: ids(found) })
  })

  test.each([
    ['{length: asc}', [2, 4, 1, 3]],
    ['{length: asc_nulls_first}', [3, 2, 4, 1]],
    ['{length: desc}', [3, 1, 4, 2]],
    ['{length: desc_nulls_last}', [1, 4, 2, 3]],
    ['[{parent: {title: asc_nulls_first}}, {id: desc}]', [4, 1, 3, 2]],
    ['[{children_aggregate: {max: {length: desc_nulls_last}}}, {id: asc}]', [1, 2, 3, 4]],
  ])('sorted by %s', async (order, found) => {
    expect(await data(`{ pages(order_by: ${order}) { id } }`)).toEqual({ pages: ids(found) })
  })

  test('a path reads members and items of jsonb, and null where there is none', async () => {
    const query = `{ pages(where: {id: {_in: [1, 3]}}, order_by: {id: asc}) {
      seo: blocks(path: "$.seo.title") item: blocks(path: "[1]") quoted: blocks(path: "$['lang']")
    } }`
    expect(await data(query)).toEqual({
      pages: [
        { seo: 'Hi', item: null, quoted: 'en' },
        { seo: null, item: 2, quoted: null },
      ],
    })
  })
})

const writer = (sites: string) => as('writer', { 'x-hasura-site-ids': sites })

describe('permissions', () => {
  test('an array in a session variable is a list of values', async () => {
    const query = '{ pages(order_by: {id: asc}) { id } }'
    expect(await data(query, writer('{2,3}'))).toEqual({ pages: ids([4]) })
    expect(await data(query, writer('{}'))).toEqual({ pages: [] })
  })

  test('a role’s limit cuts rows, but not counts', async () => {
    const query =
      '{ pages(order_by: {id: asc}, limit: 10) { id } page_aggregate { aggregate { count } nodes { id } } }'
    expect(await data(query, writer('{1}'))).toMatchObject({
      pages: ids([1, 2]),
      page_aggregate: { aggregate: { count: 3 }, nodes: { length: 2 } },
    })
  })

  test('columns of a row are compared with each other', async () => {
    const query = '{ pages(order_by: {id: asc}) { id } }'
    expect(await data(query, as('proofreader'))).toEqual({ pages: ids([1, 4]) })
    expect(await data(query, as('perfectionist'))).toEqual({ pages: ids([4]) })
  })

  test('a filter can depend on other tables’ rows and on related rows', async () => {
    const owner = (id: string) => as('owner', { 'x-hasura-user-id': id })
    expect(await data('{ page(id: 4) { length } }', owner('7'))).toEqual({ page: { length: 7 } })
    expect(await data('{ page(id: 4) { length } __typename }', owner('8'))).toMatchObject({ page: null })
    expect(await data('{ pages(order_by: {id: asc}) { id } }', as('archivist'))).toEqual({
      pages: ids([2, 3]),
    })
  })

  test('root fields without permission are absent from the role’s schema', async () => {
    const query = '{ __schema { queryType { fields { name } } subscriptionType { name } } }'
    expect(await data(query, as('owner', { 'x-hasura-user-id': '7' }))).toEqual({
      __schema: {
        queryType: { fields: [{ name: '_entities' }, { name: '_service' }, { name: 'page' }] },
        subscriptionType: null,
      },
    })
  })

  test('a backend-only permission needs the header of a back end', async () => {
    const mutation = 'mutation { insert_page_one(object: {category: "top", title: "New"}) { site_id } }'
    expect(await refusal(mutation, writer('{1}'))).toBe('no mutations exist')
    const backend = { ...writer('{1}'), 'x-hasura-use-backend-only-permissions': 'true' }
    expect(await data(mutation, backend)).toEqual({ insert_page_one: { site_id: 1 } })
    await data('mutation { delete_page(where: {title: {_eq: "New"}}) { affected_rows } }')
  })

  test('a function is open to the roles with a permission for it', async () => {
    const long = '{ long_pages(args: {min_words: 5}, order_by: {id: asc}) { id } }'
    expect(await data(long, writer('{1,2}'))).toEqual({ long_pages: ids([1, 4]) })
    expect(await data('{ long_pages { id } }', writer('{2}'))).toEqual({ long_pages: ids([4]) })
    expect(await refusal(long, as('proofreader'))).toContain('not found')
    expect(await refusal('{ my_pages { id } }', writer('{1}'))).toContain('not found')
  })
})

const reader = as('reader', { 'x-hasura-locales': '{de,en}' })

describe('reading', () => {
  test('views and materialized views can be read, counted and joined, and are written only where Postgres can', async () => {
    const query = `{
      public_page(order_by: {id: asc}) { title page { length } }
      page_count(order_by: {site_id: asc}) { site_id pages }
      page_count_aggregate { aggregate { sum { pages } } }
    }`
    expect(await data(query)).toEqual({
      public_page: [
        { title: 'Handbook', page: { length: 10 } },
        { title: 'Old news', page: { length: null } },
        { title: 'Elsewhere', page: { length: 7 } },
      ],
      page_count: [
        { site_id: 1, pages: 3 },
        { site_id: 2, pages: 1 },
      ],
      page_count_aggregate: { aggregate: { sum: { pages: 4 } } },
    })
    expect(await refusal('mutation { insert_page_count(objects: []) { affected_rows } }', asAdmin)).toContain(
      'not found',
    )
    expect(await data('{ public_page { title } }', {})).toMatchObject({ public_page: { length: 3 } })
  })

  test('a function receives its session argument, and takes the usual arguments', async () => {
    const query = '{ my_pages(where: {is_public: {_eq: true}}) { id } }'
    expect(await data(query, { ...asAdmin, 'x-hasura-user-id': '9' })).toEqual({ my_pages: ids([4]) })
  })

  test('a search ranks its results over several languages, and returns public pages only', async () => {
    const query = `{ search_pages(args: {search: "handbuch or old or news"}) {
      title translations(order_by: {locale: asc}) { locale title } media { file_name bytes meta(path: "$.width") }
    } }`
    expect(await data(query, reader)).toEqual({
      search_pages: [
        { title: 'Old news', translations: [], media: [] },
        {
          title: 'Handbook',
          translations: [{ locale: 'de', title: 'Handbuch' }],
          media: [{ file_name: 'cover.png', bytes: '9007199254740993', meta: 800 }],
        },
      ],
    })
  })

  test('a branch of the tree is read with its pages', async () => {
    const query = `{ category(where: {path: {_descendant: "top"}}, order_by: {path: asc}) { path name pages { title } } }`
    expect(await data(query, reader)).toEqual({
      category: [
        { path: 'top', name: 'Top', pages: [{ title: 'Handbook' }] },
        { path: 'top.news', name: 'News', pages: [] },
        { path: 'top.news.old', name: 'Archive', pages: [{ title: 'Old news' }] },
      ],
    })
  })

  test('readers see a page that a function has published', async () => {
    const owner = as('owner', { 'x-hasura-user-id': '7' })
    expect(await data('mutation { publish(args: {page_id: 2}) { id is_public } }', owner)).toEqual({
      publish: [{ id: 2, is_public: true }],
    })
    expect(await data('{ pages(where: {id: {_eq: 2}}) { title } }', reader)).toEqual({
      pages: [{ title: 'News of 2025' }],
    })
    await data('mutation { update_page_by_pk(pk_columns: {id: 2}, _set: {is_public: false}) { id } }')
  })
})

describe('a remote schema', () => {
  test('is called once for all pages of a list, with the caller’s headers and the role’s preset arguments', async () => {
    remote.queries.splice(0)
    const query = '{ pages(order_by: {id: asc}) { id reactions { kind number } } }'
    expect(await data(query, { ...reader, 'x-client': 'web' })).toEqual({
      pages: [
        { id: 1, reactions: { kind: 'heart', number: 10 } },
        { id: 3, reactions: { kind: 'heart', number: 30 } },
        { id: 4, reactions: { kind: 'heart', number: 40 } },
      ],
    })
    expect(remote.queries).toHaveLength(1)
    expect(remote.queries[0]?.headers).toMatchObject({ 'x-client': 'web', 'x-hasura-role': 'reader' })
  })

  test('is in a namespace, and its types have the prefix', async () => {
    const query = `{ reactions_service { count(page: 2, kind: "star") { __typename kind number } } }`
    expect(await data(query)).toEqual({
      reactions_service: { count: { __typename: 'ReactionsCount', kind: 'star', number: 20 } },
    })
    const service = '{ reactions_service { count(page: 2, kind: "star") { number } } }'
    expect(await refusal(service, reader)).toContain('kind')
    expect(await refusal(service, {})).toContain('not found')
  })

  test('its errors are passed on, and its absence is an error of the engine', async () => {
    const ask = (page: number) =>
      cms.ask(`{ reactions_service { count(page: ${page}, kind: "star") { number } } }`, asAdmin)
    expect(await ask(101)).toMatchObject({ data: null, errors: [{ message: 'there are so many pages' }] })
    remote.isUp = false
    expect(Object.keys((await ask(1)) as object)).toEqual(['errors'])
    remote.isUp = true
  })
})

describe('Relay', () => {
  const relay = async (query: string, headers: Headers = reader): Promise<unknown> =>
    (await cms.send('POST', '/v1beta1/relay', headers, { query })).body

  interface Page {
    readonly data: {
      readonly page_connection: {
        readonly pageInfo: { readonly endCursor: string; readonly startCursor: string }
        readonly edges: readonly { readonly node: { readonly id: string; readonly title: string } }[]
      }
    }
  }

  test('pages forward and back over rows in any order, and finds a row by its id', async () => {
    const page = async (window: string) =>
      (
        (await relay(`{ page_connection(${window}, order_by: {title: asc}) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { node { id title } }
      } }`)) as Page
      ).data.page_connection
    const titles = ({ edges }: Page['data']['page_connection']) => edges.map(({ node }) => node.title)
    const first = await page('first: 2')
    expect([titles(first), first.pageInfo]).toMatchObject([
      ['Elsewhere', 'Handbook'],
      { hasNextPage: true, hasPreviousPage: false },
    ])
    const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`)
    expect([titles(second), second.pageInfo]).toMatchObject([
      ['Old news'],
      { hasNextPage: false, hasPreviousPage: true },
    ])
    const back = await page(`last: 1, before: "${second.pageInfo.startCursor}"`)
    expect([titles(back), back.pageInfo]).toMatchObject([
      ['Handbook'],
      { hasNextPage: true, hasPreviousPage: true },
    ])
    const id = first.edges[1]?.node.id ?? ''
    const node = `{ node(id: "${id}") { __typename id ... on page { title category } } }`
    expect(await relay(node)).toEqual({
      data: { node: { __typename: 'page', id, title: 'Handbook', category: 'top' } },
    })
    expect(await relay(node, as('perfectionist'))).toEqual({ data: { node: null } })
  })
})

test('a gateway of subgraphs finds pages by their keys, as far as the caller may read them', async () => {
  const { _service } = (await data('{ _service { sdl } }', reader)) as { _service: { sdl: string } }
  expect(_service.sdl).toMatch(/type page @key\(fields: "id"\)/)
  const query = `{ _entities(representations: [
    {__typename: "page", id: 1}, {__typename: "page", id: 2}, {__typename: "page", id: 4}
  ]) { __typename ... on page { title } } }`
  expect(await data(query, reader)).toEqual({
    _entities: [{ __typename: 'page', title: 'Handbook' }, null, { __typename: 'page', title: 'Elsewhere' }],
  })
})
