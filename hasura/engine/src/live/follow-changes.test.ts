import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishTables } from '@commerce-graph/change-feed'
import { type LocalPostgres, startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { EngineOptions } from '../engine-options.ts'
import { type Engine, startEngine } from '../engine.ts'
import type { GraphQLResult } from '../graphql-request.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'
import { type Session, adminSession, createSession } from '../session/types.ts'

/** Longer than a test: what arrives has not been polled for. */
const neverMs = 600_000

const partition = { column: 'merchant_id', setting: 'shop.merchant' }
const publication = 'changes'
const logins = [
  { name: 'engine', groups: [], ownsDatabases: true },
  { name: 'log_reader', groups: [], readsLog: true },
] as const

let folder: string
let server: LocalPostgres
let client: pg.Client
const engines: Engine[] = []
const stopping: AbortController[] = []

const run = async (text: string): Promise<readonly unknown[]> =>
  (await client.query<Record<string, unknown>>(text)).rows
const publish = () => publishTables(run, { publication, partitionColumn: partition.column })

const ownRows = (table: string) => `
  alter table ${table} enable row level security;
  create policy own on ${table} using (merchant_id = (select nullif(current_setting('shop.merchant', true), '')::int));`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follow-changes-'))
  server = await startLocalPostgres({
    dataDir: folder,
    databases: ['shop'],
    logins,
    durable: false,
    settings: {
      log_statement: 'all',
      log_line_prefix: '%a|%d|',
      // A standby that doesn't answer: who asks for it waits at the commit.
      synchronous_standby_names: 'nowhere',
    },
  })
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`
    grant all on schema public to engine;
    alter default privileges grant all on tables to engine;
    create table product (merchant_id int, id int, title text, primary key (merchant_id, id));
    create table stock (merchant_id int, product_id int, number int, primary key (merchant_id, product_id));
    create table note (body text);
    create table event (id int primary key, name text);
    create table setting (name text primary key, value text);
    create function shout(item product) returns text stable language sql as
      $$ select upper(item.title) || (select value from public.setting where name = 'end') $$;
    create view offer with (security_invoker = true) as
      select p.merchant_id, p.id, p.title, s.number from product p join stock s on (s.merchant_id, s.product_id) = (p.merchant_id, p.id);
    create view dated as select id, name, now() as at from event;
    insert into setting values ('end', '!');
    insert into product values (1, 1, 'Cup'), (2, 1, 'Hat');
    insert into stock values (1, 1, 5), (2, 1, 6);
    ${ownRows('product')} ${ownRows('stock')}`)
  await publish()
})

afterEach(async () => {
  for (const controller of stopping.splice(0)) controller.abort()
  for (const engine of engines.splice(0)) await engine.stop()
})

afterAll(async () => {
  await client.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const metadata = metadataSchema.parse({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } } },
      tables: [
        {
          table: 'product',
          computed_fields: [{ name: 'shout', definition: { function: 'shout' } }],
          select_permissions: [
            { role: 'merchant', permission: { columns: '*', computed_fields: ['shout'], filter: {} } },
          ],
        },
        {
          table: 'offer',
          select_permissions: [{ role: 'merchant', permission: { columns: '*', filter: {} } }],
        },
        { table: 'event' },
        { table: 'dated' },
        { table: 'note' },
      ],
    },
  ],
})

async function start(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startEngine({
    databaseUrl: server.urlOf('engine'),
    changeFeed: { databaseUrl: server.urlOf('log_reader'), publication, publishes: false, partition },
    sessionSettings: { variables: { 'shop.merchant': 'x-hasura-merchant-id' }, roles: {} },
    liveQueries: { intervalMs: neverMs, batchSize: 100 },
    streamingQueries: { intervalMs: neverMs, batchSize: 100 },
    pollIntervalMs: 0,
    events: { delivery: 'when-asked' },
    logger: pino({ level: 'silent' }),
    ...options,
  })
  engines.push(engine)
  await engine.replaceMetadata(metadata)
  if (options.changeFeed === undefined)
    await expect.poll(() => engine.changes()).toMatchObject({ kind: 'following' })
  return engine
}

const merchant = (id: number): Session => createSession('merchant', { 'x-hasura-merchant-id': String(id) })

/** Subscribes, and keeps all answers. */
function subscribe(engine: Engine, query: string, session: Session = adminSession) {
  const controller = new AbortController()
  stopping.push(controller)
  const answers: unknown[] = []
  const read = async (): Promise<void> => {
    for await (const result of engine.subscribe({ query }, session, { signal: controller.signal }))
      answers.push(valueOf(result))
    answers.push('ended')
  }
  void read()
  return answers
}

const valueOf = (result: GraphQLResult): unknown =>
  result.kind === 'data' ? (JSON.parse(result.json) as unknown) : { errors: result.errors }

const last = (answers: readonly unknown[]): unknown => answers.at(-1)

