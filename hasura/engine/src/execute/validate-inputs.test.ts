import { type IncomingHttpHeaders, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ExecuteOptions, GraphQLExecutor, GraphQLResult } from '../graphql-request.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'
import { unservedFeatures } from '../metadata/unserved-features.ts'
import { createSession } from '../session/types.ts'
import { admin, dataOf } from './testing/bookshop.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

const sql = `
  create table author (id int primary key, name text not null, tenant int not null default 1);
  create table book (
    id int primary key, author_id int references author, title text, price numeric not null default 0, sold bigint not null default 0
  );
`

const check = (path: string, more: object = {}) => ({
  validate_input: { type: 'http', definition: { url: `{{CHECKS}}/${path}`, ...more } },
})
const headers = [
  { name: 'x-key', value_from_env: 'CHECK_KEY' },
  { name: 'x-plain', value: 'of {{CHECK_KEY}}' },
]
const bookColumns = ['id', 'author_id', 'title', 'price', 'sold']
const select = (columns: readonly string[]) => [{ role: 'editor', permission: { columns, filter: {} } }]

const author = {
  table: 'author',
  configuration: { column_config: { name: { custom_name: 'penName' } } },
  array_relationships: [
    { name: 'books', using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } } },
  ],
  select_permissions: select(['id', 'name', 'tenant']),
  insert_permissions: [
    {
      role: 'editor',
      permission: {
        check: {},
        columns: ['id', 'name'],
        set: { tenant: 'X-Hasura-Tenant' },
        ...check('author', { headers, forward_client_headers: true }),
      },
    },
    { role: 'unset', permission: { check: {}, columns: ['id', 'name'], ...check('{{NOT_SET}}') } },
  ],
}
const book = {
  table: 'book',
  object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
  select_permissions: select(bookColumns),
  insert_permissions: [
    {
      role: 'editor',
      permission: { check: {}, columns: bookColumns, ...check('book', { timeout: 1 }) },
    },
  ],
  update_permissions: [
    { role: 'editor', permission: { columns: bookColumns, filter: {}, ...check('update') } },
  ],
  delete_permissions: [{ role: 'editor', permission: { filter: {}, ...check('delete') } }],
}
const metadata = metadataSchema.parse({
  version: 3,
  sources: [{ name: 'default', tables: [author, book] }],
  inherited_roles: [{ role_name: 'chief', role_set: ['editor'] }],
})

interface Received {
  readonly path: string | undefined
  readonly body: unknown
  readonly headers: IncomingHttpHeaders
}
type Answer = readonly [status: number, body?: string, delayMs?: number]

let received: Received[]
let answers: Readonly<Record<string, Answer>>
let service: Server
let project: TestProject
let executor: GraphQLExecutor

async function startService(): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { url: path, headers: sent } = request
      received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown, headers: sent })
      const [status, body = '', delayMs = 0] = answers[path ?? ''] ?? [200]
      setTimeout(() => response.writeHead(status).end(body), delayMs)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

beforeAll(async () => {
  service = await startService()
  const { port } = service.address() as AddressInfo
  project = await openProject(sql)
  const { newExecutor } = await project.serve(metadata)
  executor = newExecutor({ env: { CHECKS: `http://127.0.0.1:${port}`, CHECK_KEY: 's3cret' } })
})
afterAll(async () => {
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
  await project.close()
})
beforeEach(async () => {
  received = []
  answers = {}
  await project.pool.query('truncate author, book; insert into book (id, title) values (1, $$Alpha$$)')
})

const editor = createSession('editor', { 'X-Hasura-Tenant': '7' })

const ask = (
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  session = editor,
  options: ExecuteOptions = {},
): Promise<GraphQLResult> => executor.execute({ query, variables }, session, options)

const inputs = () =>
  received.map(({ path, body }) => [path, (body as { data: { input: unknown } }).data.input])

async function rows(): Promise<unknown> {
  const { rows: found } = await project.pool.query<{ id: number }>(
    'select id from author union all select id from book order by 1',
  )
  return found.map(({ id }) => id)
}

