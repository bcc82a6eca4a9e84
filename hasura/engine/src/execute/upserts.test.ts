import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

/**
 * A clerk may insert any price, but update only to a positive one. A conflict must not circumvent the update's check.
 */
const metadata = {
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'product',
          select_permissions: [{ role: 'clerk', permission: { columns: '*', filter: {} } }],
          insert_permissions: [{ role: 'clerk', permission: { columns: '*', check: {} } }],
          update_permissions: [
            {
              role: 'clerk',
              permission: { columns: ['price'], filter: {}, check: { price: { _gt: 0 } } },
            },
          ],
        },
      ],
    },
  ],
}

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject('create table product (id int primary key, price int not null)')
  executor = (await project.serve(metadata)).newExecutor()
})
afterAll(() => project.close())
beforeEach(() => project.pool.query('truncate product; insert into product values (1, 5)'))

const upsert = (objects: string) =>
  executor.execute(
    {
      query: `mutation {
        insert_product(
          objects: ${objects}, on_conflict: {constraint: product_pkey, update_columns: [price]}
        ) { affected_rows returning { id price } }
      }`,
    },
    createSession('clerk', {}),
  )

const prices = async (): Promise<unknown> =>
  (await project.pool.query('select id, price from product order by id')).rows

test('a row that a conflict turns into an update has to pass the update’s check', async () => {
  expect(await upsert('[{id: 2, price: 0}, {id: 1, price: 0}]')).toMatchObject({
    kind: 'errors',
    errors: [
      {
        message: 'check constraint of an insert/update permission has failed',
        extensions: { code: 'permission-error' },
      },
    ],
  })
  expect(await prices()).toEqual([{ id: 1, price: 5 }])
})

test('a new row beside it need not', async () => {
  const result = await upsert('[{id: 2, price: 0}, {id: 1, price: 7}]')
  expect(result.kind).toBe('data')
  expect(await prices()).toEqual([
    { id: 1, price: 7 },
    { id: 2, price: 0 },
  ])
})