/** How many statements engines have sent so far, of those that have a word in them. */
async function statements(word = ''): Promise<number> {
  const log = await readFile(join(folder, 'postgres.log'), 'utf8')
  const sent = log
    .split('\n')
    .filter((line) => /^hasura-embedded\|shop\|LOG: {2}(statement|execute)/.test(line))
  return sent.filter((line) => line.includes(word)).length
}

/** Until the engines send nothing any more: what they read is found, and first answers are there. */
async function quiet(): Promise<number> {
  for (let before = await statements(); ;) {
    await sleep(200)
    const after = await statements()
    if (after === before) return after
    before = after
  }
}

const titles = 'subscription { product(order_by: {id: asc}) { title } }'

test('a live query is asked again when a row that it may see changes, and not for another table or merchant', async () => {
  const engine = await start()
  const [one, two] = [subscribe(engine, titles, merchant(1)), subscribe(engine, titles, merchant(2))]
  await expect.poll(() => [one.length, two.length]).toEqual([1, 1])
  await quiet()
  // A first poll may still be repeated, at the latest four times as late as it was slow.
  await expect
    .poll(
      async () => {
        const before = await statements()
        await client.query(`insert into event select coalesce(max(id), 0) + 1, 'of another table' from event`)
        await sleep(200)
        return (await statements()) - before
      },
      { timeout: 5_000 },
    )
    .toBe(0)

  const reads = await statements('"product"')
  for (const title of ['Mug', 'Jug', 'Jar', 'Tub', 'Pot']) {
    await client.query(`update product set title = '${title}' where merchant_id = 1`)
    await expect.poll(() => last(one)).toEqual({ product: [{ title }] })
  }
  // The other merchant's query would be as many again.
  expect((await statements('"product"')) - reads).toBeLessThan(10)
  await client.query(`begin; update product set title = 'Cap' where merchant_id = 2; rollback`)
  await client.query(`delete from product where merchant_id = 2 and id = 99`)
  await sleep(100)
  expect(two).toEqual([{ product: [{ title: 'Hat' }] }])
})

test('what views and functions read is followed, and TRUNCATE', async () => {
  const engine = await start()
  const offers = subscribe(engine, 'subscription { offer { title number } }', merchant(1))
  const shouts = subscribe(engine, 'subscription { product { shout } }', merchant(2))
  await expect.poll(() => [offers.length, shouts.length]).toEqual([1, 1])
  await quiet()
  await client.query(`update stock set number = 4 where merchant_id = 1`)
  await expect.poll(() => last(offers)).toMatchObject({ offer: [{ number: 4 }] })
  await client.query(`update setting set value = '?'`)
  await expect.poll(() => last(shouts)).toEqual({ product: [{ shout: 'HAT?' }] })
  await client.query('begin; truncate stock; commit')
  await expect.poll(() => last(offers)).toEqual({ offer: [] })
  await client.query('insert into stock values (1, 1, 5), (2, 1, 6)')
  await expect.poll(() => last(offers)).toMatchObject({ offer: [{ number: 5 }] })
})

test.each([
  ['a view reads the clock', 'subscription { dated { id } }', `insert into event values (71, 'a')`],
  ['a table has no key', 'subscription { note { body } }', `insert into note values ('a')`],
  [
    'a value means another time later',
    'subscription { dated(where: {at: {_lte: "tomorrow"}}) { id } }',
    `insert into event values (72, 'a')`,
  ],
])('polls as before where %s', async (_, query, change) => {
  const engine = await start({ liveQueries: { intervalMs: 50, batchSize: 100 } })
  const answers = subscribe(engine, query)
  await expect.poll(() => answers.length).toBe(1)
  await sleep(200)
  const before = await statements()
  await expect.poll(() => statements()).toBeGreaterThan(before + 3)
  await client.query(change)
  await expect.poll(() => answers.length).toBe(2)
})

