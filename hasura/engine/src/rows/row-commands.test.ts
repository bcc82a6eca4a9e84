import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Bookshop, merchant, openBookshop, reader } from '../execute/testing/bookshop.ts'
import type { Session } from '../session/types.ts'
import type { RowCommandKind } from './row-command.ts'
import { refusalOf, runRowCommand } from './testing/run-row-command.ts'

let shop: Bookshop

beforeAll(async () => {
  shop = await openBookshop()
})
afterAll(() => shop.close())

/** Tests write rows with ids from 100. */
afterEach(() => shop.pool.query('delete from book where id >= 100'))

const run = (kind: RowCommandKind, args: object, session?: Session): Promise<unknown> =>
  runRowCommand(shop, kind, args, session)

const books = (query: object, session?: Session) => run('select', { table: 'book', ...query }, session)
async function titles(query: object, session?: Session): Promise<readonly unknown[]> {
  const rows = (await books({ columns: ['title'], ...query }, session)) as readonly { title: unknown }[]
  return rows.map(({ title }) => title)
}

test('columns are selected by their names in Postgres, relationships with queries of their own, and aliases', async () => {
  expect(
    await books({
      columns: [
        'id',
        'published_at',
        { name: 'author', columns: ['name'] },
        {
          name: 'reviews',
          alias: 'best',
          columns: ['rating', 'reader'],
          where: { rating: { $gt: 1 } },
          order_by: '-rating',
          limit: 1,
        },
      ],
      where: { id: 1, merchant_id: { $eq: 1 } },
    }),
  ).toEqual([
    {
      id: 1,
      published_at: '2024-01-01T00:00:00+00:00',
      author: { name: 'Ann' },
      best: [{ rating: 5, reader: 'Rita' }],
    },
  ])
})

test('a star selects every readable column, and each further star the readable relationships', async () => {
  const first = { where: { id: 1 }, limit: 1 }
  expect(await books({ columns: ['*'], ...first }, reader(1))).toEqual([
    { id: 1, title: 'Alpha', price: 1000 },
  ])
  // The role may read neither authors nor reviews.
  expect(await books({ columns: ['*.*'], ...first }, reader(1))).toEqual([
    { id: 1, title: 'Alpha', price: 1000 },
  ])
  expect(
    await run(
      'select',
      { table: 'review', columns: ['*.*.*', { name: 'book', columns: ['title'] }], where: { id: 2 } },
      merchant(1),
    ),
  ).toEqual([{ book: { title: 'Alpha' }, id: 2, book_id: 1, rating: 3, reader: 'Sam' }])
  expect(
    await run('select', { table: 'author', columns: ['*.*'], where: { name: 'Bob' } }, merchant(1)),
  ).toMatchObject([{ merchant_id: 1, id: 2, name: 'Bob', books: [{ id: 3, title: 'Gamma', tags: ['old'] }] }])
})

test('numbers that JavaScript can not hold are passed on as Postgres wrote them', async () => {
  const answer = await books({ columns: ['price'], where: { id: 4 } })
  expect(JSON.stringify(answer)).toBe('[{"price":9007199254740993}]')
})

test.each<[string, object, readonly string[]]>([
  [
    'both spellings of operators',
    { $or: [{ price: { $lt: 2000 } }, { title: { _ilike: 'GAM%' } }] },
    ['Alpha', 'Gamma'],
  ],
  ['a bare value, which is equal', { title: 'Beta' }, ['Beta']],
  ['a bare null, which is a test for it', { author_id: null }, ['Delta']],
  ['null with an operator', { author_id: { $eq: null } }, ['Delta']],
  ['what is not null', { author_id: { $ne: null }, price: { _gte: 2000 } }, ['Beta', 'Gamma']],
  ['lists', { id: { $in: [1, 3] }, title: { _nin: ['Gamma'] } }, ['Alpha']],
  ['negation', { $not: { status: { _eq: 'ACTIVE' } } }, ['Beta']],
  ['related rows', { reviews: { reader: 'Rita', rating: { $gte: 5 } } }, ['Alpha']],
  ['related rows of related rows', { author: { books: { title: 'Beta' } } }, ['Alpha', 'Beta']],
  ['another column', { author_id: { $ceq: 'id' } }, ['Alpha']],
  ['a column of the row that it is about', { author: { id: { _ceq: ['$', 'id'] } } }, ['Alpha']],
  ['rows of any table', { $exists: { $table: 'review', $where: { rating: 5 } }, id: 2 }, ['Beta']],
  ['operators of jsonb', { attributes: { _contains: { pages: 200 } } }, ['Beta']],
  ['a cast', { attributes: { _cast: { text: { _like: '%hard%' } } } }, ['Alpha']],
  ['arrays', { tags: { $contains: ['two words'] } }, ['Alpha']],
  ['texts for numbers', { price: '3000' }, ['Gamma']],
  ['a session variable as the text that it is', { title: 'X-Hasura-Merchant-Id' }, []],
])('where understands %s', async (_, where, expected) => {
  expect(await titles({ where: { merchant_id: 1, ...where }, order_by: 'id' })).toEqual(expected)
})

