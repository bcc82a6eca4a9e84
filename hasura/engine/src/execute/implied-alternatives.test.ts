import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

/** A visitor sees what is on sale, and what is their own. */
const visible = { _or: [{ status: { _eq: 'ACTIVE' } }, { owner: { _eq: 'X-Hasura-Owner' } }] }

beforeAll(async () => {
  project = await openProject(`
    create table offer (id int primary key, status text not null, owner text not null);
    insert into offer values (1, 'ACTIVE', 'ada'), (2, 'DRAFT', 'ada'), (3, 'DRAFT', 'bob')`)
  executor = (
    await project.serve({
      sources: [
        {
          name: 'default',
          kind: 'postgres',
          tables: [
            {
              table: 'offer',
              select_permissions: [
                { role: 'visitor', permission: { columns: ['id', 'status'], filter: visible } },
              ],
            },
          ],
        },
      ],
    })
  ).newExecutor()
})
afterAll(() => project.close())

/** The rows' ids, or the code of the error. */
async function offers(where: string, variables: Readonly<Record<string, string>>): Promise<unknown> {
  const query = `{ offer(where: ${where}, order_by: {id: asc}) { id } }`
  const result = await executor.execute({ query }, createSession('visitor', variables))
  if (result.kind === 'errors') return result.errors[0]?.extensions.code
  return (JSON.parse(result.json) as { offer: { id: number }[] }).offer.map(({ id }) => id)
}

test('a client that asks for one alternative of its permission gets those rows, and needs no variable of the others', async () => {
  const sold = '{status: {_eq: "ACTIVE"}}'
  expect(await offers(sold, { 'x-hasura-owner': 'ada' })).toEqual([1])
  expect(await offers(sold, {})).toEqual([1])
})

test('a client that asks for anything else gets the rows of every alternative, and needs the variables of all', async () => {
  expect(await offers('{}', { 'x-hasura-owner': 'ada' })).toEqual([1, 2])
  expect(await offers('{status: {_eq: "DRAFT"}}', { 'x-hasura-owner': 'bob' })).toEqual([3])
  expect(await offers('{}', {})).toBe('not-found')
})
