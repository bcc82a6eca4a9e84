import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(`
    create table shop (id int primary key);
    create table author (
      shop_id int references shop, id int, name text unique, primary key (shop_id, id)
    );
    create table book (
      shop_id int, id int generated always as identity primary key, author_id int, title text unique,
      foreign key (shop_id, author_id) references author
    );
    insert into shop values (1), (2);
    insert into author values (1, 1, 'Ann');
    insert into book (shop_id, author_id, title) values (1, 1, 'Alpha');
  `)
  const role = 'seller'
  const key = ['shop_id', 'author_id']
  const permission = { columns: '*', filter: {} }
  const insert = { columns: '*', set: { shop_id: 'X-Hasura-Shop-Id' } }
  const { newExecutor } = await project.serve({
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: 'author',
            array_relationships: [
              { name: 'books', using: { foreign_key_constraint_on: { table: 'book', columns: key } } },
            ],
            select_permissions: [{ role, permission }],
            insert_permissions: [{ role, permission: { ...insert, check: { name: { _neq: 'Eve' } } } }],
          },
          {
            table: 'book',
            object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: key } }],
            select_permissions: [{ role, permission }],
            insert_permissions: [{ role, permission: { ...insert, check: { title: { _neq: 'Evil' } } } }],
          },
        ],
      },
    ],
  })
  executor = newExecutor()
})
afterAll(() => project.close())

const seller = createSession('seller', { 'x-hasura-shop-id': '2' })

async function ask(mutation: string, session = createSession('admin', {})): Promise<unknown> {
  const result = await executor.execute({ query: `mutation { ${mutation} }` }, session)
  if (result.kind === 'data') return JSON.parse(result.json) as unknown
  const [error] = result.errors
  return { message: error?.message, ...error?.extensions }
}

const nothing = '{constraint: author_name_key, update_columns: []}'

test.each([
  [
    'a conflict that writes no author',
    `insert_book(objects: [{title: "B", author: {data: {shop_id: 1, id: 9, name: "Ann"}, on_conflict: ${nothing}}}]) { affected_rows }`,
    'cannot proceed to insert object relation "author" since insert to table "author" affects zero rows',
    'not-supported',
    '$.selectionSet.insert_book.args.objects[0].author',
  ],
  [
    'a conflict of a row with nested rows',
    `insert_author(objects: [{shop_id: 1, id: 9, name: "Ann", books: {data: [{title: "B"}]}}], on_conflict: ${nothing}) { affected_rows }`,
    'cannot proceed to insert array relations since insert to table "author" affects zero rows',
    'not-supported',
    '$.selectionSet.insert_author.args.objects[0]',
  ],
  [
    'a row of a list that Postgres refuses',
    'insert_author_one(object: {shop_id: 1, id: 9, name: "Nan", books: {data: [{title: "B"}, {title: "Alpha"}]}}) { id }',
    'Uniqueness violation. duplicate key value violates unique constraint "book_title_key"',
    'constraint-violation',
    '$.selectionSet.insert_author_one.args.object[0].books.data',
  ],
  [
    'a referenced row that Postgres refuses',
    'insert_book(objects: [{title: "B", author: {data: {shop_id: 1, id: 9, name: "Ann"}}}]) { affected_rows }',
    'Uniqueness violation. duplicate key value violates unique constraint "author_name_key"',
    'constraint-violation',
    '$.selectionSet.insert_book.args.objects[0].author.data',
  ],
  [
    'a part of a reference that is given already',
    'insert_book(objects: [{title: "B", shop_id: 1, author: {data: {shop_id: 1, id: 9}}}]) { affected_rows }',
    'cannot insert object relationship "author" as "shop_id" column values are already determined',
    'validation-failed',
    '$.selectionSet.insert_book.args.objects[0].author',
  ],
  [
    'a column that the parent row determines',
    'insert_author_one(object: {shop_id: 1, id: 9, books: {data: [{title: "B"}, {title: "C", author_id: 1}]}}) { id }',
    'cannot insert "author_id" columns as their values are already being determined by parent insert',
    'validation-failed',
    '$.selectionSet.insert_author_one.args.object[0].books.data[1]',
  ],
])('%s is refused at its path, and nothing is written', async (_, mutation, message, code, path) => {
  expect(await ask(mutation)).toEqual({ message, code, path })
  const { rows } = await project.pool.query('select id from author where id = 9')
  expect(rows).toEqual([])
})

test('the check of a permission is reported at the row that fails it', async () => {
  const mutation = 'insert_author_one(object: {id: 9, name: "Nan", books: {data: [{title: "Evil"}]}}) { id }'
  expect(await ask(mutation, seller)).toEqual({
    message: 'check constraint of an insert/update permission has failed',
    code: 'permission-error',
    path: '$.selectionSet.insert_author_one.args.object[0].books.data',
  })
})

test('a permission’s preset may be part of a reference', async () => {
  const mutation =
    'insert_book_one(object: {title: "Beta", author: {data: {id: 7, name: "Bob"}}}) { shop_id author { id shop_id } }'
  expect(await ask(mutation, seller)).toEqual({
    insert_book_one: { shop_id: 2, author: { id: 7, shop_id: 2 } },
  })
})
