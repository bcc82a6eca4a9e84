import pg from 'pg'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnumTables } from '../catalog/enum-tables.ts'
import { introspect } from '../catalog/introspect.ts'
import type { Catalog } from '../catalog/types.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { buildSnapshot } from './build-snapshot.ts'
import { rootFieldConflict } from './root-field-conflict.ts'

let database: TestDatabase
let catalog: Catalog

beforeAll(async () => {
  database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: database.url })
  await pool.query(`
    create table author (id serial primary key, name text not null);
    create table article (id serial primary key, title text, author_id int references author (id));
    create table hidden (id int primary key, author_id int references author (id));
    create table empty_enum (value text primary key);
    create table wrong_enum (id int primary key, a text, b text);
    create function loud(author_row author) returns text language sql stable as 'select upper(author_row.name)';
    create function of_article(article_row article) returns text language sql stable as 'select article_row.title';
    create function random_author() returns setof author language sql volatile as 'select * from author';
    create function number() returns int language sql stable as 'select 1';
    create function twice(a int) returns setof author language sql stable as 'select * from author';
    create function twice(a text) returns setof author language sql stable as 'select * from author';
    create function hidden_rows() returns setof hidden language sql stable as 'select * from hidden';
  `)
  const enums = ['empty_enum', 'wrong_enum'].map((name) => ({ schema: 'public', name }))
  catalog = await readEnumTables(pool, await introspect(pool), enums)
  await pool.end()
})

afterAll(() => database.drop())

