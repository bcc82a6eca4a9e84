import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Engine, startEngine } from '../engine.ts'
import { createSession } from '../session/types.ts'
import type { EventSettings } from './engine-events.ts'
import { type WebhookReceiver, startReceiver } from './testing/webhook-receiver.ts'

let database: TestDatabase
let pool: pg.Pool
let receiver: WebhookReceiver
let engines: Engine[]

beforeEach(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  pool.on('error', () => undefined)
  await pool.query(`create table product (
    id serial primary key, name text not null, stock int not null default 0, price bigint, notes json)`)
  receiver = await startReceiver()
  engines = []
})

afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()))
  await receiver.close()
  await pool.end()
  await database.drop()
})

const start = async (
  events: Partial<EventSettings> = {},
  options: { readonly stringifyNumericTypes?: boolean } = {},
): Promise<Engine> => {
  const engine = await startEngine({
    databaseUrl: database.url,
    adminSecret: 'secret',
    port: 0,
    poolSize: 5,
    env: { HOOKS: receiver.url, HOOK: `${receiver.url}/from-env`, HOOK_SECRET: 's3cret' },
    events: { fetchIntervalMs: 20, ...events },
    logger: pino({ level: 'silent' }),
    ...options,
  })
  engines.push(engine)
  return engine
}

const command = async (engine: Engine, type: string, args: unknown): Promise<unknown> => {
  const endpoint = type === 'run_sql' ? '/v2/query' : '/v1/metadata'
  const answer = await fetch(`${engine.url ?? ''}${endpoint}`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': 'secret' },
    body: JSON.stringify({ type, args }),
  })
  return answer.json()
}

const trigger = {
  name: 'product_changed',
  table: 'product',
  webhook: '{{HOOKS}}/product',
  insert: { columns: '*' },
  update: { columns: ['stock'] },
  delete: { columns: '*' },
}

const track = async (engine: Engine, more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
  await command(engine, 'pg_track_table', { table: 'product' })
  expect(await command(engine, 'pg_create_event_trigger', { ...trigger, ...more })).toEqual({
    message: 'success',
  })
}

const run = async (engine: Engine, query: string, session = createSession('admin', {})): Promise<void> => {
  expect(await engine.execute({ query }, session)).toMatchObject({ kind: 'data' })
}

const logRows = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await pool.query('select * from hdb_catalog.event_log order by created_at, id')).rows as Record<
    string,
    unknown
  >[]

const settled = async (count: number): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const deadline = Date.now() + 10_000
  for (;;) {
    const rows = await logRows()
    if (rows.filter((row) => row.delivered === true || row.error === true).length >= count) return rows
    if (Date.now() > deadline) throw new Error(`not settled: ${JSON.stringify(rows)}`)
    await sleep(10)
  }
}

test('an insert reaches the webhook with the row, the session and the configured headers', async () => {
  const engine = await start()
  await track(engine, {
    headers: [
      { name: 'x-secret', value_from_env: 'HOOK_SECRET' },
      { name: 'x-kind', value: 'product' },
    ],
    retry_conf: { num_retries: 3 },
  })
  const session = createSession('admin', { 'X-Hasura-User-Id': '7' })
  await run(
    engine,
    'mutation { insert_product_one(object: {name: "Tea", price: 9007199254740993}) { id } }',
    session,
  )
  const [call] = await receiver.received(1)
  expect(call).toMatchObject({
    path: '/product',
    headers: { 'content-type': 'application/json', 'x-secret': 's3cret', 'x-kind': 'product' },
    body: {
      trigger: { name: 'product_changed' },
      table: { schema: 'public', name: 'product' },
      event: {
        op: 'INSERT',
        data: { old: null, new: { id: 1, name: 'Tea', stock: 0, notes: null } },
        session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': '7' },
      },
      delivery_info: { current_retry: 0, max_retries: 3 },
    },
  })
  expect(call?.text).toContain('9007199254740993')
  const [event] = await settled(1)
  expect(event).toMatchObject({ id: call?.body.id, delivered: true, error: false, tries: 1, locked: null })
  expect(Date.parse(String(call?.body.created_at))).toBeGreaterThan(Date.now() - 60_000)
  const { rows } = await pool.query('select * from hdb_catalog.event_invocation_logs')
  expect(rows).toMatchObject([
    {
      event_id: call?.body.id,
      trigger_name: 'product_changed',
      status: 200,
      request: {
        payload: call?.body,
        headers: [
          { name: 'x-secret', value_from_env: 'HOOK_SECRET' },
          { name: 'x-kind', value: 'product' },
        ],
        version: '2',
      },
      response: { type: 'webhook_response', data: { status: 200, body: '{}' }, version: '2' },
    },
  ])
})

