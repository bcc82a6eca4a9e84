import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(`
    create extension hstore;
    create extension citext;
    create type labelled as (name citext, tags hstore);
    create domain tag_set as hstore;
    create table parent (id int primary key, tags hstore);
    create table child (
      id int primary key, parent_id int references parent, tags hstore, own tag_set, many hstore[], label labelled,
      word citext, data jsonb, at timestamptz
    );
    insert into parent values (1, 'of=>"the parent"');
    insert into child (id, parent_id, tags) values (1, 1, 'a=>1')
  `)
  const { newExecutor } = await project.serve({
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: 'parent',
            array_relationships: [
              {
                name: 'children',
                using: { foreign_key_constraint_on: { table: 'child', column: 'parent_id' } },
              },
            ],
          },
          {
            table: 'child',
            object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
          },
        ],
      },
    ],
  })
  executor = newExecutor()
})
afterAll(() => project.close())

async function ask(query: string): Promise<unknown> {
  const result = await executor.execute({ query }, createSession('admin', {}))
  return result.kind === 'data' ? (JSON.parse(result.json) as unknown) : result.errors
}

const parent = { tags: { of: 'the parent' } }

test('a mutation of values whose JSON Postgres does not read back answers them beside a relationship', async () => {
  const values = `tags: "a=>\\"1 \\\\\\" 2\\", b=>NULL", own: "c=>3", many: "{d=>4,e=>5}", label: "(Word,\\"f=>6\\")", word: "Word",
    data: {g: [1.50]}, at: "2026-01-02T03:04:05.678901+00"`
  const fields = 'tags own many label word data at parent { tags }'
  const row = {
    tags: { a: '1 " 2', b: null },
    own: { c: '3' },
    many: [{ d: '4' }, { e: '5' }],
    label: { name: 'Word', tags: { f: '6' } },
    word: 'Word',
    data: { g: [1.5] },
    at: '2026-01-02T03:04:05.678901+00:00',
    parent,
  }
  expect(
    await ask(`mutation { insert_child_one(object: {id: 2, parent_id: 1, ${values}}) { ${fields} } }`),
  ).toEqual({ insert_child_one: row })
  expect(
    await ask(
      `mutation { update_child(where: {id: {_eq: 1}}, _set: {${values}}) { returning { ${fields} } } }`,
    ),
  ).toEqual({ update_child: { returning: [row] } })
  expect(await ask(`mutation { delete_child_by_pk(id: 1) { ${fields} } }`)).toEqual({
    delete_child_by_pk: row,
  })
})

test('a nested insert answers such values of its rows', async () => {
  expect(
    await ask(`mutation {
      insert_parent_one(object: {id: 3, tags: "x=>1", children: {data: [{id: 4, tags: "y=>2"}]}}) {
        tags children { tags parent { tags } }
      }
    }`),
  ).toEqual({
    insert_parent_one: { tags: { x: '1' }, children: [{ tags: { y: '2' }, parent: { tags: { x: '1' } } }] },
  })
})
