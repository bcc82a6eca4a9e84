import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bookshop, admin, merchant, openBookshop, reader } from '../execute/testing/bookshop.ts'
import { type Session, createSession } from '../session/types.ts'
import { type RowCommandKind, parseRowCommand } from './row-command.ts'
import { refusalOf, runRowCommand } from './testing/run-row-command.ts'

let shop: Bookshop

beforeAll(async () => {
  shop = await openBookshop()
})
afterAll(() => shop.close())

const onBooks = { table: 'book', columns: ['id'] }

test.each<[string, RowCommandKind, object, Session, object]>([
  [
    'an unknown table',
    'select',
    { table: 'nothing', columns: [] },
    admin,
    { path: '$.table', code: 'not-exists', error: 'table "nothing" does not exist' },
  ],
  ['another source', 'count', { table: 'book', source: 'other' }, admin, { path: '$', code: 'not-exists' }],
  [
    'a table of which the role may read nothing',
    'select',
    { table: 'author', columns: ['id'] },
    reader(1),
    { path: '$', code: 'permission-denied', error: 'select on "author" for role "reader" is not allowed. ' },
  ],
  [
    'an unknown column',
    'select',
    { table: 'book', columns: ['id', 'gone'] },
    admin,
    { path: '$.columns[1]', code: 'permission-denied', error: 'no such column exists : "gone"' },
  ],
  [
    'a column that the role may not read',
    'select',
    { table: 'book', columns: ['status'] },
    reader(1),
    {
      path: '$.columns[0]',
      code: 'permission-denied',
      error: 'role "reader" does not have permission to select column "status"',
    },
  ],
  [
    'a condition on such a column',
    'select',
    { ...onBooks, where: { status: 'DRAFT' } },
    reader(1),
    { path: '$.where', code: 'permission-denied' },
  ],
  [
    'a comparison with such a column',
    'select',
    { ...onBooks, where: { title: { $ceq: 'status' } } },
    reader(1),
    { path: '$.where', code: 'permission-denied' },
  ],
  [
    'an order by such a column',
    'select',
    { ...onBooks, order_by: ['id', '-status'] },
    reader(1),
    { path: '$.order_by[1]', code: 'permission-denied' },
  ],
  [
    'a condition on rows that the role may not read',
    'select',
    { ...onBooks, where: { reviews: {} } },
    reader(1),
    {
      path: '$.where',
      code: 'permission-denied',
      error:
        'role "reader" does not have permission to read relationship "reviews"; no permission on table "review"',
    },
  ],
  [
    'an existence check in a table that the role may not read',
    'select',
    { ...onBooks, where: { _exists: { _table: 'author', _where: {} } } },
    reader(1),
    { path: '$.where', code: 'permission-denied' },
  ],
  [
    'an unknown operator',
    'select',
    { ...onBooks, where: { author: { name: { $near: 1 } } } },
    admin,
    { path: "$.where.name['$near']", code: 'unexpected-payload', error: 'Unknown operator: $near' },
  ],
  [
    'an impossible cast, which must not select every row',
    'delete',
    { table: 'book', where: { attributes: { _cast: { txt: { _eq: '' } } } } },
    admin,
    {
      path: '$.where.attributes._cast',
      code: 'unexpected-payload',
      error: 'cannot cast column of type "jsonb" to type "txt"',
    },
  ],
  [
    'rows of another table without a condition on them',
    'count',
    { table: 'book', where: { _exists: { _table: 'author', where: { id: 0 } } } },
    admin,
    { path: '$.where._exists', code: 'parse-failed', error: 'key "_where" not found' },
  ],
  [
    'an operator named like a property of every JavaScript object',
    'select',
    { ...onBooks, where: { id: { constructor: 'id' } } },
    admin,
    { path: '$.where.id.constructor', code: 'unexpected-payload', error: 'Unknown operator: constructor' },
  ],
  [
    'relationships that are nested too deeply',
    'select',
    { table: 'book', columns: [`*${'.*'.repeat(100_000)}`] },
    admin,
    { code: 'validation-failed', error: 'the request is nested too deeply' },
  ],
  [
    'a value of another kind',
    'select',
    { ...onBooks, where: { id: { $eq: true } } },
    admin,
    { path: "$.where.id['$eq']", code: 'parse-failed' },
  ],
  [
    'a text that is no number',
    'select',
    { ...onBooks, where: { id: 'one' } },
    admin,
    { path: '$', code: 'data-exception', error: 'invalid input syntax for type integer: "one"' },
  ],
  [
    'a negative limit',
    'select',
    { ...onBooks, limit: -1 },
    admin,
    { path: '$.limit', code: 'not-supported', error: 'unexpected negative value' },
  ],
  [
    'an order by a list of rows',
    'select',
    { ...onBooks, order_by: 'reviews.rating' },
    admin,
    { path: '$.order_by[0]', code: 'unexpected-payload' },
  ],
  [
    'a condition on an object relationship',
    'select',
    { table: 'book', columns: [{ name: 'author', columns: ['id'], limit: 1 }] },
    admin,
    { path: '$.columns[0]', code: 'unexpected-payload' },
  ],
  [
    'a column where a relationship is meant',
    'select',
    { table: 'book', columns: [{ name: 'title', columns: [] }] },
    admin,
    { path: '$.columns[0].name', code: 'unexpected-payload' },
  ],
  [
    'a relationship where a column is meant',
    'insert',
    { table: 'book', objects: [{ author: {} }] },
    admin,
    { path: '$.objects[0]', code: 'unexpected-payload' },
  ],
  [
    'no rows',
    'insert',
    { table: 'book', objects: [] },
    admin,
    { path: '$.objects', code: 'unexpected-payload', error: 'objects should not be empty' },
  ],
  [
    'a column that the role may not write',
    'insert',
    { table: 'review', objects: [{ book_id: 1 }, { id: 7 }] },
    merchant(1),
    { path: '$.objects[1]', code: 'permission-denied' },
  ],
  [
    'a column that a preset fills',
    'insert',
    { table: 'review', objects: [{ merchant_id: 2 }] },
    merchant(1),
    {
      path: '$.objects[0]',
      code: 'not-supported',
      error: 'column "merchant_id" is not insertable for role "merchant"',
    },
  ],
  [
    'a row without a required value',
    'insert',
    { table: 'book', objects: [{ title: 'x' }] },
    merchant(1),
    { path: '$', code: 'constraint-violation' },
  ],
  [
    'a value that its enum table does not have',
    'insert',
    { table: 'book', objects: [{ status: 'GONE' }] },
    merchant(1),
    {
      path: '$.objects[0].status',
      code: 'unexpected-payload',
      error: 'expected one of the values "ACTIVE", "DRAFT" for type "book_status", given "GONE"',
    },
  ],
  [
    'an update on conflict without a constraint',
    'insert',
    { table: 'author', objects: [{ name: 'x' }], on_conflict: { action: 'update' } },
    admin,
    { path: '$.on_conflict', code: 'unexpected-payload' },
  ],
  [
    'an unknown constraint',
    'insert',
    { table: 'author', objects: [{ name: 'x' }], on_conflict: { action: 'ignore', constraint: 'no' } },
    admin,
    {
      path: '$.on_conflict.constraint',
      code: 'unexpected',
      error: 'constraint no for table "author" does not exist',
    },
  ],
  [
    'an upsert without permission to update',
    'insert',
    { table: 'review', objects: [{ book_id: 1 }], on_conflict: { action: 'ignore' } },
    merchant(1),
    {
      path: '$.on_conflict',
      code: 'permission-denied',
      error: 'upsert is not allowed for role "merchant" since update permissions are not defined',
    },
  ],
  [
    'an update of nothing',
    'update',
    { table: 'book', where: {} },
    merchant(1),
    { path: '$', code: 'unexpected-payload', error: 'atleast one of $set, $inc, $mul has to be present' },
  ],
  [
    'an update of a column that the role may not write',
    'update',
    { table: 'book', where: {}, $set: { id: 1 } },
    merchant(1),
    { path: "$['$set']", code: 'permission-denied' },
  ],
  [
    'a delete without permission',
    'delete',
    { table: 'book', where: {} },
    reader(1),
    { path: '$', code: 'permission-denied', error: 'delete on "book" for role "reader" is not allowed. ' },
  ],
  [
    'a session without the permission’s variable',
    'select',
    onBooks,
    createSession('reader', {}),
    { path: '$', code: 'not-found', error: '"x-hasura-merchant-id" header is expected but not found' },
  ],
])('refuses %s', async (_, kind, args, session, expected) => {
  expect(await refusalOf(runRowCommand(shop, kind, args, session))).toMatchObject(expected)
})

test.each<[RowCommandKind, object, string]>([
  ['select', { columns: ['id'] }, '$'],
  ['select', { table: 'book' }, '$'],
  ['select', { table: 'book', columns: ['id'], limit: 'many' }, '$.limit'],
  [
    'select',
    { table: 'book', columns: ['id'], order_by: [{ type: 'up', column: 'id' }] },
    '$.order_by[0].type',
  ],
  ['update', { table: 'book', $set: {} }, '$'],
  ['insert', { table: 'book', objects: [1] }, '$.objects[0]'],
  ['insert', { table: 'book', objects: [{}], on_conflict: { action: 'hope' } }, '$.on_conflict.action'],
])('names the path of wrong arguments of %s %j', (kind, args, path) => {
  expect(() => parseRowCommand(kind, args)).toThrow(expect.objectContaining({ code: 'parse-failed', path }))
})

test('refuses a condition that is nested too deeply', () => {
  let where = {}
  for (let depth = 0; depth < 100_000; depth++) where = { _not: where }
  expect(() => parseRowCommand('count', { table: 'book', where })).toThrow(
    expect.objectContaining({ code: 'parse-failed', message: 'the value is nested too deeply' }),
  )
})