test('an update counts when a column that is listened to changes, and only the payload is sent', async () => {
  const engine = await start()
  await track(engine, { update: { columns: ['stock', 'notes'], payload: ['id', 'stock'] } })
  await pool.query(`insert into product (name, notes) values ('Tea', '{"a": 1}')`)
  await receiver.received(1)
  await run(
    engine,
    'mutation { update_product(where: {}, _set: {name: "Green tea", stock: 0}) { affected_rows } }',
  )
  await run(engine, 'mutation { update_product(where: {}, _set: {stock: 5}) { affected_rows } }')
  await run(engine, 'mutation { delete_product(where: {}) { affected_rows } }')
  const calls = await receiver.received(3)
  expect(calls.map(({ body }) => body.event).slice(1)).toMatchObject([
    { op: 'UPDATE', data: { old: { id: 1, stock: 0 }, new: { id: 1, stock: 5 } } },
    { op: 'DELETE', data: { old: { name: 'Green tea', stock: 5 }, new: null } },
  ])
  expect(calls[1]?.body.event).toHaveProperty('data.new', { id: 1, stock: 5 })
})

test('rows that others write cause events without a session, in the same transaction or not at all', async () => {
  const engine = await start()
  await track(engine)
  const client = await pool.connect()
  await client.query('begin')
  await client.query(`insert into product (name) values ('never')`)
  await client.query('rollback')
  await client.query(`insert into product (name) values ('Tea')`)
  client.release()
  const [call] = await receiver.received(1)
  expect(call?.body.event).toMatchObject({ data: { new: { name: 'Tea' } }, session_variables: null })
  await settled(1)
  expect(receiver.calls).toHaveLength(1)
})

test('each of several mutations in a transaction, and each of two sessions, has its own variables', async () => {
  const engine = await start()
  await track(engine)
  const one = '(object: {name: "Tea"}) { id }'
  const user = (id: string) => createSession('admin', { 'X-Hasura-User-Id': id })
  await run(engine, `mutation { a: insert_product_one${one} b: insert_product_one${one} }`, user('1'))
  await run(engine, `mutation { a: insert_product_one${one} }`, user('2'))
  const calls = await receiver.received(3)
  expect(
    calls
      .map(
        ({ body }) =>
          (body.event as { session_variables: Record<string, string> }).session_variables['x-hasura-user-id'],
      )
      .toSorted(),
  ).toEqual(['1', '1', '2'])
})

test('a session is not left behind on the connection', async () => {
  const engine = await start()
  await command(engine, 'run_sql', {
    sql: `create function whoami(product) returns text language sql stable as $$ select current_setting('hasura.user', true) $$`,
  })
  await track(engine)
  await command(engine, 'pg_add_computed_field', {
    table: 'product',
    name: 'whoami',
    definition: { function: 'whoami' },
  })
  const seen = async (query: string): Promise<unknown> => {
    const result = await engine.execute({ query }, createSession('admin', { 'X-Hasura-User-Id': '7' }))
    return result.kind === 'data' ? JSON.parse(result.json) : result
  }
  for (let round = 0; round < 5; round += 1) {
    await run(engine, 'mutation { insert_product_one(object: {name: "Tea"}) { id } }')
    const { product } = (await seen('{ product(limit: 1) { whoami } }')) as {
      product: { whoami: string | null }[]
    }
    expect(product[0]?.whoami ?? '').toBe('')
  }
})

