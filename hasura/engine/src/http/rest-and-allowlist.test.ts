import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../events/testing/webhook-receiver.ts'
import { type ServedDatabase, adminHeaders, serveDatabase } from './testing/serve-database.ts'

let served: ServedDatabase

beforeAll(async () => {
  served = await serveDatabase(
    `
    create table author (
      id int primary key, name text not null, tags text[] not null default '{}', is_known boolean not null default true,
      born bigint, price numeric, meta jsonb
    );
    insert into author values
      (1, 'Ada', '{a}', true, 9007199254740993, 0.12345678901234567890, '{"a": 1}'), (2, '07', '{b}', false, 7, 1, '{}')`,
    { enableAllowlist: true },
  )
  await run('pg_track_table', { table: 'author' })
  await run('pg_create_select_permission', {
    table: 'author',
    role: 'reader',
    permission: { columns: '*', filter: { id: { _lt: 2 } } },
  })
  await run('create_query_collection', {
    name: 'library',
    definition: {
      queries: [
        {
          name: 'by_id',
          query: 'query ($id: Int!, $tag: [String!] = []) { author(where: {id: {_eq: $id}}) { id name } }',
        },
        {
          name: 'typed',
          query: `query ($text: String, $int: Int, $flag: Boolean, $big: bigint, $price: numeric, $meta: jsonb) {
            author(where: {_and: [
              {name: {_eq: $text}}, {id: {_eq: $int}}, {is_known: {_eq: $flag}}, {born: {_eq: $big}},
              {price: {_eq: $price}}, {meta: {_contains: $meta}}]}) { id }
          }`,
        },
        {
          name: 'add',
          query:
            'mutation ($id: Int!, $price: numeric) { insert_author_one(object: {id: $id, name: "New", price: $price}) { id } }',
        },
        {
          name: 'by_name',
          query: 'query Named($name: String!) { author(where: {name: {_eq: $name}}) { id } }',
        },
      ],
    },
  })
})

afterAll(() => served.close())

const send: ServedDatabase['ask'] = (...request) => served.ask(...request)

async function run(type: string, args: unknown) {
  const { status, body } = await send('POST', '/v1/metadata', { type, args })
  return status === 200 ? 'done' : body
}

const endpoint = (name: string, url: string, query: string, methods = ['GET']) =>
  run('create_rest_endpoint', {
    name,
    url,
    methods,
    definition: { query: { collection_name: 'library', query_name: query } },
  })

test('an endpoint answers with the data of its query, its variables taken from path, query and body', async () => {
  await endpoint('author', 'authors/:id', 'by_id', ['GET', 'POST'])
  await endpoint('named', 'authors', 'by_name')
  expect(await send('GET', '/api/rest/authors/1')).toEqual({
    status: 200,
    body: { author: [{ id: 1, name: 'Ada' }] },
  })
  expect(await send('POST', '/api/rest/authors/1', { id: 2 })).toMatchObject({
    body: { author: [{ id: 1 }] },
  })
  // A text that looks like a number stays a text for a text variable.
  expect(await send('GET', '/api/rest/authors?name=07')).toEqual({
    status: 200,
    body: { author: [{ id: 2 }] },
  })
  expect(await send('GET', '/api/rest/authors/one')).toMatchObject({
    status: 400,
    body: { code: 'data-exception' },
  })
  expect(await send('GET', '/api/rest/authors')).toMatchObject({
    status: 400,
    body: {
      path: '$',
      error: 'expecting a value for non-nullable variable: "name"',
      code: 'validation-failed',
    },
  })
  expect(await send('DELETE', '/api/rest/authors/1')).toMatchObject({
    status: 405,
    body: { error: 'Allowed methods: GET, POST' },
  })
  expect(await send('GET', '/api/rest/authors/%E0%A4%A')).toMatchObject({ status: 404 })
  expect(await send('GET', '/api/rest/authors/1', undefined, {})).toMatchObject({ status: 401 })
})

