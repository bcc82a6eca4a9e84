import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createTestDatabase, testServerUrl } from '@commerce-graph/local-postgres/testing'
import postgres from '@commerce-graph/postgres-driver'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Catalog, catalogOf } from './catalog-of.ts'
import { compareWithMigrations } from './compare-with-migrations.ts'
import { initialMigration } from './initial-migration.ts'
import { initial, migrations } from './migrations.ts'
import { nextMigration } from './next-migration.ts'
import { orderStatements } from './order-statements.ts'
import { readSource } from './read-source.ts'

/** A source for this test, with the given files. */
function sourceOf(files: Readonly<Record<string, string>>): string {
  const source = mkdtempSync(path.join(tmpdir(), 'sql-'))
  onTestFinished(() => rmSync(source, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(source, file)), { recursive: true })
    writeFileSync(path.join(source, file), text)
  }
  return source
}

async function catalogAfter(texts: readonly string[]): Promise<Catalog> {
  const database = await createTestDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  try {
    for (const text of texts) await sql.unsafe(text)
    return await catalogOf(sql, ['shop'])
  } finally {
    await sql.end()
    await database.drop()
  }
}

describe('the source', () => {
  test('equals the sum of the migrations', async () => {
    const { different } = await compareWithMigrations(testServerUrl())
    expect(different).toEqual([])
  })

  test('equals the initial migration', async () => {
    const { up, down } = initialMigration(await readSource())
    expect(readFileSync(path.join(migrations, initial, 'up.sql'), 'utf8')).toBe(up)
    expect(readFileSync(path.join(migrations, initial, 'down.sql'), 'utf8')).toBe(down)
  })

  test('names the file of what Postgres can’t parse, and of misplaced statements', async () => {
    await expect(readSource(sourceOf({ 'shop/tables.sql': 'CREATE TABEL shop.item ();' }))).rejects.toThrow(
      'sql/shop/tables.sql',
    )
    await expect(readSource(sourceOf({ 'shop/table.sql': '' }))).rejects.toThrow('shop/table.sql')
  })
})

describe('the order of statements', () => {
  test('puts a statement’s references before it, wherever they are', async () => {
    const source = sourceOf({
      'a/tables.sql':
        'CREATE SCHEMA a; CREATE TABLE a.line (item uuid REFERENCES b.item, at text DEFAULT b.now_text());',
      'b/tables.sql': 'CREATE SCHEMA b; CREATE TABLE b.item (id uuid PRIMARY KEY);',
      'b/functions.sql': "CREATE FUNCTION b.now_text() RETURNS text LANGUAGE sql AS $$ SELECT 'now' $$;",
    })
    const ordered = orderStatements(await readSource(source)).map(({ text }) => text.split(' (')[0])
    expect(ordered.indexOf('CREATE TABLE a.line')).toBe(ordered.length - 1)
  })

  test('names two statements that need each other', async () => {
    const view = (name: string, of: string) => `CREATE VIEW a.${name} AS SELECT * FROM a.${of};`
    const source = sourceOf({ 'a/views.sql': view('one', 'two') + view('two', 'one') })
    const statements = await readSource(source)
    expect(() => orderStatements(statements)).toThrow('a.one -> a.two -> a.one')
  })
})

describe('a further migration', () => {
  const released = `
    CREATE SCHEMA shop;
    CREATE TABLE shop.item (id uuid PRIMARY KEY, price bigint NOT NULL);
    CREATE INDEX item_price ON shop.item (price);
    CREATE FUNCTION shop.price_of(p_id uuid) RETURNS bigint LANGUAGE sql AS $$ SELECT price FROM shop.item WHERE id = p_id $$;
    CREATE FUNCTION shop.stale() RETURNS bigint LANGUAGE sql AS $$ SELECT 1 $$;`
  const files = {
    'shop/tables.sql': `
      CREATE SCHEMA shop;
      CREATE TABLE shop.item (
        id uuid PRIMARY KEY, price bigint NOT NULL, name text NOT NULL DEFAULT '', CONSTRAINT item_price_check CHECK (price >= 0)
      );
      CREATE INDEX item_price ON shop.item (price, id);
      CREATE TABLE shop.tag (item_id uuid REFERENCES shop.item, tag text, PRIMARY KEY (item_id, tag));`,
    'shop/functions.sql': `
      CREATE FUNCTION shop.price_of(p_id uuid) RETURNS bigint LANGUAGE sql AS $$ SELECT max(price) FROM shop.item WHERE id = p_id $$;
      CREATE FUNCTION shop.touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;`,
    'shop/triggers.sql':
      'CREATE TRIGGER touch BEFORE UPDATE ON shop.item FOR EACH ROW EXECUTE FUNCTION shop.touch();',
  }

  test('makes the released schema equal the source: tables, columns, constraints, indexes, functions and triggers', async () => {
    const statements = await readSource(sourceOf(files))
    const before = await catalogAfter([released])
    const after = await catalogAfter([initialMigration(statements).up])
    const { up, byHand } = nextMigration(before, after, statements)
    expect(byHand).toEqual([])
    expect(await catalogAfter([released, up])).toEqual(after)
  })

  test('drops no column and no table, and changes no type, unless asked to', async () => {
    const statements = await readSource(
      sourceOf({ 'shop/tables.sql': 'CREATE SCHEMA shop; CREATE TABLE shop.item (id text PRIMARY KEY);' }),
    )
    const before = await catalogAfter([released])
    const after = await catalogAfter([initialMigration(statements).up])
    const { up, byHand } = nextMigration(before, after, statements)
    expect(byHand).toEqual(['column shop.item.price', 'column shop.item.id'])
    expect(up).not.toMatch(/DROP (TABLE|COLUMN)/)
  })
})