test('a failure is tried again after the interval, and at last counts as an error', async () => {
  const engine = await start()
  await track(engine, { retry_conf: { num_retries: 2, interval_sec: 0, timeout_sec: 1 } })
  receiver.answer = () => ({ status: 500, body: 'down' })
  await pool.query(`insert into product (name) values ('Tea')`)
  const [event] = await settled(1)
  expect(event).toMatchObject({ delivered: false, error: true, tries: 3, locked: null })
  expect(receiver.calls.map(({ body }) => body.delivery_info)).toEqual([
    { current_retry: 0, max_retries: 2 },
    { current_retry: 1, max_retries: 2 },
    { current_retry: 2, max_retries: 2 },
  ])
})

test('a handler that does not answer in time, and a variable that is not set, are failures that are logged', async () => {
  const engine = await start()
  await track(engine, { retry_conf: { num_retries: 0, timeout_sec: 1 } })
  await command(engine, 'pg_create_event_trigger', { ...trigger, name: 'nowhere', webhook: '{{NOT_SET}}/x' })
  receiver.answer = () => ({ status: 200, delayMs: 3_000 })
  await pool.query(`insert into product (name) values ('Tea')`)
  await settled(2)
  const { rows } = await pool.query(
    `select trigger_name, status, response->'data'->>'message' as message from hdb_catalog.event_invocation_logs order by 1`,
  )
  expect(rows).toEqual([
    { trigger_name: 'nowhere', status: 1000, message: "environment variable 'NOT_SET' not set" },
    { trigger_name: 'product_changed', status: 1000, message: 'ResponseTimeout' },
  ])
})

test('Retry-After is obeyed, even when the retries are used up', async () => {
  const engine = await start()
  await track(engine, { retry_conf: { num_retries: 0 } })
  receiver.answer = () =>
    receiver.calls.length === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 200 }
  const before = Date.now()
  await pool.query(`insert into product (name) values ('Tea')`)
  const [event] = await settled(1)
  expect(event).toMatchObject({ delivered: true, tries: 2 })
  expect(Date.now() - before).toBeGreaterThan(900)
})

test('no more webhooks are called at once than configured, and a slow one does not hold up the others', async () => {
  const engine = await start({ concurrency: 3, fetchBatchSize: 2 })
  await track(engine)
  receiver.answer = ({ body }) => ({
    status: 200,
    delayMs: (body.event as { data: { new: { stock: number } } }).data.new.stock === 0 ? 1_000 : 5,
  })
  await pool.query(`insert into product (name, stock) select 'p', i from generate_series(0, 30) i`)
  await receiver.received(31)
  expect(receiver.mostOpen).toBe(3)
  const rows = await settled(31)
  expect(new Set(receiver.calls.map(({ body }) => body.id)).size).toBe(31)
  expect(rows.every(({ tries }) => tries === 1)).toBe(true)
})

test('several engines share the events: each is delivered once', async () => {
  const first = await start()
  await track(first)
  await start()
  await start()
  await pool.query(`insert into product (name) select 'p' from generate_series(1, 200)`)
  await settled(200)
  expect(receiver.calls).toHaveLength(200)
})

test('stopping lets deliveries end, and gives back at once what takes too long', async () => {
  const engine = await start({ graceMs: 300, concurrency: 2 })
  await track(engine)
  receiver.answer = () => ({ status: 200, delayMs: receiver.calls.length === 1 ? 100 : 5_000 })
  await pool.query(`insert into product (name) select 'p' from generate_series(1, 10)`)
  await receiver.received(2)
  await engine.stop()
  engines = []
  const rows = await logRows()
  expect(rows.filter(({ delivered }) => delivered === true)).toHaveLength(1)
  expect(
    rows.filter(({ delivered, locked, tries }) => delivered === false && locked === null && tries === 0),
  ).toHaveLength(9)
})

test('delivery waits until it is asked for, where that is configured', async () => {
  const engine = await start({ delivery: 'when-asked' })
  await track(engine)
  await pool.query(`insert into product (name) values ('Tea')`)
  await sleep(100)
  expect(receiver.calls).toHaveLength(0)
  engine.startDelivery()
  await receiver.received(1)
})