describe('the request to the service has', () => {
  test('the role, the session and the rows of an insert by their columns, without presets', async () => {
    const result = await ask(
      'mutation ($name: String!) { insert_author(objects: {id: 10, penName: $name}) { returning { penName tenant } } }',
      { name: 'Ann' },
    )
    expect(dataOf(result)).toEqual({ insert_author: { returning: [{ penName: 'Ann', tenant: 7 }] } })
    expect(received.map(({ body }) => body)).toEqual([
      {
        version: 1,
        role: 'editor',
        session_variables: { 'x-hasura-role': 'editor', 'x-hasura-tenant': '7' },
        data: { input: [{ id: 10, name: 'Ann' }] },
      },
    ])
  })

  test('the values of each request, also with a shared plan', async () => {
    const query = 'mutation ($id: Int!) { insert_author_one(object: {id: $id, penName: "x"}) { id } }'
    for (const id of [10, 11]) expect(dataOf(await ask(query, { id }))).toEqual({ insert_author_one: { id } })
    expect(inputs()).toEqual([
      ['/author', [{ id: 10, name: 'x' }]],
      ['/author', [{ id: 11, name: 'x' }]],
    ])
  })

  test('nested rows with their parents, and then once per table to its own service', async () => {
    const query = `mutation ($books: [book_insert_input!]!) { insert_author(objects: [
      {id: 10, penName: "Ann", books: {data: $books}}, {id: 11, penName: "Bo", books: {data: {id: 23}}}
    ]) { affected_rows } }`
    const books = [{ id: 21, title: null, sold: 5 }, { id: 22 }]
    expect(dataOf(await ask(query, { books }))).toEqual({ insert_author: { affected_rows: 5 } })
    expect(inputs()).toEqual([
      [
        '/author',
        [
          { id: 10, name: 'Ann', books: { data: books } },
          { id: 11, name: 'Bo', books: { data: [{ id: 23 }] } },
        ],
      ],
      ['/book', [...books, { id: 23 }]],
    ])
  })

  test('an object that a row refers to', async () => {
    const query =
      'mutation { insert_book_one(object: {id: 20, author: {data: {id: 10, penName: "Ann"}}}) { author_id } }'
    expect(dataOf(await ask(query))).toEqual({ insert_book_one: { author_id: 10 } })
    expect(inputs()).toEqual([
      ['/book', [{ id: 20, author: { data: { id: 10, name: 'Ann' } } }]],
      ['/author', [{ id: 10, name: 'Ann' }]],
    ])
  })

  test('the arguments of updates', async () => {
    const query = `mutation ($where: book_bool_exp!, $price: numeric) {
      update_book(where: $where, _set: {title: "B", price: $price}, _inc: {sold: 12345678901234567}) { affected_rows }
      update_book_by_pk(pk_columns: {id: 1}, _set: {price: 9.90}) { price }
      update_book_many(updates: [{where: {id: {_in: [1, 2]}}, _set: {title: null, price: 1e400}}, {where: {}, _inc: {sold: -1}}]) { affected_rows }
    }`
    dataOf(await ask(query, { where: { id: { _eq: 1 } }, price: 3 }))
    expect(inputs()).toEqual([
      // A number that JavaScript can't represent is sent as it was written.
      [
        '/update',
        [{ where: { id: { _eq: 1 } }, _set: { title: 'B', price: 3 }, _inc: { sold: '12345678901234567' } }],
      ],
      ['/update', [{ pk_columns: { id: 1 }, _set: { price: 9.9 } }]],
      [
        '/update',
        [
          { where: { id: { _in: [1, 2] } }, _set: { title: null, price: '1e400' } },
          { where: {}, _inc: { sold: -1 } },
        ],
      ],
    ])
  })

  test('the condition or the key of a delete', async () => {
    dataOf(
      await ask(
        'mutation { delete_book(where: {title: {_like: "Z%"}}) { affected_rows } delete_book_by_pk(id: 1) { id } }',
      ),
    )
    expect(inputs()).toEqual([
      ['/delete', [{ where: { title: { _like: 'Z%' } } }]],
      ['/delete', [{ pk_columns: { id: 1 } }]],
    ])
    expect(await rows()).toEqual([])
  })

  test('configured headers, and the client’s if they are forwarded', async () => {
    const query =
      'mutation { insert_author_one(object: {id: 10, penName: "A", books: {data: {id: 20}}}) { id } }'
    const clientHeaders = { authorization: 'Bearer x', 'x-key': 'mine', host: 'shop.example' }
    dataOf(await ask(query, {}, editor, { clientHeaders }))
    expect(received[0]?.headers).toMatchObject({
      authorization: 'Bearer x',
      'x-key': 's3cret',
      'x-plain': 'of s3cret',
      'content-type': 'application/json',
    })
    expect(received[0]?.headers.host).not.toBe('shop.example')
    expect(received[1]?.headers.authorization).toBeUndefined()
  })
})