test('a stream sends each row once, in order, also when more come than it takes at once', async () => {
  const engine = await start()
  await client.query('truncate event')
  const answers = subscribe(
    engine,
    'subscription { event_stream(batch_size: 2, cursor: [{initial_value: {id: 0}}]) { id } }',
  )
  const ids = (): readonly number[] =>
    (answers as readonly { event_stream: readonly { id: number }[] }[]).flatMap(({ event_stream: rows }) =>
      rows.map(({ id }) => id),
    )
  for (const [from, to] of [
    [1, 5],
    [6, 6],
    [7, 20],
  ] as const)
    await client.query(`insert into event select n, 'a' from generate_series($1::int, $2::int) n`, [from, to])
  await expect.poll(() => ids().length).toBe(20)
  expect(ids()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  await quiet()
})

test('the last state is sent, though its commit becomes visible after the log has told it', async () => {
  const engine = await start()
  const answers = subscribe(engine, titles, merchant(1))
  await expect.poll(() => answers.length).toBe(1)
  await quiet()
  const writer = new pg.Client({ connectionString: server.url })
  await writer.connect()
  const { rows } = await writer.query<{ pid: number }>('select pg_backend_pid() as pid')
  const writing = writer.query(
    `set synchronous_commit = on; update product set title = 'Late' where merchant_id = 1`,
  )
  await sleep(500)
  expect(answers).toHaveLength(1)
  // The commit stays, and no longer waits.
  await client.query('select pg_cancel_backend($1)', [rows[0]?.pid])
  await writing
  await expect.poll(() => last(answers)).toEqual({ product: [{ title: 'Late' }] })
  await writer.end()
})

test('while the log is not followed, subscriptions poll, and what changed meanwhile is sent', async () => {
  const engine = await start()
  const answers = subscribe(engine, titles, merchant(2))
  await expect.poll(() => answers.length).toBe(1)
  await quiet()
  await client.query(`alter role log_reader nologin`)
  await client.query('select pg_terminate_backend(active_pid) from pg_replication_slots')
  await expect.poll(() => engine.changes()?.kind).toBe('absent')
  await client.query(`update product set title = 'Unheard' where merchant_id = 2`)
  await sleep(100)
  await client.query(`alter role log_reader login`)
  await expect.poll(() => last(answers), { timeout: 5_000 }).toEqual({ product: [{ title: 'Unheard' }] })
  await client.query(`update product set title = 'Heard' where merchant_id = 2`)
  await expect.poll(() => last(answers)).toEqual({ product: [{ title: 'Heard' }] })
})

test('a table that is made while subscribers listen, and a view that is replaced, are followed', async () => {
  const engine = await start()
  const answers = subscribe(engine, titles, merchant(1))
  const offers = subscribe(engine, 'subscription { offer(order_by: {id: asc}) { title } }', merchant(1))
  await expect.poll(() => [answers.length, offers.length]).toEqual([1, 1])
  await client.query(`
    create table addition (id int primary key, text text);
    grant select on addition to engine;
    insert into addition values (1, 'new');
    create or replace view offer with (security_invoker = true) as
      select p.merchant_id, p.id, a.text as title, 0 as number from product p, addition a`)
  await publish()
  await expect.poll(() => last(offers)).toEqual({ offer: [{ title: 'new' }] })
  await quiet()
  await client.query(`update addition set text = 'newer'`)
  await expect.poll(() => last(offers)).toEqual({ offer: [{ title: 'newer' }] })
})

test('a permission that is withdrawn ends a subscription that nothing else wakes', async () => {
  const engine = await start()
  const answers = subscribe(engine, titles, merchant(1))
  await expect.poll(() => answers.length).toBe(1)
  await quiet()
  const withdrawn = metadataSchema.parse({
    ...metadata,
    sources: metadata.sources.map((source) => ({ ...source, tables: [{ table: 'product' }] })),
  })
  await engine.replaceMetadata(withdrawn)
  await expect.poll(() => last(answers), { timeout: 3_000 }).toBe('ended')
})

test('the engine’s own Postgres is followed without a setting, with tables that come later or change their keys', async () => {
  const engine = await startEngine({
    liveQueries: { intervalMs: neverMs, batchSize: 100 },
    logger: pino({ level: 'silent' }),
    port: 0,
    adminSecret: 'secret',
  })
  engines.push(engine)
  await expect.poll(() => engine.changes()).toMatchObject({ kind: 'following' })
  const owner = new pg.Client({ connectionString: engine.databaseUrl })
  // After a failure, it is open when the engine stops its Postgres.
  owner.on('error', () => undefined)
  await owner.connect()
  await owner.query('create table entry (id int primary key)')
  await engine.replaceMetadata(
    metadataSchema.parse({
      ...metadata,
      sources: metadata.sources.map((source) => ({ ...source, tables: [{ table: 'entry' }] })),
    }),
  )
  const answers = subscribe(engine, 'subscription { entry { id } }')
  await expect.poll(() => answers.length).toBe(1)
  await expect
    .poll(() => owner.query('select from pg_publication_tables').then(({ rowCount }) => rowCount), {
      timeout: 3_000,
    })
    .toBe(1)
  await owner.query('insert into entry values (1)')
  await expect.poll(() => last(answers)).toEqual({ entry: [{ id: 1 }] })

  // Postgres refuses the first and the last while the table is published.
  const runSql = async (sql: string): Promise<unknown> => {
    const response = await fetch(`${engine.url ?? ''}/v2/query`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': 'secret' },
      body: JSON.stringify({ type: 'run_sql', args: { sql } }),
    })
    return response.json()
  }
  const done = { result_type: 'CommandOk', result: null }
  expect(await runSql('insert into entry values (2); alter table entry alter id type bigint')).toEqual(done)
  await expect.poll(() => last(answers)).toEqual({ entry: [{ id: 1 }, { id: 2 }] })
  expect(await runSql('insert into entry values (3)')).toEqual(done)
  await expect.poll(() => last(answers)).toEqual({ entry: [{ id: 1 }, { id: 2 }, { id: 3 }] })
  // It has committed a part itself, and is not run again.
  expect(
    await runSql('insert into entry values (4); commit; alter table entry alter id type int'),
  ).toMatchObject({ internal: { error: { status_code: '0A000' } } })
  expect(await runSql('delete from entry where id < 4; alter table entry drop id')).toEqual(done)
  await owner.end()
})
