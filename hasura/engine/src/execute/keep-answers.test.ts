import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishTables } from '@commerce-graph/change-feed'
import { type LocalPostgres, startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Engine, startEngine } from '../engine.ts'
import { metadata as metadataSchema } from '../metadata/types.ts'

const partition = { column: 'merchant_id', setting: 'shop.merchant' }
const publication = 'changes'
const adminSecret = 'secret'
const logins = [
  { name: 'engine', groups: [], ownsDatabases: true },
  { name: 'log_reader', groups: [], readsLog: true },
] as const

let folder: string
let server: LocalPostgres
let client: pg.Client
const engines: Engine[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keep-answers-'))
  server = await startLocalPostgres({
    dataDir: folder,
    databases: ['shop'],
    logins,
    durable: false,
    settings: { synchronous_commit: 'local', log_statement: 'all', log_line_prefix: '%a|%d|' },
  })
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`
    grant all on schema public to engine;
    alter default privileges grant all on tables to engine;
    create table product (merchant_id int, id int, title text, primary key (merchant_id, id));
    create table note (body text);
    create view dated as select merchant_id, id, title, now() as at from product;
    create function find(word text) returns setof product stable language plpgsql as
      $$ begin return query execute 'select * from public.product where title = $1' using word; end $$;
    insert into product values (1, 1, 'Cup'), (2, 1, 'Hat');
    alter table product enable row level security;
    create policy own on product using (merchant_id = (select nullif(current_setting('shop.merchant', true), '')::int));`)
  const run = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows
  await publishTables(run, { publication, partitionColumn: partition.column })
})

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop()
})

afterAll(async () => {
  await client.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const rows = { columns: '*', filter: {} } as const
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
          select_permissions: [{ role: 'merchant', permission: rows }],
          update_permissions: [
            { role: 'merchant', permission: { columns: ['title'], filter: {}, check: null } },
          ],
        },
        { table: 'dated', select_permissions: [{ role: 'merchant', permission: rows }] },
        { table: 'note', select_permissions: [{ role: 'merchant', permission: rows }] },
      ],
      functions: [{ function: 'find' }],
    },
  ],
})

async function start(answerCacheBytes = 1_000_000): Promise<Engine> {
  const engine = await startEngine({
    databaseUrl: server.urlOf('engine'),
    changeFeed: { databaseUrl: server.urlOf('log_reader'), publication, publishes: false, partition },
    sessionSettings: { variables: { 'shop.merchant': 'x-hasura-merchant-id' }, roles: {} },
    answerCacheBytes,
    adminSecret,
    port: 0,
    pollIntervalMs: 0,
    events: { delivery: 'when-asked' },
    logger: pino({ level: 'silent' }),
  })
  engines.push(engine)
  await engine.replaceMetadata(metadata)
  await expect.poll(() => engine.changes()).toMatchObject({ kind: 'following' })
  return engine
}

