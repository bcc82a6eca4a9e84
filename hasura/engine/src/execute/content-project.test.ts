import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSnapshot } from '../consistency/build-snapshot.ts'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { readCatalog } from '../metadata-api/draft.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'
import { type Session, createSession } from '../session/types.ts'
import { createGraphQLExecutor } from './graphql-executor.ts'
import { admin, dataOf } from './testing/bookshop.ts'

/** What a stranger's project has: workspaces with members, documents in a tree, a view, a materialized view. */
const sql = `
  create extension if not exists ltree;
  create table document (
    id int primary key, workspace_id int not null, parent_id int references document,
    path ltree not null, title text not null, body jsonb not null default '{}', tags text[] not null default '{}',
    is_public boolean not null default false, words int, word_goal int, written_on date
  );
  create table member (workspace_id int, user_id int, is_owner boolean not null default false, primary key (workspace_id, user_id));
  insert into member values (1, 7, true), (1, 8, false), (2, 9, true);
  insert into document values
    (1, 1, null, 'top', 'Handbook', '{"lang": "en", "seo": {"title": "Hi"}, "draft": true}', '{a,b}', true, 10, 5, '2026-01-01'),
    (2, 1, 1, 'top.news', 'News of 2025', '{"lang": "de"}', '{a}', false, 3, 5, '2026-01-02'),
    (3, 1, 1, 'top.news.old', 'Old news', '[1, 2]', '{}', true, null, 5, null),
    (4, 2, null, 'other', 'Elsewhere', '{"lang": "en"}', '{c}', true, 7, 7, '2026-01-03');
  create view public_document as select id, workspace_id, title from document where is_public;
  create materialized view document_count as select workspace_id, count(*)::int as documents from document group by 1;
  create function my_documents(hasura_session json) returns setof document stable language sql as
    $$ select d.* from document d join member m using (workspace_id) where m.user_id = (hasura_session ->> 'x-hasura-user-id')::int $$;
  create function archived(min_words int default 0) returns setof document stable language sql as
    $$ select * from document where words >= min_words $$;
`

const mine = { workspace_id: { _in: 'X-Hasura-Workspace-Ids' } }
const columns = ['id', 'workspace_id', 'path', 'title', 'body', 'tags', 'is_public', 'words', 'word_goal']
const select = (role: string, permission: object) => ({ role, permission: { columns, ...permission } })

const documentTable = {
  table: 'document',
  configuration: {
    custom_root_fields: { select: 'pages', select_by_pk: { name: 'page', comment: 'One page' } },
    column_config: { words: { custom_name: 'length', comment: 'in words' } },
  },
  object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
  array_relationships: [
    { name: 'children', using: { foreign_key_constraint_on: { table: 'document', column: 'parent_id' } } },
  ],
  select_permissions: [
    select('member', { filter: mine, allow_aggregations: true, limit: 2 }),
    select('done', { filter: { words: { _cgte: 'word_goal' } } }),
    select('exact', { filter: { words: { _ceq: ['$', 'word_goal'] } } }),
    select('owner', {
      filter: {
        _exists: {
          _table: { schema: 'public', name: 'member' },
          _where: { user_id: { _eq: 'X-Hasura-User-Id' }, is_owner: { _eq: true } },
        },
      },
      query_root_fields: ['select_by_pk'],
      subscription_root_fields: [],
      allow_aggregations: true,
    }),
    select('tree', {
      filter: { parent: { is_public: { _eq: true }, children: { title: { _similar: '(Old|New)%' } } } },
    }),
  ],
  insert_permissions: [
    {
      role: 'member',
      permission: {
        backend_only: true,
        columns: ['id', 'path', 'title'],
        check: mine,
        set: { workspace_id: '1' },
      },
    },
  ],
}

const metadata = metadataSchema.parse({
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        documentTable,
        { table: 'member' },
        {
          table: 'public_document',
          object_relationships: [
            {
              name: 'document',
              using: {
                manual_configuration: { remote_table: 'document', column_mapping: { id: 'id' } },
              },
            },
          ],
          select_permissions: [{ role: 'anonymous', permission: { columns: ['title'], filter: {} } }],
        },
        { table: 'document_count' },
      ],
      functions: [
        { function: 'my_documents', configuration: { session_argument: 'hasura_session' } },
        { function: 'archived', permissions: [{ role: 'member' }] },
      ],
    },
  ],
})

