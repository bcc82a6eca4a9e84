import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { startEngine } from 'hasura-embedded'
import pg from 'pg'
import { pino } from 'pino'
import { z } from 'zod'
import { applyMetadata } from './src/apply-metadata.ts'
import { median } from './src/median.ts'
import { readOptions } from './src/read-options.ts'

const usage = `npm run bench:engine-start -- [--tables 500] [--rounds 5]

How an engine copes with many tables: how long it takes from its start to its first answer, and how long a change of one
table's metadata takes, and the first request after it.`

const options = readOptions(usage, {
  tables: z.coerce.number().int().min(2).max(10_000).default(500),
  rounds: z.coerce.number().int().min(1).max(100).default(5),
})

const adminSecret = 'bench-secret'
const role = 'merchant'
const table = (number: number): string => `item_${number}`
const columns = ['id', 'merchant_id', 'parent_id', 'name', 'price', 'tags', 'attributes', 'created_at']

/** Each table belongs to the one before it. */
const createTable = (number: number): string => `
  CREATE TABLE ${table(number)} (
    id bigint PRIMARY KEY,
    merchant_id integer NOT NULL,
    parent_id bigint ${number === 0 ? '' : `REFERENCES ${table(number - 1)}`},
    name text NOT NULL,
    price numeric,
    tags text[],
    attributes jsonb,
    created_at timestamptz NOT NULL DEFAULT now()
  );`

const own = { merchant_id: 'X-Hasura-Merchant-Id' }

const tracked = (number: number): object => ({
  table: table(number),
  object_relationships:
    number === 0 ? [] : [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
  array_relationships:
    number === options.tables - 1
      ? []
      : [
          {
            name: 'children',
            using: { foreign_key_constraint_on: { table: table(number + 1), column: 'parent_id' } },
          },
        ],
  select_permissions: [{ role, permission: { columns, filter: own, allow_aggregations: true } }],
  insert_permissions: [{ role, permission: { columns, check: own } }],
  update_permissions: [{ role, permission: { columns, filter: own, check: own } }],
  delete_permissions: [{ role, permission: { filter: own } }],
})

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'engine-start-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const postgres = await startLocalPostgres({ dataDir: folder, databases: ['shop'], durable: false })
started.defer(() => postgres.stop())
const numbers = Array.from({ length: options.tables }, (_, number) => number)
const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
await pool.query(numbers.map(createTable).join(''))
await pool.end()

async function start(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const engine = await startEngine({
    databaseUrl: postgres.url,
    adminSecret,
    port: 0,
    logger: pino({ level: 'warn' }),
  })
  if (engine.url === undefined) throw new Error('the engine has no port')
  return { url: engine.url, stop: () => engine.stop() }
}

async function post(url: string, body: object, asRole?: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'x-hasura-admin-secret': adminSecret,
      'x-hasura-merchant-id': '1',
      ...(asRole === undefined ? {} : { 'x-hasura-role': asRole }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok || text.includes('"errors"')) throw new Error(text)
}

/** Milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const query = { query: `{ ${table(1)}(limit: 1) { id parent { name } } }` }
const first = await start()
await applyMetadata(first.url, adminSecret, numbers.map(tracked))
await first.stop()

const times = { start: [] as number[], answer: [] as number[], change: [] as number[], after: [] as number[] }
for (let round = 0; round < options.rounds; round += 1) {
  const began = performance.now()
  const engine = await start()
  times.start.push(performance.now() - began)
  times.answer.push(await timed(() => post(`${engine.url}/v1/graphql`, query, role)))
  for (const enabled of [false, true]) {
    const permission = { columns, filter: own, allow_aggregations: enabled }
    const args = { source: 'default', table: table(options.tables - 1), role }
    times.change.push(
      await timed(() =>
        post(`${engine.url}/v1/metadata`, {
          type: 'bulk_atomic',
          args: [
            { type: 'pg_drop_select_permission', args },
            { type: 'pg_create_select_permission', args: { ...args, permission } },
          ],
        }),
      ),
    )
    times.after.push(await timed(() => post(`${engine.url}/v1/graphql`, query, role)))
  }
  await engine.stop()
}

const line = (name: string, values: readonly number[]): void =>
  console.log(`  ${name.padEnd(40)} ${median(values).toFixed(0).padStart(7)} ms`)
console.log(`${options.tables} tables, medians of ${options.rounds} rounds`)
line('start', times.start)
line('first answer', times.answer)
line('a change of one table’s permission', times.change)
line('first answer after it', times.after)