test('triggers of the database follow the metadata and the table', async () => {
  const engine = await start()
  await track(engine)
  const installed = async (): Promise<readonly string[]> =>
    (
      await pool.query<{ name: string }>(
        `select tgrelid::regclass || ' ' || tgname as name from pg_trigger where not tgisinternal order by 1`,
      )
    ).rows.map(({ name }) => name)
  const all = ['DELETE', 'INSERT', 'UPDATE'].map(
    (operation) => `product notify_hasura_product_changed_${operation}`,
  )
  expect(await installed()).toEqual(all)
  await command(engine, 'run_sql', { sql: 'alter table product add column colour text' })
  await command(engine, 'run_sql', { sql: 'alter table product rename column stock to quantity' })
  await command(engine, 'run_sql', { sql: 'alter table product rename to ware' })
  expect(await installed()).toEqual(all.map((name) => name.replace('product ', 'ware ')))
  await pool.query(`insert into ware (name, colour) values ('Tea', 'green')`)
  await pool.query(`update ware set quantity = 1`)
  const calls = await receiver.received(2)
  expect(calls[0]?.body).toMatchObject({
    table: { name: 'ware' },
    event: { data: { new: { colour: 'green' } } },
  })
  expect(await command(engine, 'run_sql', { sql: 'alter table ware drop column quantity' })).toMatchObject({
    code: 'dependency-error',
    error:
      'cannot drop due to the following dependent objects: event-trigger ware.product_changed in source "default"',
  })
  await command(engine, 'pg_delete_event_trigger', { name: 'product_changed' })
  expect(await installed()).toEqual([])
  expect((await logRows()).every(({ archived }) => archived)).toBe(true)
})

test('numbers are texts where the engine is told so', async () => {
  const engine = await start({}, { stringifyNumericTypes: true })
  await track(engine)
  await pool.query(`insert into product (name, price) values ('Tea', 12)`)
  const [call] = await receiver.received(1)
  expect(call?.body.event).toMatchObject({ data: { new: { price: '12', stock: 0 } } })
})

test('manual events, redelivery and logs', async () => {
  const engine = await start()
  await track(engine, { enable_manual: true })
  const { event_id: id } = (await command(engine, 'pg_invoke_event_trigger', {
    name: 'product_changed',
    payload: { hello: 'world' },
  })) as { event_id: string }
  const [call] = await receiver.received(1)
  expect(call?.body).toMatchObject({
    id,
    event: { op: 'MANUAL', data: { hello: 'world' }, session_variables: { 'x-hasura-role': 'admin' } },
  })
  await settled(1)
  expect(await command(engine, 'pg_redeliver_event', { event_id: id })).toEqual({ message: 'success' })
  await receiver.received(2)
  await settled(1)
  expect(await command(engine, 'pg_get_event_by_id', { event_id: id })).toMatchObject({ event: { id } })
  expect(
    await command(engine, 'pg_get_event_logs', { name: 'product_changed', status: 'processed' }),
  ).toMatchObject([{ id }])
  expect(await command(engine, 'pg_get_event_invocation_logs', { name: 'product_changed' })).toMatchObject([
    { event_id: id, status: 200 },
    { event_id: id, status: 200 },
  ])
  expect(await command(engine, 'pg_redeliver_event', { event_id: 'none' })).toMatchObject({
    code: 'not-exists',
  })
})

test.each([
  [{ insert: undefined, update: undefined, delete: undefined }, 'parse-failed', /^atleast one amongst/],
  [{ webhook_from_env: 'HOOK' }, 'parse-failed', /^only one of webhook or webhook_from_env/],
  [{ webhook: undefined }, 'parse-failed', /^must provide webhook or webhook_from_env/],
  [{ name: 'a b' }, 'parse-failed', /^only alphanumeric/],
  [{ name: 'x'.repeat(43) }, 'parse-failed', /at most 42/],
  [{ update: { columns: ['nothing'] } }, 'invalid-configuration', /"nothing" does not exist/],
  [{ table: 'nothing' }, 'not-exists', /"nothing" does not exist/],
] as const)('refuses %j', async (change, code, error) => {
  const engine = await start()
  await command(engine, 'pg_track_table', { table: 'product' })
  expect(await command(engine, 'pg_create_event_trigger', { ...trigger, ...change })).toMatchObject({
    code,
    error: expect.stringMatching(error) as string,
  })
})