let pool: pg.Pool
let drop: () => Promise<void>
let executor: GraphQLExecutor
beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  // Dropping the database may end a connection before the pool has closed it.
  pool.on('error', () => undefined)
  await pool.query(sql)
  const snapshot = buildSnapshot(metadata, await readCatalog(pool, metadata), 1)
  expect(snapshot.inconsistencies).toEqual([])
  executor = createGraphQLExecutor(() => snapshot, pool, {
    stringifyNumericTypes: false,
    inferFunctionPermissions: false,
    enableAllowlist: false,
    env: {},
  })
})
afterAll(async () => {
  await pool.end()
  await drop()
})

const ask = async (query: string, session: Session = admin): Promise<unknown> =>
  dataOf(await executor.execute({ query }, session))

const member = (ids: string, extra = {}) =>
  createSession('member', { 'X-Hasura-Workspace-Ids': ids, 'X-Hasura-User-Id': '8', ...extra })

describe('operators', () => {
  test.each([
    ['title: {_similar: "%(News|news)%"}', [2, 3]],
    ['title: {_nsimilar: "%(News|news)%"}', [1, 4]],
    ['title: {_regex: "^N"}', [2]],
    ['title: {_iregex: "news"}', [2, 3]],
    ['title: {_nregex: "s"}', [1]],
    ['title: {_niregex: "NEWS"}', [1, 4]],
    ['title: {_like: "%ews%"}', [2, 3]],
    ['title: {_nlike: "%ews%"}', [1, 4]],
    ['title: {_nilike: "%NEWS%"}', [1, 4]],
    ['body: {_has_keys_any: ["seo", "nothing"]}', [1]],
    ['body: {_has_keys_all: ["seo", "lang"]}', [1]],
    ['body: {_contained_in: {lang: "de", more: 1}}', [2]],
    ['body: {_cast: {String: {_like: "%draft%"}}}', [1]],
    ['tags: {_contained_in: ["a"]}', [2, 3]],
    ['tags: {_eq: "{a,b}"}', [1]],
    ['path: {_descendant: "top.news"}', [2, 3]],
    ['path: {_ancestor: "top.news"}', [1, 2]],
    ['path: {_matches: "top.*{1}"}', [2]],
    ['path: {_matches_any: ["other", "*.old"]}', [3, 4]],
    ['path: {_matches_fulltext: "news & !old"}', [2]],
    ['length: {_is_null: true}', [3]],
    ['length: {_is_null: false, _nin: [3, 7]}', [1]],
    ['written_on: {_gt: "2026-01-01"}', [2, 4]],
    ['parent: {is_public: {_eq: true}}', [2, 3]],
    ['children_aggregate: {bool_and: {arguments: is_public, predicate: {_eq: false}}}', [1]],
    ['children_aggregate: {bool_or: {arguments: is_public, predicate: {_eq: true}}}', [1]],
    ['children_aggregate: {count: {filter: {is_public: {_eq: true}}, predicate: {_gt: 0}}}', [1]],
    ['children_aggregate: {count: {arguments: [workspace_id], distinct: true, predicate: {_eq: 1}}}', [1]],
  ])('%s', async (where, ids) => {
    const query = `{ pages(where: {${where}}, order_by: {id: asc}) { id } }`
    expect(await ask(query)).toEqual({ pages: ids.map((id) => ({ id })) })
  })

  test.each([
    ['{length: asc}', [2, 4, 1, 3]],
    ['{length: asc_nulls_first}', [3, 2, 4, 1]],
    ['{length: desc}', [3, 1, 4, 2]],
    ['{length: desc_nulls_last}', [1, 4, 2, 3]],
    ['[{parent: {title: asc_nulls_first}}, {id: desc}]', [4, 1, 3, 2]],
    ['[{children_aggregate: {max: {length: desc_nulls_last}}}, {id: asc}]', [1, 2, 3, 4]],
  ])('sorted by %s', async (order, ids) => {
    expect(await ask(`{ pages(order_by: ${order}) { id } }`)).toEqual({ pages: ids.map((id) => ({ id })) })
  })

  test('a path goes into json, to members and items, or to nothing', async () => {
    const query = `{ pages(where: {id: {_in: [1, 3]}}, order_by: {id: asc}) {
      seo: body(path: "$.seo.title") item: body(path: "[1]") quoted: body(path: "$['lang']")
    } }`
    expect(await ask(query)).toEqual({
      pages: [
        { seo: 'Hi', item: null, quoted: 'en' },
        { seo: null, item: 2, quoted: null },
      ],
    })
  })
})