describe('validation calls', () => {
  test('no service for admin, who has no permissions', async () => {
    dataOf(await ask('mutation { delete_book(where: {}) { affected_rows } }', {}, createSession('admin', {})))
    dataOf(await ask('mutation { insert_book_one(object: {id: 30}) { id } }', {}, admin))
    expect(received).toEqual([])
  })

  test('the service of the role that a role inherits from', async () => {
    dataOf(await ask('mutation { delete_book_by_pk(id: 1) { id } }', {}, createSession('chief', {})))
    expect(received).toMatchObject([{ path: '/delete', body: { role: 'chief' } }])
  })

  test('no service for queries, and the engine reports no unserved feature', async () => {
    dataOf(await ask('{ book { id } }'))
    expect(received).toEqual([])
    expect(unservedFeatures(metadata)).toEqual([])
  })
})

describe('the answer of the service', () => {
  const insert =
    'mutation { insert_author_one(object: {id: 10, penName: "A", books: {data: {id: 20}}}) { id } }'

  test.each<[string, Answer, string, string]>([
    ['400 with a message', [400, '{"message": "no such title"}'], 'no such title', 'validation-failed'],
    [
      '400 without a message',
      [400, '{}'],
      'received invalid response from input validation webhook',
      'unexpected',
    ],
    [
      '400 that is no JSON',
      [400, 'no'],
      'received invalid response from input validation webhook',
      'unexpected',
    ],
    ['422', [422, '{"message": "no"}'], 'internal error when validating input data', 'unexpected'],
    ['500', [500], 'internal error when validating input data', 'unexpected'],
    ['a redirect', [302], 'internal error when validating input data', 'unexpected'],
    ['too much', [200, 'x'.repeat(1_100_000)], 'http exception when validating input data', 'unexpected'],
    ['too late', [200, '', 1_500], 'http exception when validating input data', 'unexpected'],
  ])('%s: the error, and nothing is written', async (_, answer, message, code) => {
    answers = { '/book': answer }
    expect(await ask(insert)).toEqual({
      kind: 'errors',
      stage: 'request',
      errors: [{ message, extensions: { path: '$', code } }],
    })
    expect(inputs().map(([path]) => path)).toEqual(['/author', '/book'])
    expect(await rows()).toEqual([1])
  })

  test('a later field is refused before an earlier one is written', async () => {
    answers = { '/delete': [400, '{"message": "keep it"}'] }
    const query = `mutation {
      insert_author_one(object: {id: 10, penName: "A"}) { id } delete_book_by_pk(id: 1) { id } update_book(where: {}, _inc: {sold: 1}) { affected_rows }
    }`
    expect(await ask(query)).toMatchObject({ errors: [{ message: 'keep it' }] })
    expect(inputs().map(([path]) => path)).toEqual(['/author', '/delete'])
    expect(await rows()).toEqual([1])
  })

  test('any 2xx accepts the input, with any body', async () => {
    answers = { '/author': [204], '/book': [201, 'fine'] }
    expect(dataOf(await ask(insert))).toEqual({ insert_author_one: { id: 10 } })
  })

  test('a service whose address is not set refuses the input', async () => {
    const unset = createSession('unset', {})
    const query = 'mutation { insert_author(objects: {id: 10, penName: "A"}) { affected_rows } }'
    expect(await ask(query, {}, unset)).toMatchObject({
      errors: [
        { message: "environment variable 'NOT_SET' not set", extensions: { code: 'unexpected', path: '$' } },
      ],
    })
    expect(received).toEqual([])
    expect(await rows()).toEqual([1])
  })
})
