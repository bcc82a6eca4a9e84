import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Engine } from '../engine.ts'
import { createSession } from '../session/types.ts'
import { type DeliveryWorld, openDeliveryWorld } from './testing/delivery-world.ts'

let world: DeliveryWorld

beforeEach(async () => {
  world = await openDeliveryWorld()
  await world.pool.query(`create table product (
    id serial primary key, name text not null, stock int not null default 0, price bigint, notes json)`)
})

afterEach(() => world.close())

const trigger = {
  name: 'product_changed',
  table: 'product',
  webhook: '{{HOOKS}}/product',
  insert: { columns: '*' },
  update: { columns: ['stock'] },
  delete: { columns: '*' },
}

async function track(more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await world.command('pg_track_table', { table: 'product' })
  expect(await world.command('pg_create_event_trigger', { ...trigger, ...more })).toEqual({
    message: 'success',
  })
}

async function run(engine: Engine, query: string, session = createSession('admin', {})): Promise<void> {
  expect(await engine.execute({ query }, session)).toMatchObject({ kind: 'data' })
}

const logRows = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await world.pool.query('select * from hdb_catalog.event_log order by created_at, id')).rows as Record<
    string,
    unknown
  >[]

async function settled(count: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const rows = await logRows()
    if (rows.filter((row) => row.delivered === true || row.error === true).length >= count) return rows
    if (Date.now() > deadline) throw new Error(`not settled: ${JSON.stringify(rows)}`)
    await sleep(10)
  }
}