describe('permissions', () => {
  test('an array of a session is a list of values', async () => {
    expect(await ask('{ pages(order_by: {id: asc}) { id } }', member('{2,3}'))).toEqual({
      pages: [{ id: 4 }],
    })
    expect(await ask('{ pages { id } }', member('{}'))).toEqual({ pages: [] })
  })

  test('a limit cuts rows, and not what is counted', async () => {
    const query =
      '{ pages(order_by: {id: asc}, limit: 10) { id } document_aggregate { aggregate { count } nodes { id } } }'
    expect(await ask(query, member('{1}'))).toMatchObject({
      pages: [{ id: 1 }, { id: 2 }],
      document_aggregate: { aggregate: { count: 3 }, nodes: { length: 2 } },
    })
  })

  test('columns of a row are compared with each other', async () => {
    const query = '{ pages(order_by: {id: asc}) { id } }'
    expect(await ask(query, createSession('done', {}))).toEqual({ pages: [{ id: 1 }, { id: 4 }] })
    expect(await ask(query, createSession('exact', {}))).toEqual({ pages: [{ id: 4 }] })
  })

  test('rows that exist elsewhere, and rows around, decide', async () => {
    const owner = (id: string) => createSession('owner', { 'X-Hasura-User-Id': id })
    expect(await ask('{ page(id: 4) { length } }', owner('7'))).toEqual({ page: { length: 7 } })
    expect(await ask('{ page(id: 4) { length } }', owner('8'))).toEqual({ page: null })
    expect(await ask('{ pages(order_by: {id: asc}) { id } }', createSession('tree', {}))).toEqual({
      pages: [{ id: 2 }, { id: 3 }],
    })
  })

  test('root fields that a role does not have are in no schema of it', async () => {
    const query = `{ __schema { queryType { fields { name } } subscriptionType { name } } }`
    expect(await ask(query, createSession('owner', { 'X-Hasura-User-Id': '7' }))).toEqual({
      __schema: { queryType: { fields: [{ name: 'page' }] }, subscriptionType: null },
    })
  })

  test('what is for back ends needs one', async () => {
    const mutation =
      'mutation { insert_document_one(object: {id: 50, path: "x", title: "New"}) { workspace_id } }'
    await expect(ask(mutation, member('{1}'))).rejects.toThrow('no mutations exist')
    const backend: Session = { ...member('{1}'), backendOnlyPermissions: true }
    expect(await ask(mutation, backend)).toEqual({ insert_document_one: { workspace_id: 1 } })
    await pool.query('delete from document where id = 50')
  })

  test('a function is open to whom its permissions name', async () => {
    expect(
      await ask('{ archived(args: {min_words: 5}, order_by: {id: asc}) { id } }', member('{1,2}')),
    ).toEqual({
      archived: [{ id: 1 }, { id: 4 }],
    })
    expect(await ask('{ archived { id } }', member('{2}'))).toEqual({ archived: [{ id: 4 }] })
    await expect(ask('{ archived { id } }', createSession('done', {}))).rejects.toThrow('not found')
    await expect(ask('{ my_documents { id } }', member('{1}'))).rejects.toThrow('not found')
  })
})

test('a function sees the session that it asks for, and takes the usual arguments', async () => {
  const session = createSession('admin', { 'X-Hasura-User-Id': '9' })
  expect(await ask('{ my_documents(where: {is_public: {_eq: true}}) { id } }', session)).toEqual({
    my_documents: [{ id: 4 }],
  })
})

test('views and materialized views are read, counted and joined', async () => {
  const query = `{
    public_document(order_by: {id: asc}) { title document { length } }
    document_count(order_by: {workspace_id: asc}) { workspace_id documents }
    document_count_aggregate { aggregate { sum { documents } } }
  }`
  expect(await ask(query)).toEqual({
    public_document: [
      { title: 'Handbook', document: { length: 10 } },
      { title: 'Old news', document: { length: null } },
      { title: 'Elsewhere', document: { length: 7 } },
    ],
    document_count: [
      { workspace_id: 1, documents: 3 },
      { workspace_id: 2, documents: 1 },
    ],
    document_count_aggregate: { aggregate: { sum: { documents: 4 } } },
  })
  await expect(ask('mutation { insert_document_count(objects: []) { affected_rows } }')).rejects.toThrow(
    'not found',
  )
  expect(await ask('{ public_document { title } }', createSession('anonymous', {}))).toMatchObject({
    public_document: { length: 3 },
  })
})