test.each<[unknown, readonly string[]]>([
  ['-price', ['Delta', 'Gamma', 'Beta', 'Alpha']],
  ['+title', ['Alpha', 'Beta', 'Delta', 'Gamma']],
  [[{ column: 'published_at', type: 'desc', nulls: 'last' }], ['Alpha', 'Gamma', 'Delta', 'Beta']],
  [
    ['-author.name', { column: ['id'] }],
    ['Delta', 'Gamma', 'Alpha', 'Beta'],
  ],
  [
    [{ column: 'author.name', nulls: 'first' }, '-id'],
    ['Delta', 'Beta', 'Alpha', 'Gamma'],
  ],
])('sorts by %j', async (order_by, expected) => {
  expect(await titles({ where: { merchant_id: 1 }, order_by })).toEqual(expected)
})

test('limit and offset cut, and the permission’s limit applies, too', async () => {
  const sorted = { order_by: 'id' }
  expect(await titles({ ...sorted, limit: 1, offset: 1 }, merchant(1))).toEqual(['Beta'])
  expect(await titles({ ...sorted, limit: 10 }, reader(1))).toEqual(['Alpha', 'Gamma'])
  expect(await titles({ ...sorted, limit: 2000, offset: 3 }, merchant(1))).toEqual(['Delta'])
})

test('counts rows, or the distinct values of columns, nulls among them', async () => {
  expect(await run('count', { table: 'book' })).toEqual({ count: 5 })
  expect(await run('count', { table: 'book' }, merchant(1))).toEqual({ count: 4 })
  // As in Hasura, a permission's limit applies to rows only.
  expect(await run('count', { table: 'book', where: { price: { $gt: 1000 } } }, reader(1))).toEqual({
    count: 2,
  })
  expect(await run('count', { table: 'book', distinct: ['author_id'] }, merchant(1))).toEqual({ count: 3 })
})

test('inserts rows with presets and checks of the role, and returns the requested columns', async () => {
  expect(
    await run(
      'insert',
      {
        table: 'book',
        objects: [
          { title: 'New', price: 5, tags: ['a', 'b"c'] },
          { title: 'Newer', price: '6' },
        ],
        returning: ['title', 'merchant_id', 'tags'],
      },
      merchant(1),
    ),
  ).toEqual({
    affected_rows: 2,
    returning: [
      { title: 'New', merchant_id: 1, tags: ['a', 'b"c'] },
      { title: 'Newer', merchant_id: 1, tags: [] },
    ],
  })
  expect(
    await refusalOf(
      run('insert', { table: 'book', objects: [{ title: 'Dear', price: 2_000_000 }] }, merchant(1)),
    ),
  ).toEqual({
    path: '$',
    code: 'permission-error',
    error: 'check constraint of an insert/update permission has failed',
  })
})

test('a conflict is ignored, or updates the given columns', async () => {
  const author = (objects: object[], on_conflict: object, session?: Session) =>
    run('insert', { table: 'author', objects, on_conflict, returning: ['name'] }, session)
  const ann = { merchant_id: 1, name: 'Ann' }
  const key = 'author_merchant_id_name_key'
  expect(await author([ann], { action: 'ignore' })).toEqual({ affected_rows: 0, returning: [] })
  expect(await author([ann], { action: 'ignore', constraint: key })).toMatchObject({ affected_rows: 0 })
  const onColumns = { action: 'update', constraint_on: ['merchant_id', 'name'] }
  expect(await author([ann], onColumns)).toMatchObject({ affected_rows: 1 })
  expect(await author([{ name: 'Ann' }], { action: 'update', constraint: key }, merchant(1))).toMatchObject({
    returning: [{ name: 'Ann' }],
  })
})

test('updates the rows that match the condition and the permission', async () => {
  await run('insert', {
    table: 'book',
    objects: [{ merchant_id: 1, id: 101, title: 'Old', price: 10, status: 'ACTIVE' }],
  })
  const where = { id: 101 }
  const update = (changes: object, session = merchant(1)) =>
    run('update', { table: 'book', where, ...changes, returning: ['title', 'price', 'status'] }, session)
  expect(await update({ $set: { title: 'New' }, $inc: { price: 5 }, $default: ['status'] })).toEqual({
    affected_rows: 1,
    returning: [{ title: 'New', price: 15, status: 'DRAFT' }],
  })
  expect(await update({ values: { title: 'Newer' }, $mul: { price: 3 } })).toMatchObject({
    returning: [{ title: 'Newer', price: 45 }],
  })
  expect(await update({ $set: { title: 'Stolen' } }, merchant(2))).toEqual({
    affected_rows: 0,
    returning: [],
  })
})

test('deletes the rows that match the condition and the permission', async () => {
  await run('insert', { table: 'book', objects: [{ merchant_id: 1, id: 102, title: 'Old', price: 10 }] })
  const args = { table: 'book', where: { id: { $gte: 100 } }, returning: ['title'] }
  expect(await run('delete', args, merchant(2))).toEqual({ affected_rows: 0, returning: [] })
  expect(await run('delete', args, merchant(1))).toEqual({ affected_rows: 1, returning: [{ title: 'Old' }] })
})
