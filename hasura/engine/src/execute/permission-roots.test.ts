import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { runRowCommand } from '../rows/testing/run-row-command.ts'
import { createSession } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

/**
 * Members of its team who have its level may see a document: the permission compares columns of members with columns of
 * the document, which `["$", …]` names. A folder has columns of the same names, with other values.
 */
const sql = `
  create table folder (id int primary key, level int, team int);
  create table document (id int primary key, folder_id int references folder, level int, team int, title text);
  create table member (id int primary key, name text, level int, team int);
  insert into folder values (1, 1, 1), (2, 2, 2);
  insert into member values (1, 'ann', 1, 1);
`
const documents = `
  insert into document values
    (1, 2, 1, 1, 'seen, in a folder of another team'),
    (2, 1, 2, 2, 'hidden, in a folder of the own team'),
    (3, 1, 1, 1, 'seen')
`

const seen = {
  _exists: {
    _table: 'member',
    _where: { name: 'X-Hasura-Name', level: { _ceq: ['$', 'level'] }, team: { _ceq: ['$', 'team'] } },
  },
}

const reads = (role: string, columns: readonly string[], filter: object) => ({
  role,
  permission: { columns, filter, allow_aggregations: true },
})

const metadata = {
  inherited_roles: [{ role_name: 'both', role_set: ['titles', 'levels'] }],
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'folder',
          array_relationships: [
            {
              name: 'documents',
              using: { foreign_key_constraint_on: { table: 'document', column: 'folder_id' } },
            },
          ],
          select_permissions: [
            reads('reader', ['id', 'level'], {}),
            reads('titles', ['id'], {}),
            reads('levels', ['id'], {}),
          ],
          update_permissions: [
            { role: 'reader', permission: { columns: ['level'], filter: {}, check: null } },
          ],
          delete_permissions: [{ role: 'reader', permission: { filter: {} } }],
        },
        {
          table: 'document',
          object_relationships: [{ name: 'folder', using: { foreign_key_constraint_on: 'folder_id' } }],
          select_permissions: [
            reads('reader', ['id', 'level', 'title'], seen),
            reads('titles', ['id', 'title'], seen),
            reads('levels', ['id', 'level'], { level: 2 }),
          ],
        },
        { table: 'member' },
      ],
    },
  ],
}

let project: TestProject
let executor: GraphQLExecutor
let snapshot: Snapshot

beforeAll(async () => {
  project = await openProject(sql)
  const served = await project.serve(metadata)
  executor = served.newExecutor()
  snapshot = served.snapshot
})
afterAll(() => project.close())

beforeEach(() => project.pool.query(`truncate document; ${documents}`))

async function ask(query: string, role = 'reader'): Promise<unknown> {
  const result = await executor.execute({ query }, createSession(role, { 'x-hasura-name': 'ann' }))
  if (result.kind !== 'data') throw new Error(JSON.stringify(result.errors))
  return JSON.parse(result.json)
}

test('selecting shows the documents whose own columns a member matches', async () => {
  expect(
    await ask('{ document(order_by: {id: asc}) { id } folder(order_by: {id: asc}) { id documents { id } } }'),
  ).toEqual({
    document: [{ id: 1 }, { id: 3 }],
    folder: [
      { id: 1, documents: [{ id: 3 }] },
      { id: 2, documents: [{ id: 1 }] },
    ],
  })
})

test.each([
  ['documents: {}', [1, 2]],
  ['documents: {title: {_like: "hidden%"}}', []],
  ['documents: {title: {_like: "seen, %"}}', [2]],
  ['documents: {folder: {documents: {title: {_eq: "seen"}}}}', [1]],
  ['documents_aggregate: {count: {predicate: {_eq: 1}}}', [1, 2]],
  ['documents_aggregate: {count: {predicate: {_gt: 1}}}', []],
])('folders where %s are found by readable documents', async (where, ids) => {
  expect(await ask(`{ folder(where: {${where}}, order_by: {id: asc}) { id } }`)).toEqual({
    folder: ids.map((id) => ({ id })),
  })
})

test('updates and deletes find their rows in the same way', async () => {
  expect(
    await ask(`mutation {
      update_folder(where: {documents: {title: {_like: "hidden%"}}}, _set: {level: 9}) { affected_rows }
      delete_folder(where: {documents: {title: {_like: "hidden%"}}}) { affected_rows }
    }`),
  ).toEqual({ update_folder: { affected_rows: 0 }, delete_folder: { affected_rows: 0 } })
})

test('a column that an inherited role may read in some rows only is readable in those rows, on any path to them', async () => {
  expect(
    await ask(
      '{ folder(where: {documents: {title: {_is_null: false}}}, order_by: {id: asc}) { id } }',
      'both',
    ),
  ).toEqual({
    folder: [{ id: 1 }, { id: 2 }],
  })
  expect(await ask('{ folder(where: {documents: {title: {_like: "hidden%"}}}) { id } }', 'both')).toEqual({
    folder: [],
  })
})

test('the root of a client’s row command differs from the root of a permission', async () => {
  const folders = (documentsWhere: object) =>
    runRowCommand(
      { pool: project.pool, snapshot },
      'select',
      { table: 'folder', columns: ['id'], where: { documents: documentsWhere }, order_by: 'id' },
      createSession('reader', { 'x-hasura-name': 'ann' }),
    )
  // The folder's level, and of the documents those that the role may see.
  expect(await folders({ level: { _ceq: ['$', 'level'] } })).toEqual([{ id: 1 }])
  expect(await folders({ level: { _cne: ['$', 'level'] } })).toEqual([{ id: 2 }])
  expect(await folders({ title: { _like: 'hidden%' } })).toEqual([])
})
