import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalPostgres, startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openChangeFeed } from './change-feed.ts'
import { Coherence, type Kept } from './coherence.ts'
import { openPositionClient } from './position-client.ts'
import { publishTables } from './publication.ts'

const [one, two] = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002']
const reader = { name: 'log_reader', groups: [], readsLog: true } as const
const publication = 'changes'
const partitionColumn = 'merchant_id'

let folder: string
let server: LocalPostgres
let client: pg.Client
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coherence-'))
  server = await startLocalPostgres({
    dataDir: folder,
    databases: ['shop'],
    logins: [reader],
    durable: false,
    settings: {
      synchronous_commit: 'local',
      // Transactions that end by the writer's commit alone would be told some milliseconds later.
      wal_writer_delay: '10s',
      // A standby that doesn't answer: who asks for it waits at the commit, which is in the log.
      synchronous_standby_names: 'nowhere',
    },
  })
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`
    create table product (merchant_id uuid, id integer, name text, primary key (merchant_id, id));
    create table plan (id integer primary key, name text);
    create table keyless (name text);
    insert into product values ('${one}', 1, 'a'), ('${two}', 1, 'b');`)
  const run = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows
  await publishTables(run, { publication, partitionColumn })
})

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

afterAll(async () => {
  await client.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function open() {
  const logger = pino({ level: 'silent' })
  const databaseUrl = server.urlOf(reader.name)
  const times = { firstPauseMs: 20, longestPauseMs: 100 }
  const feed = openChangeFeed({ databaseUrl, publication, partitionColumn, logger, times })
  const positions = openPositionClient({ databaseUrl, namedStatements: true })
  const coherence = new Coherence({ feed, positions, logger })
  closing.push(async () => {
    coherence.close()
    await feed.close()
    await positions.close()
  })
  expect(await feed.settled).toMatchObject({ kind: 'following' })
  return { feed, coherence }
}

/** With a feed alone, and the number of questions. */
async function openCounted() {
  const { feed } = await open()
  const positions = openPositionClient({ databaseUrl: server.urlOf(reader.name), namedStatements: true })
  return { feed, positions, ask: vi.fn(() => positions.ask()) }
}

async function oidOf(table: string): Promise<number> {
  const { rows } = await client.query<{ oid: number }>('select $1::regclass::oid as oid', [table])
  return rows[0]?.oid ?? 0
}

/** A read that is kept, of a merchant's rows, or of `everyone`'s. */
async function keep(coherence: Coherence, whose: string = one, table = 'product') {
  const reads = new Map([[await oidOf(table), whose === 'everyone' ? undefined : whose]])
  const ticket = coherence.begin()
  return ticket && coherence.keep(ticket, reads)
}

/**
 * A read that is current: earlier commits are told, and known to be visible. On a busy machine, a question may take longer than an
 * answer waits for it.
 */
async function keepCurrent(coherence: Coherence): Promise<Kept> {
  for (;;) {
    const kept = await keep(coherence)
    if (kept !== undefined && (await coherence.isCurrent(kept))) return kept
    await sleep(2)
  }
}

const untilCurrent = (coherence: Coherence, kept: Kept | undefined) =>
  expect.poll(() => kept !== undefined && coherence.isCurrent(kept)).toBe(true)

test('an answer is current until a row that it was made of changes, and never when its own write is committed', async () => {
  const { coherence } = await open()
  for (let round = 1; round <= 100; round += 1) {
    const kept = await keepCurrent(coherence)
    await client.query(`update product set name = 'round ${round}' where merchant_id = '${one}'`)
    expect(await coherence.isCurrent(kept)).toBe(false)
  }
})

test('other merchants, other tables and what is rolled back leave it current', async () => {
  const { coherence } = await open()
  const kept = await keepCurrent(coherence)
  const everyones = await keep(coherence, 'everyone')
  await client.query(`insert into plan values (1, 'a')`)
  await client.query(`begin; savepoint a; update product set name = 'c' where merchant_id = '${one}';
    rollback to a; insert into plan values (2, 'a'); commit`)
  await untilCurrent(coherence, kept)
  await untilCurrent(coherence, everyones)
  await client.query(`update product set name = 'd' where merchant_id = '${two}'`)
  await untilCurrent(coherence, kept)
  expect(everyones && (await coherence.isCurrent(everyones))).toBe(false)
  await client.query('truncate plan')
  await untilCurrent(coherence, kept)
  await client.query('begin; truncate product; rollback')
  await untilCurrent(coherence, kept)
  await client.query(`begin; truncate product; insert into product values ('${one}', 1, 'a'); commit`)
  expect(await coherence.isCurrent(kept)).toBe(false)
})

test('an answer does not wait for a database that does not say where it stands', async () => {
  const { feed, positions } = await openCounted()
  let isStuck = false
  const ask = () => (isStuck ? sleep(3_000).then(() => positions.ask()) : positions.ask())
  const coherence = new Coherence({ feed, positions: { ask }, logger: pino({ level: 'silent' }) })
  const kept = await keepCurrent(coherence)
  isStuck = true
  const begun = performance.now()
  const both = await Promise.all([coherence.isCurrent(kept), coherence.isCurrent(kept)])
  expect([...both, await coherence.isCurrent(kept)]).toEqual([false, false, false])
  expect(performance.now() - begun).toBeLessThan(2_500)
  isStuck = false
  await untilCurrent(coherence, kept)
  coherence.close()
  await positions.close()
})

test('a read that began before a commit and ends after it is not kept', async () => {
  const { coherence, feed } = await open()
  await keepCurrent(coherence)
  const ticket = coherence.begin()
  const told = new Promise((resolve) => feed.listen({ committed: resolve, changed: () => undefined }))
  await client.query(`update product set name = 'meanwhile' where merchant_id = '${one}'`)
  await told
  const reads = new Map([[await oidOf('product'), one]])
  expect(ticket && coherence.keep(ticket, reads)).toBeUndefined()
})

test('a read that began before a commit, and is kept before the commit is told, is not current', async () => {
  const { coherence } = await open()
  await keepCurrent(coherence)
  const ticket = coherence.begin()
  const reads = new Map([[await oidOf('product'), one]])
  await client.query(`update product set name = 'untold' where merchant_id = '${one}'`)
  const kept = ticket && coherence.keep(ticket, reads)
  // A feed that has told the commit by now lets nothing be kept.
  expect(kept !== undefined && (await coherence.isCurrent(kept))).toBe(false)
})

test('what is read while a commit is told and not visible is not kept', async () => {
  const { coherence, feed } = await open()
  await keepCurrent(coherence)
  const told = new Promise((resolve) => feed.listen({ committed: resolve, changed: () => undefined }))
  const writer = new pg.Client({ connectionString: server.url })
  await writer.connect()
  const { rows } = await writer.query<{ pid: number }>('select pg_backend_pid() as pid')
  const writing = writer.query(
    `set synchronous_commit = on; update product set name = 'late' where merchant_id = '${one}'`,
  )
  await told
  const seen = await client.query(`select from product where name = 'late'`)
  expect(seen.rowCount).toBe(0)
  expect(await keep(coherence)).toBeUndefined()
  // Other rows are kept and served meanwhile.
  const others = await keep(coherence, two)
  await untilCurrent(coherence, others)
  await client.query('select pg_cancel_backend($1)', [rows[0]?.pid])
  await writing
  await keepCurrent(coherence)
  await writer.end()
})

test('nothing from before a break of the feed is current after it', async () => {
  const { coherence, feed } = await open()
  const kept = await keepCurrent(coherence)
  await client.query('select pg_terminate_backend(active_pid) from pg_replication_slots')
  // The feed may follow again before anyone looks.
  await expect.poll(() => coherence.isCurrent(kept)).toBe(false)
  await expect.poll(() => feed.state().kind).toBe('following')
  expect(await coherence.isCurrent(kept)).toBe(false)
  await keepCurrent(coherence)
})

test('the connection that asks where Postgres stands may be ended at any time', async () => {
  const { coherence } = await open()
  const kept = await keepCurrent(coherence)
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'position'`,
  )
  await expect.poll(() => coherence.isCurrent(kept)).toBe(true)
})

test('what can change without a word is not kept, and nothing is current while commits do not wait for the log', async () => {
  const { coherence } = await open()
  expect(await keep(coherence, 'everyone', 'keyless')).toBeUndefined()
  const kept = await keepCurrent(coherence)
  await client.query(`alter role ${reader.name} set synchronous_commit = 'off'`)
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'position'`,
  )
  await expect.poll(() => coherence.isCurrent(kept)).toBe(false)
  expect(await coherence.isCurrent(kept)).toBe(false)
  await client.query(`alter role ${reader.name} reset synchronous_commit`)
})

test('a hundred that ask at once share few questions', async () => {
  const { feed, positions, ask } = await openCounted()
  const coherence = new Coherence({ feed, positions: { ask }, logger: pino({ level: 'silent' }) })
  const kept = await keepCurrent(coherence)
  ask.mockClear()
  await Promise.all(Array.from({ length: 100 }, () => coherence.isCurrent(kept)))
  expect(ask.mock.calls.length).toBeLessThanOrEqual(2)
  coherence.close()
  await positions.close()
})