test('an insert reaches the webhook with the row, the session and the configured headers', async () => {
  const engine = await world.start()
  await track({
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
  const [call] = await world.receiver.received(1)
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
  const { rows } = await world.pool.query('select * from hdb_catalog.event_invocation_logs')
  expect(rows).toMatchObject([
    {
      event_id: call?.body.id,
      trigger_name: 'product_changed',
      status: 200,
      request: {
        payload: call?.body,
        headers: [
          { name: 'Content-Type', value: 'application/json' },
          { name: 'User-Agent', value: 'hasura-graphql-engine/v2.48.0' },
          { name: 'x-secret', value_from_env: 'HOOK_SECRET' },
          { name: 'x-kind', value: 'product' },
        ],
        version: '2',
      },
      response: { type: 'webhook_response', data: { status: 200, body: '{}' }, version: '2' },
    },
  ])
})

test('an update of a listened column causes an event, which carries only the payload columns', async () => {
  const engine = await world.start()
  await track({ update: { columns: ['stock', 'notes'], payload: ['id', 'stock'] } })
  await world.pool.query(`insert into product (name, notes) values ('Tea', '{"a": 1}')`)
  await world.receiver.received(1)
  await run(
    engine,
    'mutation { update_product(where: {}, _set: {name: "Green tea", stock: 0}) { affected_rows } }',
  )
  await run(engine, 'mutation { update_product(where: {}, _set: {stock: 5}) { affected_rows } }')
  await run(engine, 'mutation { delete_product(where: {}) { affected_rows } }')
  const calls = await world.receiver.received(3)
  expect(calls.map(({ body }) => body.event).slice(1)).toMatchObject([
    { op: 'UPDATE', data: { old: { id: 1, stock: 0 }, new: { id: 1, stock: 5 } } },
    { op: 'DELETE', data: { old: { name: 'Green tea', stock: 5 }, new: null } },
  ])
  expect(calls[1]?.body.event).toHaveProperty('data.new', { id: 1, stock: 5 })
})

test('rows written without GraphQL cause events without a session, in the same transaction', async () => {
  await world.start()
  await track()
  const client = await world.pool.connect()
  await client.query('begin')
  await client.query(`insert into product (name) values ('never')`)
  await client.query('rollback')
  await client.query(`insert into product (name) values ('Tea')`)
  client.release()
  const [call] = await world.receiver.received(1)
  expect(call?.body.event).toMatchObject({ data: { new: { name: 'Tea' } }, session_variables: null })
  await settled(1)
  expect(world.receiver.calls).toHaveLength(1)
})

test('each of several mutations in a transaction, and each of two sessions, has its own variables', async () => {
  const engine = await world.start()
  await track()
  const one = '(object: {name: "Tea"}) { id }'
  const user = (id: string) => createSession('admin', { 'X-Hasura-User-Id': id })
  await run(engine, `mutation { a: insert_product_one${one} b: insert_product_one${one} }`, user('1'))
  await run(engine, `mutation { a: insert_product_one${one} }`, user('2'))
  const calls = await world.receiver.received(3)
  expect(
    calls
      .map(
        ({ body }) =>
          (body.event as { session_variables: Record<string, string> }).session_variables['x-hasura-user-id'],
      )
      .toSorted(),
  ).toEqual(['1', '1', '2'])
})

test('a session does not stay on the connection', async () => {
  const engine = await world.start()
  await world.command('run_sql', {
    sql: `create function whoami(product) returns text language sql stable as $$ select current_setting('hasura.user', true) $$`,
  })
  await track()
  await world.command('pg_add_computed_field', {
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

test('a failure is tried again after the interval, and finally recorded as an error', async () => {
  await world.start()
  await track({ retry_conf: { num_retries: 2, interval_sec: 0, timeout_sec: 1 } })
  world.receiver.answer = () => ({ status: 500, body: 'down' })
  await world.pool.query(`insert into product (name) values ('Tea')`)
  const [event] = await settled(1)
  expect(event).toMatchObject({ delivered: false, error: true, tries: 3, locked: null })
  expect(world.receiver.calls.map(({ body }) => body.delivery_info)).toEqual([
    { current_retry: 0, max_retries: 2 },
    { current_retry: 1, max_retries: 2 },
    { current_retry: 2, max_retries: 2 },
  ])
})

test('a handler that does not answer in time, and a variable that is not set, are failures that are logged', async () => {
  await world.start()
  await track({ retry_conf: { num_retries: 0, timeout_sec: 1 } })
  await world.command('pg_create_event_trigger', { ...trigger, name: 'nowhere', webhook: '{{NOT_SET}}/x' })
  world.receiver.answer = () => ({ status: 200, delayMs: 3_000 })
  await world.pool.query(`insert into product (name) values ('Tea')`)
  await settled(2)
  const { rows } = await world.pool.query<{ message: string }>(
    `select trigger_name, status, response->'data'->>'message' as message from hdb_catalog.event_invocation_logs order by 1`,
  )
  expect(rows).toMatchObject([
    { trigger_name: 'nowhere', status: null, message: "environment variable 'NOT_SET' not set" },
    { trigger_name: 'product_changed', status: null },
  ])
  expect(JSON.parse(rows[1]?.message ?? '')).toMatchObject({
    type: 'http_exception',
    message: 'Response timeout',
    request: { host: '127.0.0.1', path: '/product', method: 'POST', secure: false },
  })
})

test('a redirect of the webhook is followed', async () => {
  await world.start()
  await track()
  world.receiver.answer = ({ path }) =>
    path === '/product' ? { status: 307, headers: { location: '/moved' } } : { status: 200 }
  await world.pool.query(`insert into product (name) values ('Tea')`)
  const [event] = await settled(1)
  expect(event).toMatchObject({ delivered: true, tries: 1 })
  expect(world.receiver.calls.map(({ path, body }) => [path, body.id])).toEqual([
    ['/product', event?.id],
    ['/moved', event?.id],
  ])
})

test('the answer of a handler that refuses is logged as the error', async () => {
  await world.start()
  await track()
  world.receiver.answer = () => ({ status: 422, body: '{"message":"no"}' })
  await world.pool.query(`insert into product (name) values ('Tea')`)
  await settled(1)
  const { rows } = await world.pool.query('select status, response from hdb_catalog.event_invocation_logs')
  const response = { type: 'client_error', version: '2', data: { message: '{"message":"no"}' } }
  expect(rows).toEqual([{ status: 422, response }])
})

test('an update with the same value in another notation, or of no listened column, causes no event', async () => {
  await world.pool.query('alter table product add column weight numeric, add column place point')
  await world.start()
  await track({ update: { columns: ['weight'] } })
  await world.command('pg_create_event_trigger', {
    name: 'product_moved',
    table: 'product',
    webhook: '{{HOOKS}}/moved',
    update: { columns: ['weight', 'place'] },
  })
  await world.pool.query(`insert into product (name, weight, place) values ('Tea', 1.0, '(0,0)')`)
  await settled(1)
  for (const change of [
    'weight = 1.0, stock = 3',
    `place = '(0,0)'`,
    'weight = 1.00',
    'weight = null',
    `place = '(0,1)'`,
  ])
    await world.pool.query(`update product set ${change}`)
  const rows = await settled(5)
  expect(rows.map(({ trigger_name: name }) => name).toSorted()).toEqual([
    'product_changed',
    'product_changed',
    // These types have no equality, so their stored text is compared.
    'product_moved',
    'product_moved',
    'product_moved',
  ])
})

test('an event carries the trace of the request that caused it, and its delivery continues that trace', async () => {
  const engine = await world.start()
  await track()
  const clientHeaders = { 'x-b3-traceid': '463ac35c9f6413ad', 'x-b3-spanid': 'a2fb4a1d1a96d312' }
  const query = 'mutation { insert_product_one(object: {name: "Tea"}) { id } }'
  expect(await engine.execute({ query }, createSession('admin', {}), { clientHeaders })).toMatchObject({
    kind: 'data',
  })
  const traceId = '0000000000000000463ac35c9f6413ad'
  const [call] = await world.receiver.received(1)
  const event = call?.body.event as { trace_context: Record<string, string> } | undefined
  const context = event?.trace_context
  expect(context).toEqual({
    trace_id: traceId,
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    sampling_state: '1',
  })
  expect(call?.headers).toMatchObject({ 'x-b3-traceid': traceId, 'x-b3-sampled': '1' })
  expect(call?.headers['x-b3-parentspanid']).toMatch(/^[0-9a-f]{16}$/)
  await world.pool.query(`insert into product (name) values ('Pan')`)
  const own = (await world.receiver.received(2))[1]
  expect(own?.body.event).toMatchObject({ trace_context: null })
  expect(own?.headers['x-b3-traceid']).toMatch(/^[0-9a-f]{32}$/)
})

test('SQL of the metadata API runs with the session of its caller', async () => {
  await world.start()
  await track()
  const sql = `insert into product (name) values ('Tea')`
  await world.command('run_sql', { sql }, { 'x-hasura-user-id': '7' })
  const [call] = await world.receiver.received(1)
  expect(call?.body.event).toMatchObject({
    session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': '7' },
    trace_context: { sampling_state: '1' },
  })
})

test('Retry-After is obeyed, even when the retries are used up', async () => {
  await world.start()
  await track({ retry_conf: { num_retries: 0 } })
  world.receiver.answer = () =>
    world.receiver.calls.length === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 200 }
  const before = Date.now()
  await world.pool.query(`insert into product (name) values ('Tea')`)
  const [event] = await settled(1)
  expect(event).toMatchObject({ delivered: true, tries: 2 })
  expect(Date.now() - before).toBeGreaterThan(900)
})

test('no more webhooks are called at once than configured, and a slow one does not hold up the others', async () => {
  await world.start({ events: { concurrency: 3, fetchBatchSize: 2 } })
  await track()
  world.receiver.answer = ({ body }) => ({
    status: 200,
    delayMs: (body.event as { data: { new: { stock: number } } }).data.new.stock === 0 ? 1_000 : 5,
  })
  await world.pool.query(`insert into product (name, stock) select 'p', i from generate_series(0, 30) i`)
  await world.receiver.received(31)
  expect(world.receiver.mostOpen).toBe(3)
  const rows = await settled(31)
  expect(new Set(world.receiver.calls.map(({ body }) => body.id)).size).toBe(31)
  expect(rows.every(({ tries }) => tries === 1)).toBe(true)
})

test('several engines share the events: each is delivered once', async () => {
  await world.start()
  await track()
  await world.start()
  await world.start()
  await world.pool.query(`insert into product (name) select 'p' from generate_series(1, 200)`)
  await settled(200)
  expect(world.receiver.calls).toHaveLength(200)
})

test('an event that another engine is taking at this moment is passed by', async () => {
  await world.start()
  await track()
  const { rows } = await world.pool.query<{ id: string }>(`
    insert into hdb_catalog.event_log (schema_name, table_name, trigger_name, payload, next_retry_at)
    values ('public', 'product', 'product_changed', '{"op": "INSERT", "data": {"old": null, "new": {}}}',
            now() + interval '200 milliseconds')
    returning id`)
  const other = await world.pool.connect()
  try {
    await other.query('begin')
    await other.query('select from hdb_catalog.event_log where id = $1 for update', [rows[0]?.id])
    const due = 'select from hdb_catalog.event_log where next_retry_at <= now()'
    await expect.poll(async () => (await world.pool.query(due)).rowCount).toBe(1)
    await world.pool.query(`insert into product (name) values ('Tea')`)
    await settled(1)
  } finally {
    await other.query('rollback')
    other.release()
  }
  await settled(2)
})

test('several engines free what a lost engine had locked, and keep what they deliver themselves', async () => {
  const engines = [await world.start()]
  await track()
  engines.push(await world.start(), await world.start())
  world.receiver.answer = () => ({ status: 200, delayMs: 600 })
  await world.pool.query(`insert into product (name) select 'p' from generate_series(1, 20)`)
  await world.receiver.received(20)
  // No engine holds this event, as after a killed process.
  await world.pool.query(`
    insert into hdb_catalog.event_log (schema_name, table_name, trigger_name, payload, locked)
    select schema_name, table_name, trigger_name, payload, now() from hdb_catalog.event_log limit 1`)
  await settled(21)
  expect(world.receiver.calls).toHaveLength(21)
})

test('an engine whose connection is cut keeps what it is delivering', async () => {
  await world.start()
  await track()
  world.receiver.answer = () => ({ status: 200, delayMs: 600 })
  await world.pool.query(`insert into product (name) values ('Tea')`)
  await world.receiver.received(1)
  const { rowCount } = await world.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hasura-embedded events'
        and datname = current_database()`,
  )
  expect(rowCount).toBe(1)
  await settled(1)
  expect(world.receiver.calls).toHaveLength(1)
})

test('stopping waits for deliveries, and unlocks those that take too long', async () => {
  const engine = await world.start({ events: { graceMs: 300, concurrency: 2 } })
  await track()
  world.receiver.answer = () => ({ status: 200, delayMs: world.receiver.calls.length === 1 ? 100 : 5_000 })
  await world.pool.query(`insert into product (name) select 'p' from generate_series(1, 10)`)
  await world.receiver.received(2)
  await world.stop(engine)
  const rows = await logRows()
  expect(rows.filter(({ delivered }) => delivered === true)).toHaveLength(1)
  expect(
    rows.filter(({ delivered, locked, tries }) => delivered === false && locked === null && tries === 0),
  ).toHaveLength(9)
})

test('with when-asked, delivery waits for startDelivery', async () => {
  const engine = await world.start({ events: { delivery: 'when-asked' } })
  await track()
  await world.pool.query(`insert into product (name) values ('Tea')`)
  await sleep(100)
  expect(world.receiver.calls).toHaveLength(0)
  engine.startDelivery()
  await world.receiver.received(1)
})

test('database triggers follow changes of the metadata and the table', async () => {
  await world.start()
  await track()
  const installed = async (): Promise<readonly string[]> =>
    (
      await world.pool.query<{ name: string }>(
        `select tgrelid::regclass || ' ' || tgname as name from pg_trigger where not tgisinternal order by 1`,
      )
    ).rows.map(({ name }) => name)
  const all = ['DELETE', 'INSERT', 'UPDATE'].map(
    (operation) => `product notify_hasura_product_changed_${operation}`,
  )
  expect(await installed()).toEqual(all)
  await world.command('run_sql', { sql: 'alter table product add column colour text' })
  await world.command('run_sql', { sql: 'alter table product rename column stock to quantity' })
  await world.command('run_sql', { sql: 'alter table product rename to ware' })
  expect(await installed()).toEqual(all.map((name) => name.replace('product ', 'ware ')))
  await world.pool.query(`insert into ware (name, colour) values ('Tea', 'green')`)
  await world.pool.query(`update ware set quantity = 1`)
  const calls = await world.receiver.received(2)
  expect(calls[0]?.body).toMatchObject({
    table: { name: 'ware' },
    event: { data: { new: { colour: 'green' } } },
  })
  expect(await world.command('run_sql', { sql: 'alter table ware drop column quantity' })).toMatchObject({
    code: 'dependency-error',
    error:
      'cannot drop due to the following dependent objects: event-trigger ware.product_changed in source "default"',
  })
  await world.command('pg_delete_event_trigger', { name: 'product_changed' })
  expect(await installed()).toEqual([])
  expect((await logRows()).every(({ archived }) => archived)).toBe(true)
})

const disable = () => world.pool.query('alter table product disable trigger all')
test.each([
  [
    'a change of the metadata, after they were disabled',
    disable,
    async () => {
      await world.command('pg_track_table', { table: 'other' })
    },
  ],
  [
    'a start, after they were disabled',
    disable,
    async () => {
      await world.start()
    },
  ],
  [
    'recreate_event_triggers, whatever was done to them',
    () =>
      world.pool.query(`
        create or replace trigger "notify_hasura_product_changed_INSERT" after insert on product
        for each row when (new.stock > 7) execute function hdb_catalog."notify_hasura_product_changed_INSERT"()`),
    async () => {
      await world.command('reload_metadata', { recreate_event_triggers: true })
    },
  ],
])('database triggers are repaired by %s', async (_what, harm, repair) => {
  await world.pool.query('create table other (id int primary key)')
  await world.start()
  await track()
  await harm()
  await repair()
  await world.pool.query(`insert into product (name) values ('Tea')`)
  const [call] = await world.receiver.received(1)
  expect(call?.body.event).toMatchObject({ op: 'INSERT', data: { new: { name: 'Tea' } } })
})

test('database triggers of a partition are repaired, too', async () => {
  await world.pool.query(`
    create table parted (id int primary key) partition by range (id);
    create table parted_low partition of parted for values from (0) to (10)`)
  await world.start()
  await world.command('pg_track_table', { table: 'parted' })
  const { update: _, ...inserted } = trigger
  await world.command('pg_create_event_trigger', { ...inserted, table: 'parted' })
  await world.pool.query('alter table parted_low disable trigger all')
  await world.command('reload_metadata', {})
  await world.pool.query('insert into parted values (1)')
  await world.receiver.received(1)
})

test('numbers are texts with stringified numeric types', async () => {
  await world.start({ stringifyNumericTypes: true })
  await track()
  await world.pool.query(`insert into product (name, price) values ('Tea', 12)`)
  const [call] = await world.receiver.received(1)
  expect(call?.body.event).toMatchObject({ data: { new: { price: '12', stock: 0 } } })
})

test('manual events, redelivery and logs', async () => {
  await world.start()
  await track({ enable_manual: true })
  const { event_id: id } = (await world.command(
    'pg_invoke_event_trigger',
    { name: 'product_changed', payload: { hello: 'world' } },
    { 'x-hasura-user-id': '7' },
  )) as { event_id: string }
  const [call] = await world.receiver.received(1)
  expect(call?.body).toMatchObject({
    id,
    event: {
      op: 'MANUAL',
      data: { old: null, new: { hello: 'world' } },
      session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': '7' },
    },
  })
  await settled(1)
  expect(await world.command('pg_redeliver_event', { event_id: id })).toEqual({ message: 'success' })
  await world.receiver.received(2)
  await settled(1)
  expect(await world.command('pg_get_event_by_id', { event_id: id })).toMatchObject({ event: { id } })
  expect(
    await world.command('pg_get_event_logs', { name: 'product_changed', status: 'processed' }),
  ).toMatchObject([{ id }])
  expect(await world.command('pg_get_event_invocation_logs', { name: 'product_changed' })).toMatchObject([
    { event_id: id, http_status: 200, created_at: expect.stringMatching(/Z$/) as string },
    { event_id: id, http_status: 200 },
  ])
  expect(await world.command('pg_redeliver_event', { event_id: 'none' })).toMatchObject({
    code: 'not-exists',
  })
})

test.each([
  [{ insert: undefined, update: undefined, delete: undefined }, 'parse-failed', /^atleast one amongst/],
  [{ webhook_from_env: 'HOOK' }, 'parse-failed', /^only one of webhook or webhook_from_env/],
  [{ webhook: undefined }, 'parse-failed', /^must provide webhook or webhook_from_env/],
  [{ name: 'a b' }, 'parse-failed', /^only alphanumeric/],
  [{ name: 'x'.repeat(43) }, 'parse-failed', /at most 42/],
  [{ replace: true }, 'not-exists', /^event trigger "product_changed" does not exist$/],
  [{ insert: { columns: [] } }, 'parse-failed', /^found empty column specification/],
  [{ delete: { columns: '*', payload: [] } }, 'parse-failed', /^found empty payload specification/],
  [{ update: { columns: ['nothing'] } }, 'invalid-configuration', /"nothing" does not exist/],
  [{ table: 'nothing' }, 'not-exists', /"nothing" does not exist/],
] as const)('refuses %j', async (change, code, error) => {
  await world.start()
  await world.command('pg_track_table', { table: 'product' })
  expect(await world.command('pg_create_event_trigger', { ...trigger, ...change })).toMatchObject({
    code,
    error: expect.stringMatching(error) as string,
  })
})

test('an event’s time is UTC, whatever the time zone of the session that wrote the row', async () => {
  const engine = await world.start()
  await track()
  await world.pool.query(`
    begin;
    set local timezone to 'America/New_York';
    insert into product (name) values ('Tea');
    commit`)
  const [call] = await world.receiver.received(1)
  const createdAt = String(call?.body['created_at'])
  expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(30_000)
  const logs = await world.command('pg_get_event_logs', { name: 'product_changed' })
  expect(logs).toMatchObject([{ created_at: createdAt }])
  // The engine replaces the function of Hasura, or of an older engine, at its start.
  await world.stop(engine)
  await world.pool.query(
    `create or replace function hdb_catalog.insert_event_log(
       schema_name text, table_name text, trigger_name text, op text, row_data json
     ) returns text language sql as 'select null'`,
  )
  await world.start()
  await world.pool.query(`insert into product (name) values ('Pot')`)
  expect(await world.receiver.received(2)).toHaveLength(2)
})

test('times and retries are right when the server is in another time zone', async () => {
  const name = new URL(world.database.url).pathname.slice(1)
  await world.pool.query(`alter database "${name}" set timezone to 'Asia/Tokyo'`)
  world.receiver.answer = () => ({ status: world.receiver.calls.length === 1 ? 500 : 200 })
  const engine = await world.start()
  await track({ retry_conf: { num_retries: 1, interval_sec: 1 } })
  await run(engine, 'mutation { insert_product_one(object: {name: "Tea"}) { id } }')
  const [call] = await world.receiver.received(2)
  const createdAt = Date.parse(String(call?.body['created_at']))
  expect(Math.abs(Date.now() - createdAt)).toBeLessThan(30_000)
})
