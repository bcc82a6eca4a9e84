import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(`
    create table task (id int primary key, owner text, done bool not null default false);
    insert into task values (1, 'ann'), (2, 'bob');
  `)
  const role = 'closer'
  const filter = { owner: { _eq: 'X-Hasura-User' } }
  const { newExecutor } = await project.serve({
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: 'task',
            update_permissions: [{ role, permission: { columns: ['done'], filter } }],
            delete_permissions: [{ role, permission: { filter } }],
          },
        ],
      },
    ],
  })
  executor = newExecutor()
})
afterAll(() => project.close())

async function ask(query: string, role = 'closer', variables = {}): Promise<unknown> {
  const result = await executor.execute({ query, variables }, createSession(role, { 'x-hasura-user': 'ann' }))
  if (result.kind === 'data') return JSON.parse(result.json) as unknown
  const [error] = result.errors
  return { message: error?.message, ...error?.extensions }
}

test('a role that may write but not read writes the rows of its permission, without filtering or reading them', async () => {
  expect(await ask('mutation { update_task(where: {}, _set: {done: true}) { affected_rows } }')).toEqual({
    update_task: { affected_rows: 1 },
  })
  expect(await ask('mutation { delete_task(where: {_not: {}}) { affected_rows } }')).toEqual({
    delete_task: { affected_rows: 0 },
  })
  const refused = [
    ['delete_task(where: {id: {_eq: 1}}) { affected_rows }', `field "id" not found in type: 'task_bool_exp'`],
    [
      'delete_task(where: {}) { returning { id } }',
      `field "returning" not found in type: 'task_mutation_response'`,
    ],
    ['delete_task_by_pk(id: 1) { id }', `field "delete_task_by_pk" not found in type: 'mutation_root'`],
  ]
  for (const [field, message] of refused)
    expect(await ask(`mutation { ${field ?? ''} }`)).toMatchObject({ message })
})

test('a role that may read nothing has one field, which says so', async () => {
  const noQueries = expect.stringContaining('There are no queries available to the current role') as string
  expect(await ask('{ no_queries_available }')).toEqual({ no_queries_available: noQueries })
})

test.each([
  [
    '{ task { id @include } }',
    'missing required field "if"',
    '$.selectionSet.task.selectionSet.include.args',
  ],
  [
    '{ task { id @skip(if: 1) } }',
    'expected a boolean for type "Boolean", but found an integer',
    '$.selectionSet.task.selectionSet.skip.args.if',
  ],
  [
    '{ task { id @skip(when: true) } }',
    '"skip" has no argument named "when"',
    '$.selectionSet.task.selectionSet.skip',
  ],
  ['query @cached(forever: true) { task { id } }', '"cached" has no argument named "forever"', '$.cached'],
  [
    'query ($if: Boolean) { task { id @skip(if: $if) } }',
    'variable "if" is declared as Boolean, but used where Boolean! is expected',
    '$.selectionSet.task.selectionSet.skip.args.if',
  ],
  [
    'query ($id: Int) { task_by_pk(id: $id) { id } }',
    'variable "id" is declared as Int, but used where Int! is expected',
    '$.selectionSet.task_by_pk.args.id',
  ],
  [
    'query ($id: Int) { task(where: {id: {_in: $id}}) { id } }',
    'variable "id" is declared as Int, but used where [Int!] is expected',
    '$.selectionSet.task.args.where.id._in',
  ],
])('%s is refused for any variables', async (query, message, path) => {
  const variables = {
    ...(query.includes('$if') ? { if: true } : {}),
    ...(query.includes('$id') ? { id: 1 } : {}),
  }
  expect(await ask(query, 'admin', variables)).toEqual({ message, code: 'validation-failed', path })
})

test('a nullable variable is accepted for a non-null type when the variable or the argument has a default', async () => {
  expect(await ask('query ($id: Int = 2) { task_by_pk(id: $id) { owner } }', 'admin')).toEqual({
    task_by_pk: { owner: 'bob' },
  })
  const upsert = `mutation ($columns: [task_update_column!]) {
    insert_task_one(object: {id: 2}, on_conflict: {constraint: task_pkey, update_columns: $columns}) { id }
  }`
  expect(await ask(upsert, 'admin')).toEqual({ insert_task_one: null })
})