function snapshotOf(
  tables: readonly Record<string, unknown>[],
  source: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Snapshot {
  const document = {
    version: 3,
    sources: [{ name: 'default', kind: 'postgres', tables, ...source }],
    ...more,
  }
  return buildSnapshot(metadataSchema.parse(document), catalog, 1)
}

const reasons = ({ inconsistencies }: Snapshot) =>
  inconsistencies.map(({ name, reason }) => `${name}: ${reason.replace('Inconsistent object: ', '')}`)

const author = { table: 'author' }
const article = { table: 'article' }
const on = (key: unknown) => ({ foreign_key_constraint_on: key })

const receipt = {
  name: 'Receipt',
  fields: [
    { name: 'id', type: 'Int' },
    { name: 'line', type: 'Line' },
  ],
}
const line = { name: 'Line', fields: [{ name: 'id', type: 'Int' }] }
const toAuthor = { name: 'author', type: 'object', remote_table: 'author', field_mapping: { id: 'id' } }

describe('buildSnapshot', () => {
  test('checks nothing until its result is read, and then once', () => {
    let reads = 0
    const counted = {
      ...catalog,
      get tables() {
        reads += 1
        return catalog.tables
      },
    }
    const document = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [author] }] }
    const snapshot = buildSnapshot(metadataSchema.parse(document), counted, 1)
    expect(snapshot.storedMetadata.sources[0]?.tables).toHaveLength(1)
    expect(reads).toBe(0)
    expect(snapshot.metadata.sources[0]?.tables).toHaveLength(1)
    const afterOne = reads
    expect(snapshot.inconsistencies).toEqual([])
    expect(reads).toBe(afterOne)
  })

  test('keeps what fits, reports the rest, and stores both', () => {
    const snapshot = snapshotOf([
      author,
      { table: 'gone', object_relationships: [{ name: 'a', using: on('b') }] },
    ])
    expect(reasons(snapshot)).toEqual([
      'table gone in source default: no such table/view exists in source: "gone"',
    ])
    expect(snapshot.metadata.sources[0]?.tables).toHaveLength(1)
    expect(snapshot.storedMetadata.sources[0]?.tables).toHaveLength(2)
  })

  test.each([
    [
      'a column without a foreign key',
      { ...article, object_relationships: [{ name: 'x', using: on('title') }] },
      'object_relation x in table article in source default: in table "article": in relationship "x": no foreign constraint exists on the given column',
    ],
    [
      'a table that is not tracked',
      {
        ...author,
        array_relationships: [{ name: 'x', using: on({ table: 'hidden', column: 'author_id' }) }],
      },
      'array_relation x in table author in source default: in table "author": in relationship "x": table "hidden" does not exist',
    ],
    [
      'a mapping to a column that does not exist',
      {
        ...author,
        array_relationships: [
          {
            name: 'x',
            using: { manual_configuration: { remote_table: 'article', column_mapping: { id: 'writer' } } },
          },
        ],
      },
      'array_relation x in table author in source default: table "article" has no field named "writer"',
    ],
    [
      'the name of a column',
      { ...article, object_relationships: [{ name: 'title', using: on('author_id') }] },
      'object_relation title in table article in source default: field definition conflicts with postgres column',
    ],
  ])('refuses a relationship over %s', (_, table, reason) => {
    const others = [author, article].filter((each) => each.table !== table.table)
    expect(reasons(snapshotOf([table, ...others]))).toEqual([reason])
  })

  test('a permission through a relationship that is broken is broken, too', () => {
    const snapshot = snapshotOf([
      {
        ...article,
        object_relationships: [{ name: 'author', using: on('author_id') }],
        select_permissions: [{ role: 'user', permission: { columns: '*', filter: { author: { id: 1 } } } }],
      },
    ])
    expect(reasons(snapshot)).toEqual([
      'object_relation author in table article in source default: table "author" is not tracked',
      'select_permission user in table article in source default: in table "article": in permission for role "user": "author" does not exist',
    ])
  })

  test.each([
    [{ name: 'x', definition: { function: 'gone' } }, /no such function exists in source: "gone"/],
    [{ name: 'x', definition: { function: 'of_article' } }, /is not COMPOSITE type of table "author"/],
    [
      { name: 'x', definition: { function: 'loud', session_argument: 'who' } },
      /"who" is not an input argument of "loud" function/,
    ],
    [{ name: 'name', definition: { function: 'loud' } }, /field definition conflicts with postgres column/],
  ])('refuses the computed field %o', (field, reason) => {
    expect(reasons(snapshotOf([{ ...author, computed_fields: [field] }]))).toEqual([
      expect.stringMatching(reason) as string,
    ])
  })

  test.each([
    [{ function: 'gone' }, /no such function exists in source: "gone"/],
    [{ function: 'twice' }, /function "twice" is overloaded/],
    [{ function: 'number' }, /does not return a "COMPOSITE" type/],
    [{ function: 'hidden_rows' }, /table "hidden" is not tracked/],
  ])('refuses the function %o', (fn, reason) => {
    expect(reasons(snapshotOf([author], { functions: [fn] }))).toEqual([
      expect.stringMatching(reason) as string,
    ])
  })

  test('reports why a table is no enum', () => {
    expect(reasons(snapshotOf([{ table: 'empty_enum', is_enum: true }]))).toEqual([
      'table empty_enum in source default: the table "empty_enum" cannot be used as an enum because the table is empty',
    ])
    expect(reasons(snapshotOf([{ table: 'wrong_enum', is_enum: true }]))[0]).toContain(
      '• the table’s primary key ("id") must have type "text", not type "integer"',
    )
  })

  test('one inconsistent custom type makes all of them inconsistent, and the actions that use them', () => {
    const action = { name: 'pay', definition: { handler: 'http://localhost', output_type: 'Receipt' } }
    const types = (type: string) => ({ objects: [{ name: 'Receipt', fields: [{ name: 'id', type }] }] })
    expect(reasons(snapshotOf([], {}, { custom_types: types('uuid!'), actions: [action] }))).toEqual([])
    expect(reasons(snapshotOf([], {}, { custom_types: types('uuuid!'), actions: [action] }))).toEqual([
      'custom_types custom_types: validation for the given custom types failed because the type "uuuid" for field "id" in  object type "Receipt" does not exist',
      'action pay: in action "pay"; the type: "Receipt" is not an object or scalar type defined in custom types',
    ])
  })

  test.each([
    [
      { scalars: [{ name: 'A' }], enums: [{ name: 'A', values: [{ value: 'x' }, { value: 'x' }] }] },
      'for the following reasons:\n  • duplicate type names: "A"\n  • the enum type "A" has duplicate values: "x"\n',
    ],
    [
      {
        input_objects: [
          {
            name: 'In',
            fields: [
              { name: 'a', type: 'Int' },
              { name: 'a', type: 'Int' },
            ],
          },
        ],
      },
      'because the input object "In" has duplicate fields: "a"',
    ],
    [
      { objects: [{ name: 'Out', fields: [{ name: 'a', type: 'Int', arguments: [] }] }] },
      `because the object "Out" can't have arguments`,
    ],
    [
      { objects: [line, { ...receipt, relationships: [{ ...toAuthor, remote_table: 'gone' }] }] },
      'because the remote table "gone" for relationship "author" of object type "Receipt" does not exist',
    ],
    [
      { objects: [line, { ...receipt, relationships: [{ ...toAuthor, field_mapping: { none: 'gone' } }] }] },
      'for the following reasons:\n  • the field "none" for relationship "author" in object type "Receipt" does not exist\n' +
        '  • the column "gone" of remote table "author" for relationship "author" of object type "Receipt" does not exist\n',
    ],
  ])('reports inconsistent custom types: %j', (custom_types, reason) => {
    expect(reasons(snapshotOf([author], {}, { custom_types }))).toEqual([
      `custom_types custom_types: validation for the given custom types failed ${reason}`,
    ])
  })

  test('a relationship of an action’s answer must start from a scalar field', () => {
    const definition = { handler: 'http://localhost', output_type: 'Receipt', type: 'query' }
    const customTypes = {
      objects: [{ ...receipt, relationships: [{ ...toAuthor, field_mapping: { line: 'id' } }] }, line],
    }
    expect(
      reasons(
        snapshotOf([author], {}, { custom_types: customTypes, actions: [{ name: 'pay', definition }] }),
      ),
    ).toEqual([
      'action pay: in action "pay"; Relationships cannot be defined with nested object fields: "author"',
    ])
  })

  test('a lone source may have any name; a second one is not served', () => {
    expect(reasons(snapshotOf([author], { name: 'shop' }))).toEqual([])
    const second = { name: 'other', kind: 'mssql', tables: [] }
    const both = metadataSchema.parse({
      version: 3,
      sources: [{ name: 'default', tables: [author] }, second],
    })
    expect(reasons(buildSnapshot(both, catalog, 1))).toEqual([
      'source other: the embedded engine has one database, and it is a Postgres; the source is of the kind "mssql"',
    ])
    const beside = metadataSchema.parse({
      version: 3,
      sources: [
        { name: 'shop', tables: [author] },
        { ...second, tables: [{ table: ['dbo', 'a'] }] },
      ],
    })
    expect(buildSnapshot(beside, catalog, 1).metadata.sources).toMatchObject([{ name: 'shop', tables: [{}] }])
  })

  test('reports two tables with one root field', () => {
    const clash = snapshotOf([author, { ...article, configuration: { custom_name: 'author' } }])
    expect(rootFieldConflict(clash)).toContain(
      'found duplicate fields in selection set for mutation root: insert_author',
    )
    expect(rootFieldConflict(snapshotOf([author, article]))).toBeUndefined()
    const stream = { custom_root_fields: { select: 'author_stream' } }
    expect(rootFieldConflict(snapshotOf([author, { ...article, configuration: stream }]))).toBe(
      'found duplicate fields in selection set for subscription root: author_stream',
    )
  })
})
