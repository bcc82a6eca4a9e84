import { loadContract } from '@commerce-graph/contract'
import { isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Queryable } from '../database.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

interface Topic {
  readonly name: string
  readonly source: string
  readonly change: 'CREATED' | 'UPDATED' | 'DELETED'
  readonly column_name: string | null
  readonly value: string | null
}

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

class Undone extends Error {}

/**
 * The topics of what happens when a row of the source is inserted, changed and deleted. The row is in a copy of the table without
 * NOT NULL, but with the CHECKs of each column: so a value that the column can't have is refused.
 */
async function topicsOf(topic: Topic): Promise<readonly string[]> {
  let topics: readonly string[] = []
  const { merchantId } = merchant
  await shop.database
    .begin(async (sql) => {
      const [source] = await sql<{ table_name: string; id_column: string; columns: string[] }[]>`
        SELECT table_name, id_column, columns FROM events.source WHERE name = ${topic.source}`
      if (source === undefined) throw new Error(`${topic.name} has no source`)
      await sql.unsafe(`CREATE TABLE events.probe (LIKE ${source.table_name} INCLUDING CONSTRAINTS)`)
      await sql`
        DO $$ DECLARE c text; BEGIN
          FOR c IN SELECT attname FROM pg_attribute WHERE attrelid = 'events.probe'::regclass AND attnum > 0 AND attnotnull LOOP
            EXECUTE format('ALTER TABLE events.probe ALTER %I DROP NOT NULL', c);
          END LOOP;
          FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'events.probe'::regclass AND array_length(conkey, 1) > 1 LOOP
            EXECUTE format('ALTER TABLE events.probe DROP CONSTRAINT %I', c);
          END LOOP;
        END $$`
      await sql`UPDATE events.source SET table_name = 'events.probe' WHERE name = ${topic.source}`
      await sql`SELECT events.watch(s) FROM events.source s WHERE s.name = ${topic.source}`
      await sql`DELETE FROM events.change`
      await sql.unsafe(
        `INSERT INTO events.probe (merchant_id, "${source.id_column}") VALUES ($1, gen_random_uuid())`,
        [merchantId],
      )
      const column = topic.column_name
      if (column !== null)
        await sql.unsafe(`UPDATE events.probe SET "${column}" = ${await sampleOf(sql, column, topic.value)}`)
      else if (topic.change === 'UPDATED') {
        const first =
          source.columns.find((one) => /name|_id$|amount|phone|line1/.test(one)) ?? source.columns[0] ?? ''
        await sql.unsafe(`UPDATE events.probe SET "${first}" = ${await sampleOf(sql, first, null)}`)
      }
      await sql`DELETE FROM events.probe`
      await sql`SELECT events.sequence(100)`
      const rows = await sql<
        { topic: string }[]
      >`SELECT topic FROM events.event WHERE merchant_id = ${merchantId}`
      topics = rows.map((row) => row.topic)
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  return topics
}

async function sampleOf(sql: Queryable, column: string, value: string | null): Promise<string> {
  const [type] = await sql<{ name: string }[]>`
    SELECT atttypid::regtype::text AS name FROM pg_attribute
    WHERE attrelid = 'events.probe'::regclass AND attname = ${column}`
  const samples: Readonly<Record<string, string>> = {
    uuid: 'gen_random_uuid()',
    'timestamp with time zone': 'now()',
    bigint: '1',
    integer: '1',
  }
  return value === null ? (samples[type?.name ?? ''] ?? "'sample'") : `'${value}'`
}

describe('every topic', () => {
  test('comes from a change of its table that the table allows', async () => {
    const topics = await shop.database<
      Topic[]
    >`SELECT * FROM events.topic WHERE source <> 'stock_crossing' ORDER BY name`
    expect(topics.length).toBeGreaterThan(100)
    for (const topic of topics) expect(await topicsOf(topic), topic.name).toContain(topic.name)
  })

  test('has its trigger on the table itself', async () => {
    const missing = await shop.database`
      SELECT t.name FROM events.topic t JOIN events.source s ON s.name = t.source
      WHERE NOT EXISTS (
        SELECT FROM pg_trigger g WHERE g.tgrelid = s.table_name::regclass AND g.tgname = 'event_' || lower(t.change))`
    expect(missing).toEqual([])
  })

  test('needs a permission that there is, and is about a type that has a key', async () => {
    const sources = await shop.database<{ name: string; permission: string | null; record_type: string }[]>`
      SELECT s.name, p.name AS permission, s.record_type FROM events.source s LEFT JOIN merchant.permission p ON p.name = s.permission`
    const { federation } = loadContract()
    expect(sources.filter((one) => one.permission === null)).toEqual([])
    expect(sources.filter((one) => !federation.entities.includes(one.record_type))).toEqual([])
  })

  test("shows columns only that are fields of the contract's type, so no secret", async () => {
    const sources = await shop.database<{ name: string; type: string; fields: string[] }[]>`
      SELECT s.name, coalesce(s.row_type, s.record_type) AS type, ARRAY(SELECT events.field_name(c) FROM unnest(s.columns) c) AS fields
      FROM events.source s`
    const { schema } = loadContract()
    const unknown = sources.flatMap(({ name, type, fields }) => {
      const object = schema.getType(type)
      const known = isObjectType(object) ? object.getFields() : {}
      return fields
        .filter((field) => !known[field] && !known[field.replace(/Id$/, '')])
        .map((field) => `${name}.${field}`)
    })
    expect(unknown).toEqual([])
  })

  test("is in the SDL's list", async () => {
    const topics = await shop.database<
      { name: string }[]
    >`SELECT name FROM events.topic ORDER BY name COLLATE "C"`
    const event = loadContract().schema.getType('Event')
    const description = isObjectType(event) ? (event.getFields()['topic']?.description ?? '') : ''
    expect([...description.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name]) => name).sort()).toEqual(
      topics.map(({ name }) => name),
    )
  })
})