test('values come as text from the URL, as JSON from a body, and are refused when the query has no such variable', async () => {
  await endpoint('typed', 'typed', 'typed', ['GET', 'POST'])
  const found = async (query: string, body?: unknown) =>
    (await send(body === undefined ? 'GET' : 'POST', `/api/rest/typed${query}`, body)).body
  const one = { author: [{ id: 1 }] }
  expect(await found('?int=1&flag=true&big=9007199254740993&price=0.12345678901234567890')).toEqual(one)
  expect(await found('?text=Ada&flag')).toEqual(one)
  expect(await found('?flag=false')).toEqual({ author: [{ id: 2 }] })
  expect(await found('?int=', {})).toMatchObject({ author: { length: 2 } })
  expect(await found('', { meta: { a: 1 } })).toEqual(one)
  expect(await found('?int=2', { int: 1 })).toEqual(one)
  expect(await found('?int=1', 'no object')).toEqual(one)
  expect(await found('?int=one')).toMatchObject({ code: 'data-exception' })
  expect(await send('GET', '/api/rest/typed?other=1')).toEqual({
    status: 400,
    body: { path: '$', error: 'Unexpected variable other', code: 'bad-request' },
  })
  expect(await send('GET', '/api/rest/authors/1?tag=a')).toEqual({
    status: 400,
    body: {
      path: '$',
      error:
        'List variables are not currently supported in URL or Query parameters. (Variable tag, with value "a")',
      code: 'bad-request',
    },
  })
})

test('an endpoint passes on the cookies that an action’s handler sets', async () => {
  const handler = await startReceiver()
  handler.answer = () => ({ status: 200, headers: { 'set-cookie': 'session=1' }, body: '"in"' })
  const definition = { handler: handler.url, kind: 'synchronous', output_type: 'String' }
  expect(await run('create_action', { name: 'sign_in', definition })).toBe('done')
  const added = { collection_name: 'library', query_name: 'sign_in', query: 'mutation { sign_in }' }
  expect(await run('add_query_to_collection', added)).toBe('done')
  expect(await endpoint('sign_in', 'sign-in', 'sign_in', ['POST'])).toBe('done')
  const { headers, body } = await served.send('POST', '/api/rest/sign-in')
  await handler.close()
  expect([body, headers.getSetCookie()]).toEqual([{ sign_in: 'in' }, ['session=1']])
})

test('an endpoint returns an error of the database with its own code', async () => {
  await endpoint('add', 'authors', 'add', ['POST'])
  expect(await send('POST', '/api/rest/authors', { id: 1 })).toMatchObject({
    status: 400,
    body: { code: 'constraint-violation', path: '$.selectionSet.insert_author_one.args.object' },
  })
  expect(await send('POST', '/api/rest/authors', { id: 3, price: 'cheap' })).toMatchObject({
    status: 400,
    body: { code: 'data-exception' },
  })
})

test('endpoints with ambiguous paths are refused, and a query in use by an endpoint is not dropped', async () => {
  expect(await endpoint('other', ':any/:thing', 'by_id')).toMatchObject({
    internal: [{ reason: 'Ambiguous URL paths: :any/:thing, authors/:id' }],
  })
  expect(await endpoint('posted', ':any/:thing', 'by_id', ['PUT'])).toBe('done')
  expect(
    await run('drop_query_from_collection', { collection_name: 'library', query_name: 'by_id' }),
  ).toMatchObject({ error: 'cannot continue due to new inconsistent metadata' })
})

test('roles other than admin may send only documents of the allow-list, in any layout', async () => {
  const reader = { ...adminHeaders, 'x-hasura-role': 'reader' }
  const ask = async (query: string, headers: Record<string, string>) =>
    (await send('POST', '/v1/graphql', { query, variables: { name: 'Ada' } }, headers)).body
  const known = 'query Named($name: String!) {\n  author(where: {name: {_eq: $name}}) { id __typename } }'
  const notAllowed = {
    errors: [{ message: 'query is not allowed', extensions: { code: 'validation-failed', path: '$' } }],
  }
  expect(await ask(known, reader)).toEqual(notAllowed)
  await run('add_collection_to_allowlist', {
    collection: 'library',
    scope: { global: false, roles: ['writer'] },
  })
  expect(await ask(known, reader)).toEqual(notAllowed)
  await run('update_scope_of_collection_in_allowlist', { collection: 'library', scope: { global: true } })
  expect(await ask(known, reader)).toEqual({ data: { author: [{ id: 1, __typename: 'author' }] } })
  expect(await ask(known.replace('{ id ', '{ id name '), reader)).toEqual(notAllowed)
  expect(await ask(known.replace('{ id ', '{ id name '), adminHeaders)).toMatchObject({ data: {} })
  expect(await run('drop_query_collection', { collection: 'library' })).toMatchObject({
    code: 'dependency-error',
  })
})
