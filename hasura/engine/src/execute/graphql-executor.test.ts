import pg from 'pg'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { createSession } from '../session/types.ts'
import { type Bookshop, admin, dataOf, merchant, openBookshop, reader } from './testing/bookshop.ts'

/** Read by all tests except those of `mutations`, which have a bookshop each. */
let shared: Bookshop
let shop: Bookshop
beforeAll(async () => {
  shared = await openBookshop()
  shop = shared
})
afterAll(() => shared.close())

const data = async (
  query: string,
  session = merchant(1),
  variables: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => dataOf(await shop.executor.execute({ query, variables }, session))

async function errorOf(
  query: string,
  session = merchant(1),
  variables: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const result = await shop.executor.execute({ query, variables }, session)
  if (result.kind === 'data') throw new Error(`expected an error, got ${result.json}`)
  const [{ message, extensions }] = result.errors as [{ message: string; extensions: object }]
  return { message, ...extensions }
}

async function count(table: 'book' | 'author' | 'review'): Promise<number> {
  const { rows } = await shop.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  return rows[0]?.count ?? 0
}

describe('permissions', () => {
  test('no query of a merchant returns rows of another', async () => {
    const query = `{
      book { merchant_id reviews { reader } author { name books { merchant_id } } }
      book_aggregate { aggregate { count } }
      search_books(args: {search: "a"}) { merchant_id }
      other: book_by_pk(merchant_id: 1, id: 1) { id }
    }`
    expect(await data(query, merchant(2))).toEqual({
      book: [
        {
          merchant_id: 2,
          reviews: [{ reader: 'Tom' }],
          author: { name: 'Cleo', books: [{ merchant_id: 2 }] },
        },
      ],
      book_aggregate: { aggregate: { count: 1 } },
      search_books: [{ merchant_id: 2 }],
      other: null,
    })
  })

  test('a filter can not reveal rows that the role may not see', async () => {
    const query = '{ book(where: {author: {books: {title: {_eq: "Alien"}}}}) { id } }'
    expect(await data(query, merchant(1))).toEqual({ book: [] })
  })

  test('a permission that the session lacks hides every row', async () => {
    expect(await data('{ book { id } }', merchant(1, '{}'))).toEqual({ book: [] })
  })

  test('columns that a role may not read are absent from its schema', async () => {
    expect(await errorOf('{ book { status } }', reader(1))).toEqual({
      message: `field "status" not found in type: 'book'`,
      code: 'validation-failed',
      path: '$.selectionSet.book.selectionSet.status',
    })
    expect(await errorOf('{ book(where: {status: {_eq: ACTIVE}}) { id } }', reader(1))).toMatchObject({
      path: '$.selectionSet.book.args.where.status',
    })
  })

  test('a session without a variable that a permission needs is refused', async () => {
    expect(await errorOf('{ book { id } }', createSession('reader', {}))).toEqual({
      message: 'missing session variables: "x-hasura-merchant-id"',
      code: 'not-found',
      path: '$',
    })
  })

  test('unknown roles see an empty schema', async () => {
    expect(await errorOf('{ book { id } }', createSession('stranger', {}))).toMatchObject({
      message: `field "book" not found in type: 'query_root'`,
    })
    expect(
      await errorOf('mutation { delete_book(where: {}) { affected_rows } }', createSession('stranger', {})),
    ).toMatchObject({ message: 'no mutations exist' })
  })

  test('a row that fails the check of an insert is not written', async () => {
    const mutation =
      'mutation { insert_book(objects: [{title: "fine", price: 1}, {title: "dear", price: 1000000}]) { affected_rows } }'
    expect(await errorOf(mutation)).toEqual({
      message: 'check constraint of an insert/update permission has failed',
      code: 'permission-error',
      path: '$.selectionSet.insert_book.args.objects',
    })
    expect(await count('book')).toBe(5)
  })

  test('an update that would make a row fail the check changes nothing', async () => {
    const mutation =
      'mutation { update_book(where: {id: {_lte: 2}}, _set: {price: 5000000}) { affected_rows } }'
    expect(await errorOf(mutation)).toMatchObject({ code: 'permission-error', path: '$' })
    expect(await data('{ book(where: {id: {_eq: 1}}) { price } }')).toEqual({ book: [{ price: 1000 }] })
  })
})

test('_in finds what is listed, and _nin what is not', async () => {
  const query = `query ($ids: [Int!]!) {
    all: book(order_by: {id: asc}) { id }
    listed: book(where: {id: {_in: $ids}}, order_by: {id: asc}) { id }
    others: book(where: {id: {_nin: $ids}}, order_by: {id: asc}) { id }
  }`
  const { all } = (await data(query, merchant(1), { ids: [] })) as { all: { id: number }[] }
  const [first, ...rest] = all
  expect(rest).not.toEqual([])
  expect(await data(query, merchant(1), { ids: [first?.id] })).toEqual({ all, listed: [first], others: rest })
})

describe('mutations', () => {
  beforeEach(async () => {
    shop = await openBookshop()
  })
  afterEach(async () => {
    await shop.close()
    shop = shared
  })

  test('no update or delete of a merchant reaches rows of another', async () => {
    const mutation = `mutation {
      update_book(where: {}, _set: {title: "mine"}) { returning { merchant_id } }
      update_book_by_pk(pk_columns: {merchant_id: 1, id: 1}, _set: {title: "mine"}) { id }
      delete_book(where: {merchant_id: {_eq: 1}}) { affected_rows }
    }`
    expect(await data(mutation, merchant(2))).toEqual({
      update_book: { returning: [{ merchant_id: 2 }] },
      update_book_by_pk: null,
      delete_book: { affected_rows: 0 },
    })
  })

  test('an operation is one transaction: a later failure undoes earlier writes', async () => {
    const mutation = `mutation {
      insert_author_one(object: {name: "Early"}) { id }
      insert_review_one(object: {book_id: 1, rating: 9, reader: "Late"}) { id }
    }`
    expect(await errorOf(mutation)).toMatchObject({
      code: 'permission-error',
      message:
        'Check constraint violation. new row for relation "review" violates check constraint "review_rating_check"',
    })
    expect(await count('author')).toBe(3)
  })

  test.each([
    [
      'an insert',
      'insert_review_one(object: {book_id: 1, rating: 2, reader: "New"}) { book { reviews(order_by: {id: asc}) { reader } } }',
      { book: { reviews: [{ reader: 'Rita' }, { reader: 'Sam' }, { reader: 'New' }] } },
    ],
    [
      'an upsert',
      `insert_author(
        objects: [{name: "Ann"}], on_conflict: {constraint: author_merchant_id_name_key, update_columns: [name]}
      ) { affected_rows returning { books_aggregate { aggregate { count } } } }`,
      { affected_rows: 1, returning: [{ books_aggregate: { aggregate: { count: 2 } } }] },
    ],
    [
      'an update',
      'update_book(where: {id: {_lte: 2}}, _inc: {price: 1}) { returning { author { books_aggregate { aggregate { sum { price } } } } } }',
      {
        returning: [
          { author: { books_aggregate: { aggregate: { sum: { price: 3002 } } } } },
          { author: { books_aggregate: { aggregate: { sum: { price: 3002 } } } } },
        ],
      },
    ],
    [
      'each of several updates',
      `update_book_many(updates: [
        {where: {id: {_eq: 1}}, _set: {title: "A"}}, {where: {id: {_eq: 2}}, _set: {title: "B"}}
      ]) { returning { author { books(order_by: {id: asc}) { title } } } }`,
      [
        { returning: [{ author: { books: [{ title: 'A' }, { title: 'Beta' }] } }] },
        { returning: [{ author: { books: [{ title: 'A' }, { title: 'B' }] } }] },
      ],
    ],
    [
      'a delete',
      'delete_book(where: {id: {_eq: 1}}) { affected_rows returning { title reviews { id } author { books { title } } } }',
      {
        affected_rows: 1,
        returning: [{ title: 'Alpha', reviews: [], author: { books: [{ title: 'Beta' }] } }],
      },
    ],
  ])('%s answers with related rows as they are after it', async (_, field, answer) => {
    expect(Object.values((await data(`mutation { ${field} }`)) as object)).toEqual([answer])
  })

  test('a nested insert that fails in its last step writes nothing', async () => {
    const mutation = `mutation { insert_book_one(object: {
      title: "x", price: 1, author: {data: {name: "New"}}, reviews: {data: [{rating: 7, reader: "r"}]}
    }) { id } }`
    expect(await errorOf(mutation)).toMatchObject({ code: 'permission-error' })
    expect([await count('author'), await count('book'), await count('review')]).toEqual([3, 5, 4])
  })

  test('affected_rows of a nested insert counts related rows too', async () => {
    const mutation = `mutation { insert_book(objects: [
      {title: "x", price: 1, reviews: {data: [{rating: 1, reader: "r"}, {rating: 2, reader: "s"}]}},
      {title: "y", price: 1, author: {data: {name: "New"}}}
    ]) { affected_rows returning { title } } }`
    expect(await data(mutation)).toEqual({
      insert_book: { affected_rows: 5, returning: [{ title: 'x' }, { title: 'y' }] },
    })
  })

  test('an insert whose conflict does nothing answers null', async () => {
    const conflict = 'on_conflict: {constraint: author_merchant_id_name_key, update_columns: []}'
    const mutation = `mutation {
      insert_author_one(object: {name: "Ann"}, ${conflict}) { id }
      insert_author(objects: [{name: "Ann"}], ${conflict}) { affected_rows returning { id } }
    }`
    expect(await data(mutation)).toEqual({
      insert_author_one: null,
      insert_author: { affected_rows: 0, returning: [] },
    })
  })

  test('inserting no objects writes nothing', async () => {
    expect(await data('mutation { insert_book(objects: []) { affected_rows returning { id } } }')).toEqual({
      insert_book: { affected_rows: 0, returning: [] },
    })
  })

  test('a violated constraint is named to callers in the process', async () => {
    const result = await shop.executor.execute(
      { query: 'mutation { insert_author_one(object: {name: "Ann"}) { id } }' },
      merchant(1),
    )
    expect(result).toMatchObject({
      errors: [
        {
          message:
            'Uniqueness violation. duplicate key value violates unique constraint "author_merchant_id_name_key"',
          extensions: { code: 'constraint-violation', path: '$.selectionSet.insert_author_one.args.object' },
          database: { sqlState: '23505', constraint: 'author_merchant_id_name_key', table: 'author' },
        },
      ],
    })
  })

  test('a function tracked as a mutation changes rows and answers only those the role may see', async () => {
    expect(
      await data('mutation { reprice(args: {factor: 2}, order_by: {id: asc}) { id price } }', admin),
    ).toMatchObject({
      reprice: [{ price: 2000 }, { price: 10000 }, { price: 4000 }, { price: 6000 }],
    })
    expect(
      await errorOf('mutation { reprice_aggregate(args: {factor: 2}) { aggregate { count } } }', admin),
    ).toMatchObject({
      message: `field "reprice_aggregate" not found in type: 'mutation_root'`,
    })
  })
})

describe('plans and their cache', () => {
  const query =
    'query ($where: book_bool_exp, $limit: Int) { book(where: $where, limit: $limit, order_by: {id: asc}) { id } }'

  test('one document with variables of different structure gives each its own answer', async () => {
    const runs: readonly (readonly [Readonly<Record<string, unknown>>, readonly number[]])[] = [
      [{}, [1, 2, 3, 4]],
      [{ where: { id: { _eq: 1 } } }, [1]],
      [{ where: { id: { _eq: 2 } } }, [2]],
      [{ where: { id: { _gt: 2 } } }, [3, 4]],
      [{ where: { id: { _in: [1, 4] } } }, [1, 4]],
      [{ where: { id: { _in: [] } } }, []],
      [{ where: { publishedAt: { _is_null: true } } }, [2]],
      [{ where: { publishedAt: { _is_null: false } } }, [1, 3, 4]],
      [{ where: { status: { _eq: 'DRAFT' } } }, [2]],
      [{ where: { status: { _eq: 'ACTIVE' } }, limit: 1 }, [1]],
      [{ where: { status: { _eq: 'ACTIVE' } }, limit: 2 }, [1, 3]],
      [{ where: { _or: [{ id: { _eq: 1 } }, { id: { _eq: 3 } }] } }, [1, 3]],
      [{ where: null, limit: null }, [1, 2, 3, 4]],
    ]
    // Each run is made twice: the second answer comes from a cached plan.
    for (const [variables, ids] of [...runs, ...runs])
      expect(await data(query, merchant(1), variables)).toEqual({ book: ids.map((id) => ({ id })) })
  })

  test('a variable’s use in a fragment counts like one in the operation', async () => {
    const inFragment = `query ($limit: Int, $path: String) { ...Books }
      fragment Books on query_root { book(limit: $limit, order_by: {id: asc}) { id attributes(path: $path) } }`
    const ask = (variables: object) => data(inFragment, merchant(1), { ...variables })
    expect(await ask({ limit: 1, path: 'pages' })).toEqual({ book: [{ id: 1, attributes: 100 }] })
    expect(await ask({ limit: 2, path: 'pages' })).toMatchObject({ book: [{ id: 1 }, { id: 2 }] })
    expect(await ask({ limit: 1, path: 'format.cover' })).toEqual({ book: [{ id: 1, attributes: 'hard' }] })
  })

  test('a plan serves every session of its role with its own rows', async () => {
    expect(await data('{ book { title } }', reader(2))).toEqual({ book: [{ title: 'Alien' }] })
    expect(await data('{ book(order_by: {id: asc}) { title } }', reader(1))).toEqual({
      book: [{ title: 'Alpha' }, { title: 'Gamma' }],
    })
    expect(await data('{ book(order_by: {id: asc}) { title } }', reader(2))).toEqual({
      book: [{ title: 'Alien' }],
    })
  })

  test('a variable that does not fit is refused by a cached plan as by a new one', async () => {
    const byId = 'query ($id: Int!) { book(where: {id: {_eq: $id}}) { id } }'
    const refusal = {
      message:
        'parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean',
      code: 'parse-failed',
      path: '$.selectionSet.book.args.where.id._eq',
    }
    expect(await errorOf(byId, merchant(1), { id: true })).toEqual(refusal)
    expect(await data(byId, merchant(1), { id: 1 })).toEqual({ book: [{ id: 1 }] })
    expect(await errorOf(byId, merchant(1), { id: true })).toEqual(refusal)
    expect(await errorOf(byId, merchant(1), { id: { a: 1 } })).toMatchObject({ path: refusal.path })
  })

  test('variables inside of a JSON literal take the value of each request', async () => {
    const contains = 'query ($pages: Int) { book(where: {attributes: {_contains: {pages: $pages}}}) { id } }'
    expect(await data(contains, merchant(1), { pages: 100 })).toEqual({ book: [{ id: 1 }] })
    expect(await data(contains, merchant(1), { pages: 200 })).toEqual({ book: [{ id: 2 }] })
  })

  test('skip and include follow their variables', async () => {
    const conditional =
      'query ($with: Boolean!) { book(limit: 1, order_by: {id: asc}) { id title @include(if: $with) } }'
    expect(await data(conditional, merchant(1), { with: true })).toEqual({
      book: [{ id: 1, title: 'Alpha' }],
    })
    expect(await data(conditional, merchant(1), { with: false })).toEqual({ book: [{ id: 1 }] })
  })

  test('numbers beyond what JavaScript can count keep their digits', async () => {
    const { executor } = shop
    const request = { query: '{ book(where: {price: {_eq: 9007199254740993}}) { price } }' }
    expect(await executor.execute(request, merchant(1))).toMatchObject({
      json: '{"book":[{"price":9007199254740993}]}',
    })
    const stringified = shop.newExecutor({ stringifyNumericTypes: true })
    expect(await stringified.execute(request, merchant(1))).toMatchObject({
      json: '{"book":[{"price":"9007199254740993"}]}',
    })
  })
})

describe('requests that are refused', () => {
  test.each([
    ['{ book { id ', 'not a valid graphql query', '$.query'],
    [
      '{ book { id } } { book { id } }',
      'exactly one operation has to be present in the document when operationName is not specified',
      '$',
    ],
    ['{ book(limit: -1) { id } }', 'unexpected negative value', '$.selectionSet.book.args.limit'],
    [
      '{ book(where: {id: {_eq: null}}) { id } }',
      `unexpected null value for type 'Int'`,
      '$.selectionSet.book.args.where.id._eq',
    ],
    ['{ book(nothing: 1) { id } }', '"book" has no argument named "nothing"', '$.selectionSet.book'],
    [
      '{ book_by_pk(id: 1) { id } }',
      'missing required field "merchant_id"',
      '$.selectionSet.book_by_pk.args',
    ],
    ['query ($x: Int) { book(limit: $y) { id } }', 'unbound variable "y"', '$'],
    [
      'query ($x: String) { book(limit: $x) { id } }',
      'variable "x" is declared as String, but used where Int is expected',
      '$.selectionSet.book.args.limit',
    ],
    ['{ book }', 'missing selection set for "book"', '$.selectionSet.book.selectionSet'],
    [
      '{ book { id: title id } }',
      'selection of both "title" and "id" specify the same response name, "id"',
      '$.selectionSet.book.selectionSet',
    ],
    [
      'mutation { update_book(where: {}) { affected_rows } }',
      'at least any one of _set, _inc, _prepend, _append, _delete_key, _delete_elem, _delete_at_path is expected',
      '$.selectionSet.update_book.args',
    ],
  ])('%s', async (query, message, path) => {
    expect(await errorOf(query)).toMatchObject({ message, path })
  })

  test.each([
    ['a document', `{ book ${'{ author { books '.repeat(20_000)}`, {}],
    [
      'variables',
      'query ($where: book_bool_exp) { book(where: $where) { id } }',
      { where: JSON.parse(`${'{"_not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`) as object },
    ],
  ])('%s nested too deeply', async (_, query, variables) => {
    expect(await errorOf(query, merchant(1), variables)).toMatchObject({ code: 'validation-failed' })
  })

  test('fragments that spread each other twice are collected once', async () => {
    const doubling = Array.from(
      { length: 40 },
      (_, n) => `fragment f${n} on book { ...f${n + 1} ...f${n + 1} }`,
    )
    const query = `{ book_by_pk(merchant_id: 1, id: 1) { ...f0 } } ${doubling.join(' ')} fragment f40 on book { id }`
    expect(await data(query)).toEqual({ book_by_pk: { id: 1 } })
  })

  test('fragments can not expand a short document without limit', async () => {
    const level = (n: number): string => `{ ...f${n + 1} }`
    const doubling = Array.from(
      { length: 40 },
      (_, n) => `fragment f${n} on book { a: author { books ${level(n)} } b: author { books ${level(n)} } }`,
    )
    const query = `{ book { ...f0 } } ${doubling.join(' ')} fragment f40 on book { id }`
    expect(await errorOf(query)).toMatchObject({
      message: 'the operation selects more than 20000 fields',
      code: 'validation-failed',
    })
  })

  test('a value that Postgres can not read is a data exception', async () => {
    expect(await errorOf('{ book(where: {publishedAt: {_eq: "yesterdayish"}}) { id } }')).toEqual({
      message: 'invalid input syntax for type timestamp with time zone: "yesterdayish"',
      code: 'data-exception',
      path: '$',
    })
  })
})

test('the root fields of a query are sent to Postgres at once, and an error of one is the answer', async () => {
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => sent.mockRestore())
  const query = `query ($title: String!) {
    book(order_by: {id: asc}) { id } name: __typename found: book_aggregate(where: {title: {_similar: $title}}) { aggregate { count } }
    author { name }
  }`
  const good = {
    book: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
    name: 'query_root',
    found: { aggregate: { count: 4 } },
  }
  expect(await data(query, merchant(1), { title: '%' })).toMatchObject(good)
  expect(sent).toHaveBeenCalledTimes(1)
  expect(await errorOf(query, merchant(1), { title: '(' })).toMatchObject({
    code: 'data-exception',
    path: '$',
  })
  expect(await data(query, merchant(1), { title: '%' })).toMatchObject(good)
})

