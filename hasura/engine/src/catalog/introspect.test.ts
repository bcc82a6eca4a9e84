import pg from 'pg'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnumTables } from './enum-tables.ts'
import { introspect, isSameCatalog } from './introspect.ts'
import type { Catalog } from './types.ts'

let database: TestDatabase
let pool: pg.Pool
let catalog: Catalog

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  await pool.query(`
    create schema shop;
    create type shop.mood as enum ('sad', 'ok', 'happy');
    create domain shop.cents as bigint check (value >= 0);
    create table shop.author (
      id serial primary key,
      name text not null unique,
      moods shop.mood[],
      fee shop.cents,
      doubled int generated always as (2) stored,
      ticket int generated always as identity,
      dropped int,
      note text
    );
    alter table shop.author drop column dropped;
    comment on table shop.author is 'writes';
    comment on column shop.author.note is 'private';
    create table shop.article (
      author_id int, id int, editor_id int references shop.author (id), original_author int, original_id int,
      primary key (author_id, id),
      foreign key (original_author, original_id) references shop.article (author_id, id),
      check (id > 0)
    );
    create unique index article_by_editor on shop.article (editor_id, id);
    create view shop.writer as select id, name from shop.author;
    create view shop.statistics as select count(*) from shop.author;
    create function shop.articles_of(author_row shop.author, prefix text default '', extra int default 1)
      returns setof shop.article language sql stable as 'select * from shop.article where author_id = author_row.id';
    create function shop.overloaded(a int) returns int language sql immutable as 'select a';
    create function shop.overloaded(a text) returns text language sql immutable as 'select a';
    create table public.colour (value text primary key, comment text);
    insert into public.colour values ('red', 'warm'), ('blue', null);
  `)
  catalog = await readEnumTables(pool, await introspect(pool), [{ schema: 'public', name: 'colour' }])
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const base = (name: string) => ({ category: 'base', schema: 'pg_catalog', name })

describe('introspect', () => {
  test('returns columns with their types, down to element and base type', () => {
    const author = catalog.tables.get('shop.author')
    expect(author).toMatchObject({ kind: 'table', comment: 'writes', insertable: true })
    expect(
      author?.columns.map(({ name, type, nullable, hasDefault, generated, identity, comment }) => ({
        name,
        type,
        nullable,
        hasDefault,
        generated,
        identity,
        comment,
      })),
    ).toMatchObject([
      { name: 'id', type: base('int4'), nullable: false, hasDefault: true },
      { name: 'name', type: base('text'), nullable: false, hasDefault: false },
      {
        name: 'moods',
        type: {
          category: 'array',
          name: '_mood',
          element: { category: 'enum', schema: 'shop', name: 'mood' },
        },
      },
      { name: 'fee', type: { category: 'domain', name: 'cents', base: base('int8') } },
      { name: 'doubled', generated: true },
      { name: 'ticket', identity: 'always' },
      { name: 'note', comment: 'private' },
    ])
    expect(catalog.enums.get('shop.mood')?.values).toEqual(['sad', 'ok', 'happy'])
  })

  test('returns keys with their columns in order', () => {
    const article = catalog.tables.get('shop.article')
    expect(article?.primaryKey).toEqual({ constraint: 'article_pkey', columns: ['author_id', 'id'] })
    expect(article?.uniqueConstraints).toEqual([
      { constraint: 'article_by_editor', columns: ['editor_id', 'id'] },
    ])
    expect(article?.foreignKeys).toContainEqual({
      constraint: 'article_original_author_original_id_fkey',
      columns: ['original_author', 'original_id'],
      refTable: { schema: 'shop', name: 'article' },
      refColumns: ['author_id', 'id'],
    })
    expect(article?.checkConstraints).toEqual([
      { constraint: 'article_id_check', expression: 'CHECK (id > 0)' },
    ])
  })

  test('knows which views can be written through', () => {
    expect(catalog.tables.get('shop.writer')).toMatchObject({
      kind: 'view',
      insertable: true,
      updatable: true,
    })
    expect(catalog.tables.get('shop.statistics')).toMatchObject({
      insertable: false,
      updatable: false,
      deletable: false,
    })
  })

  test('returns functions with overloads, defaults and the tables they take and return', () => {
    expect(catalog.functions.get('shop.articles_of')).toMatchObject([
      {
        volatility: 'stable',
        returnsSet: true,
        returnsTable: { schema: 'shop', name: 'article' },
        arguments: [
          { name: 'author_row', table: { schema: 'shop', name: 'author' }, hasDefault: false },
          { name: 'prefix', table: undefined, hasDefault: true },
          { name: 'extra', hasDefault: true },
        ],
      },
    ])
    expect(catalog.functions.get('shop.overloaded')).toHaveLength(2)
  })

  test('reads the rows of enum tables in order', () => {
    expect(catalog.enumTables.get('public.colour')).toEqual([
      { value: 'blue', comment: undefined },
      { value: 'red', comment: 'warm' },
    ])
  })
})

describe('a catalog that was read before', () => {
  test('is the answer while nothing but rows and statistics change', async () => {
    const before = await introspect(pool)
    await pool.query("insert into shop.author (name) values ('Ada')")
    await pool.query('analyze shop.author')
    await pool.query('vacuum shop.author')
    expect(await introspect(pool, before)).toBe(before)
  })

  test('tells the same after a change that it doesn’t tell of', async () => {
    const before = await introspect(pool)
    await pool.query('create index author_by_note on shop.author (note)')
    const after = await introspect(pool, before)
    expect(isSameCatalog(after, before)).toBe(true)
    expect(await introspect(pool, after)).toBe(after)
  })

  test.each([
    'alter table shop.author add column born date default now()',
    'alter table shop.author alter column born set not null',
    'alter table shop.author alter column born drop default',
    'alter table shop.author rename column born to birthday',
    'alter table shop.author drop column birthday',
    'comment on column shop.author.note is null',
    "comment on table shop.author is 'writes well'",
    "alter type shop.mood add value 'merry'",
    'create unique index author_by_fee on shop.author (fee)',
    'drop index shop.author_by_fee',
    'alter table shop.article drop constraint article_editor_id_fkey',
    'alter table shop.article add check (author_id > 0)',
    'create table shop.empty ()',
    'drop table shop.empty',
    'create or replace function shop.overloaded(a int) returns int language sql volatile as $$ select a $$',
    "comment on function shop.overloaded(int) is 'the same number'",
    'drop function shop.overloaded(text)',
    'create rule no_counting as on insert to shop.statistics do instead nothing',
    'drop rule no_counting on shop.statistics',
    'alter schema shop rename to store',
    'alter schema store rename to shop',
  ])('is read anew after %s', async (sql) => {
    const before = await introspect(pool)
    await pool.query(sql)
    const after = await introspect(pool, before)
    expect(after.document).not.toBe(before.document)
    expect(after.document).toBe((await introspect(pool)).document)
  })

  test('is the answer after a change that was rolled back', async () => {
    const before = await introspect(pool)
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('alter table shop.author add column born date')
      expect(isSameCatalog(await introspect(client, before), before)).toBe(false)
      await client.query('rollback')
    } finally {
      client.release()
    }
    expect(await introspect(pool, before)).toBe(before)
  })
})