async function ask(engine: Engine, query: string, merchant = 1, variables = {}): Promise<unknown> {
  const response = await fetch(`${engine.url ?? ''}/v1/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-hasura-admin-secret': adminSecret,
      'x-hasura-role': 'merchant',
      'x-hasura-merchant-id': String(merchant),
    },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}

const titles = '{ product { title } }'
const titled = (...all: readonly string[]) => ({ data: { product: all.map((title) => ({ title })) } })
const rename = (title: string, merchant = 1) =>
  client.query('update product set title = $1 where merchant_id = $2', [title, merchant])

/** Statements of engines that read products, so far. */
async function reads(word = 'product'): Promise<number> {
  const log = await readFile(join(folder, 'postgres.log'), 'utf8')
  return log
    .split('\n')
    .filter((line) => line.startsWith('hasura-embedded|shop|LOG:  execute') && line.includes(`"${word}"`))
    .length
}

/** Asks until the database is no longer asked. */
async function untilKept(engine: Engine, query: string, merchant = 1): Promise<void> {
  await expect
    .poll(
      async () => {
        const before = await reads()
        for (let i = 0; i < 3; i += 1) await ask(engine, query, merchant)
        return (await reads()) - before
      },
      { timeout: 5_000 },
    )
    .toBe(0)
}

test('an answer is given again without the database, until a row that it is made of changes', async () => {
  const engine = await start()
  await untilKept(engine, titles)
  await untilKept(engine, titles, 2)
  await rename('Mug')
  expect(await ask(engine, titles)).toEqual(titled('Mug'))
  const before = await reads()
  expect(await ask(engine, titles, 2)).toEqual(titled('Hat'))
  expect(await reads()).toBe(before)
})

test('a write is in the next answer of every engine', async () => {
  const [one, two] = [await start(), await start()]
  for (let round = 0; round < 100; round += 1) {
    const title = `Round ${round}`
    if (round % 2 === 0) await rename(title)
    else
      await ask(
        one,
        'mutation ($title: String!) { update_product(where: {}, _set: {title: $title}) { affected_rows } }',
        1,
        {
          title,
        },
      )
    expect([await ask(two, titles), await ask(one, titles)]).toEqual([titled(title), titled(title)])
  }
})

test('answers differ by role, session, variables and operation', async () => {
  const engine = await start()
  await rename('Cup')
  const query = 'query A($id: Int) { product(where: {id: {_eq: $id}}) { title } } query B { product { id } }'
  await untilKept(engine, titles)
  // The second answer is kept, and the third is the kept one.
  for (let round = 0; round < 3; round += 1) {
    expect(await ask(engine, titles, 1)).toEqual(titled('Cup'))
    expect(await ask(engine, titles, 2)).toEqual(titled('Hat'))
    expect(await ask(engine, query.split(' query B')[0] ?? '', 1, { id: 1 })).toEqual(titled('Cup'))
    expect(await ask(engine, query.split(' query B')[0] ?? '', 1, { id: 2 })).toEqual(titled())
  }
})

test.each([
  ['reads the clock', '{ dated { title } }'],
  ['has a value that means another time later', '{ dated(where: {at: {_lte: "tomorrow"}}) { title } }'],
  ['reads a table whose changes aren’t told', '{ note { body } }'],
  ['calls a function whose text runs text', '{ find(args: {word: "Cup"}) { title } }'],
])('a query that %s asks the database each time', async (_, query) => {
  const engine = await start()
  await ask(engine, query)
  const before = await reads('public')
  for (let round = 0; round < 5; round += 1) await ask(engine, query)
  expect(await reads('public')).toBe(before + 5)
})

test('mutations are carried out each time, also those that come at once', async () => {
  const engine = await start()
  const mutation = 'mutation { update_product(where: {}, _set: {title: "Same"}) { affected_rows } }'
  const before = await reads()
  await Promise.all(Array.from({ length: 5 }, () => ask(engine, mutation)))
  expect(await reads()).toBe(before + 5)
})

test('requests for one answer that come at once share a read', async () => {
  const engine = await start()
  await untilKept(engine, titles)
  const wrong: unknown[] = []
  let rounds = 0
  const readsOfRound = async (): Promise<number> => {
    rounds += 1
    const title = `Shared ${rounds}`
    await rename(title)
    const before = await reads()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(engine, titles)))
    wrong.push(...answers.filter((answer) => !isDeepStrictEqual(answer, titled(title))))
    return (await reads()) - before
  }
  // Where the log confirms nothing for a moment, as on a busy machine, each request reads for itself.
  await expect.poll(readsOfRound).toBeLessThan(20)
  expect(wrong).toEqual([])
})

test('while the log is not followed, the database answers', async () => {
  const engine = await start()
  await untilKept(engine, titles)
  await client.query(`alter role log_reader nologin`)
  await client.query('select pg_terminate_backend(active_pid) from pg_replication_slots')
  await rename('Unheard')
  expect(await ask(engine, titles)).toEqual(titled('Unheard'))
  await expect.poll(() => engine.changes()?.kind).toBe('absent')
  await rename('Unheard again')
  expect(await ask(engine, titles)).toEqual(titled('Unheard again'))
  await client.query(`alter role log_reader login`)
  await expect.poll(() => engine.changes()?.kind, { timeout: 5_000 }).toBe('following')
  await untilKept(engine, titles)
})

test('a permission that is withdrawn ends what was kept', async () => {
  const engine = await start()
  await untilKept(engine, titles)
  const withdrawn = metadata.sources.map((source) => ({ ...source, tables: [{ table: 'product' }] }))
  await engine.replaceMetadata(metadataSchema.parse({ ...metadata, sources: withdrawn }))
  expect(await ask(engine, titles)).toMatchObject({ errors: [{}] })
})

test('nothing is kept without the setting', async () => {
  const engine = await start(0)
  await ask(engine, titles)
  await sleep(50)
  const before = await reads()
  for (let round = 0; round < 3; round += 1) await ask(engine, titles)
  expect(await reads()).toBe(before + 3)
})