test('aborting a request cancels its statement in Postgres and frees the connection', async () => {
  const abort = new AbortController()
  const running = shop.executor.execute({ query: '{ slow_books(args: {seconds: 30}) { id } }' }, admin, {
    signal: abort.signal,
  })
  const active = async (): Promise<number> => {
    const { rows } = await shop.pool.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state = 'active' and query like '%slow_books%' and pid <> pg_backend_pid()`,
    )
    return rows[0]?.count ?? 0
  }
  await expect.poll(active, { timeout: 10_000 }).toBe(1)
  abort.abort()
  expect((await running).kind).toBe('errors')
  expect(await active()).toBe(0)
  expect(await data('{ book_aggregate { aggregate { count } } }')).toEqual({
    book_aggregate: { aggregate: { count: 4 } },
  })
})

test('introspection shows a role exactly what it may do', async () => {
  const query = `{ __schema { queryType { fields { name } } mutationType { name } } __type(name: "book") { fields { name } } __typename }`
  expect(await data(query, reader(1))).toEqual({
    __schema: {
      queryType: {
        fields: [
          { name: 'book' },
          { name: 'book_aggregate' },
          { name: 'search_books' },
          { name: 'search_books_aggregate' },
          { name: 'slow_books' },
          { name: 'slow_books_aggregate' },
        ],
      },
      mutationType: null,
    },
    __type: { fields: [{ name: 'id' }, { name: 'price' }, { name: 'title' }] },
    __typename: 'query_root',
  })
})
