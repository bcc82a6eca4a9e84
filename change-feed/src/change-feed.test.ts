import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { type LocalPostgres, startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChangeFeed, type FeedState, openChangeFeed } from './change-feed.ts'
import { CommitVisibility } from './commit-visibility.ts'
import type { CommittedTransaction } from './committed-transaction.ts'
import { publishTables } from './publication.ts'

const publication = 'changes'
const partitionColumn = 'merchant_id'
const [one, two] = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002']
/** Logs in for the feed alone, and may read no table. */
const reader = { name: 'log_reader', groups: [], readsLog: true } as const

let folder: string
let server: LocalPostgres
let client: pg.Client
const feeds: ChangeFeed[] = []

const start = (port?: number) =>
  startLocalPostgres({
    dataDir: folder,
    databases: ['shop'],
    logins: [reader],
    durable: false,
    settings: {
      max_slot_wal_keep_size: '1MB',
      // A standby that doesn't answer: who asks for it waits at the commit, which is in the log.
      synchronous_standby_names: 'nowhere',
    },
    ...(port !== undefined && { port }),
  })

const run = async (text: string): Promise<readonly unknown[]> =>
  (await client.query<Record<string, unknown>>(text)).rows

const publish = () => publishTables(run, { publication, partitionColumn, leftOut: ['queue'] })

async function connect(): Promise<void> {
  client = new pg.Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'change-feed-'))
  server = await start()
  await connect()
  // An empty database has a publication of nothing.
  await publish()
  await client.query(`
    create table product (merchant_id uuid, id integer, name text, primary key (merchant_id, id));
    create table plan (id integer primary key, name text);
    create table note (id integer primary key, merchant_id uuid, body text);
    create table keyless (name text);
    create unlogged table draft (id integer primary key);
    create table log (at date, id integer, primary key (at, id)) partition by range (at);
    create table log_today partition of log default;
    create schema queue create table job (id integer primary key);`)
  await publish()
})

beforeEach(() => client.query('truncate product, plan, note'))

afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close()
})

afterAll(async () => {
  await client.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Followed {
  readonly feed: ChangeFeed
  readonly transactions: CommittedTransaction[]
  readonly states: FeedState[]
}

/** A feed that follows, and all that it tells. */
async function follow(databaseUrl = server.urlOf(reader.name), silenceMs = 3_000): Promise<Followed> {
  const feed = openChangeFeed({
    databaseUrl,
    publication,
    partitionColumn,
    logger: pino({ level: 'silent' }),
    times: { firstPauseMs: 20, longestPauseMs: 100, heartbeatMs: 50, silenceMs },
  })
  feeds.push(feed)
  const transactions: CommittedTransaction[] = []
  const states: FeedState[] = []
  feed.listen({
    committed: (transaction) => transactions.push(transaction),
    changed: (state) => states.push(state),
  })
  expect(await feed.settled).toMatchObject({ kind: 'following' })
  states.length = 0
  return { feed, transactions, states }
}

/** A port that leads to the server's, until its connections die without a word. Later ones live. */
async function openNetwork(target: number) {
  const sockets = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connectTo(target, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    die: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

async function oidOf(table: string): Promise<number> {
  const { rows } = await client.query<{ oid: number }>('select $1::regclass::oid as oid', [table])
  return rows[0]?.oid ?? 0
}

/** By the table's name, the merchants whose rows the transactions have changed. */
async function changesOf(transactions: readonly CommittedTransaction[]): Promise<unknown[]> {
  const { rows } = await client.query<{ oid: number; name: string }>(
    `select oid, relname as name from pg_class where relkind = 'r'`,
  )
  const names = new Map(rows.map(({ oid, name }) => [oid, name]))
  return transactions.map(({ changes }) =>
    Object.fromEntries(
      [...changes].map(([oid, whose]) => [
        names.get(oid) ?? oid,
        whose === 'all' ? whose : [...whose].sort(),
      ]),
    ),
  )
}

test('publishes the tables whose changes can be followed, and the columns that name a row and its merchant alone', async () => {
  const { rows } = await client.query<{ tablename: string; attnames: string }>(
    `select tablename, attnames::text from pg_publication_tables order by tablename`,
  )
  expect(rows).toEqual([
    { tablename: 'note', attnames: '{id,merchant_id}' },
    { tablename: 'plan', attnames: '{id}' },
    { tablename: 'product', attnames: '{merchant_id,id}' },
  ])
})

test('tells transactions in the order of their commits, with the tables and merchants that they changed', async () => {
  const { transactions } = await follow()
  await client.query(`insert into product values ('${one}', 1, 'a'), ('${two}', 1, 'b')`)
  await client.query(`update product set name = 'c' where merchant_id = '${one}'`)
  await client.query(`update product set merchant_id = '${two}', id = 2 where merchant_id = '${one}'`)
  await client.query(`delete from product where merchant_id = '${two}'`)
  await client.query(`insert into plan values (1, 'basic')`)
  await client.query(`insert into note values (1, '${one}', 'a')`)
  // Postgres tells the old row's id, and not whose it was.
  await client.query(`update note set body = 'b'`)
  await client.query('delete from note')
  await client.query('truncate product')
  await expect.poll(() => transactions.length).toBe(9)
  expect(await changesOf(transactions)).toEqual([
    { product: [one, two] },
    { product: [one] },
    { product: [one, two] },
    { product: [two] },
    { plan: 'all' },
    { note: [one] },
    { note: 'all' },
    { note: 'all' },
    { product: 'all' },
  ])
  const positions = transactions.map(({ lsn }) => lsn)
  expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)))
})

test('says nothing of what is rolled back, in a savepoint either', async () => {
  const { transactions } = await follow()
  await client.query(`begin; insert into plan values (1, 'a'); rollback`)
  await client.query(`begin; savepoint a; insert into plan values (2, 'a'); rollback to a;
    insert into product values ('${one}', 1, 'a'); commit`)
  await expect.poll(() => transactions.length).toBe(1)
  expect(await changesOf(transactions)).toEqual([{ product: [one] }])
})

test('names no merchant of a transaction that changes many', async () => {
  const { transactions } = await follow()
  await client.query(`insert into product select md5(n::text)::uuid, n, 'a' from generate_series(1, 1001) n`)
  await client.query(`insert into note select n, '${one}', 'a' from generate_series(1, 20001) n`)
  await expect.poll(() => transactions.length, { timeout: 5_000 }).toBe(2)
  expect(await changesOf(transactions)).toEqual([{ product: 'all' }, { note: 'all' }])
})

test('confirms a position when nothing is written', async () => {
  const { feed } = await follow()
  const { rows } = await client.query<{ lsn: string }>(
    `select (pg_current_wal_flush_lsn() - '0/0')::text as lsn`,
  )
  const asked = performance.now()
  await expect.poll(() => feed.confirmed().at).toBeGreaterThan(asked)
  expect(feed.confirmed().lsn).toBeGreaterThanOrEqual(BigInt(rows[0]?.lsn ?? ''))
})

test('a commit that other snapshots do not show yet is waited for', async () => {
  const { transactions } = await follow()
  const visibility = new CommitVisibility(async () => {
    const { rows } = await client.query<{ snapshot: string }>(
      'select pg_current_snapshot()::text as snapshot',
    )
    return rows[0]?.snapshot ?? ''
  })
  const writer = new pg.Client({ connectionString: server.url })
  await writer.connect()
  const { rows } = await writer.query<{ pid: number }>('select pg_backend_pid() as pid')
  const writing = writer.query(`set synchronous_commit = on; insert into plan values (7, 'late')`)
  await expect.poll(() => transactions.length).toBe(1)
  visibility.note(transactions[0]?.xid ?? 0)
  expect(await visibility.settle(50)).toBe(false)
  expect((await client.query('select from plan')).rowCount).toBe(0)
  // The commit stays, and no longer waits.
  await client.query('select pg_cancel_backend($1)', [rows[0]?.pid])
  expect(await visibility.settle(5_000)).toBe(true)
  expect((await client.query('select from plan')).rowCount).toBe(1)
  await writing
  await writer.end()
})

test('follows again after its session was ended, and after a restart of Postgres, and leaves no slot behind', async () => {
  const { feed, transactions, states } = await follow()
  await client.query(`select pg_terminate_backend(active_pid) from pg_replication_slots`)
  await expect.poll(() => states.map(({ kind }) => kind)).toEqual(['absent', 'following'])
  await client.query(`insert into plan values (1, 'a')`)
  await expect.poll(() => transactions.length).toBe(1)

  await client.end()
  await server.stop()
  await expect.poll(() => feed.state().kind).toBe('absent')
  server = await start(server.port)
  await connect()
  await expect.poll(() => feed.state().kind, { timeout: 5_000 }).toBe('following')
  await client.query(`insert into plan values (2, 'a')`)
  await expect.poll(() => transactions.length).toBe(2)
  expect(await run('select from pg_replication_slots')).toHaveLength(1)
  await feed.close()
  await expect.poll(() => run('select from pg_replication_slots')).toEqual([])
})

test('a session behind a network that has died holds up no checkpoint, and the feed begins anew', async () => {
  const network = await openNetwork(server.port)
  const url = new URL(server.urlOf(reader.name))
  url.port = String(network.port)
  const { feed, states, transactions } = await follow(url.href, 500)
  const [slot] = await run('select slot_name from pg_replication_slots')
  network.die()
  await client.query(`insert into plan values (1, 'unheard')`)
  await client.query(`select pg_logical_emit_message(false, 'filler', repeat('x', 40000000))`)
  await client.query('select pg_switch_wal()')
  await expect
    .poll(
      async () => {
        await client.query('checkpoint')
        return run('select slot_name from pg_replication_slots')
      },
      { timeout: 4_000 },
    )
    .not.toContainEqual(slot)
  // On a busy machine, half a second of silence may come again.
  await expect
    .poll(() => states.slice(0, 2).map(({ kind }) => kind), { timeout: 5_000 })
    .toEqual(['absent', 'following'])
  expect(transactions).toEqual([])
  await feed.close()
  await network.close()
})

test('two processes follow, each by its own slot', async () => {
  const [first, second] = [await follow(), await follow()]
  await client.query(`insert into plan values (1, 'a')`)
  await expect.poll(() => [first.transactions.length, second.transactions.length]).toEqual([1, 1])
})

test('a table that is published later is followed from then on', async () => {
  const { feed, transactions, states } = await follow()
  await client.query('create table later (id integer primary key)')
  await client.query('insert into later values (1)')
  await publish()
  await expect.poll(() => states.map(({ kind }) => kind)).toEqual(['absent', 'following'])
  const table = await oidOf('later')
  expect(feed.state()).toMatchObject({ kind: 'following', tables: expect.any(Set) as unknown })
  expect((feed.state() as { tables: ReadonlySet<number> }).tables.has(table)).toBe(true)
  await client.query('insert into later values (2)')
  await expect.poll(() => transactions.length).toBe(1)
  await client.query('drop table later')
})

test('says why it does not follow, and begins when it can', async () => {
  const feed = openChangeFeed({
    databaseUrl: server.urlOf(reader.name),
    publication: 'absent',
    partitionColumn,
    logger: pino({ level: 'silent' }),
    times: { firstPauseMs: 20, longestPauseMs: 50 },
  })
  feeds.push(feed)
  expect(await feed.settled).toEqual({ kind: 'absent', reason: 'the database has no publication absent' })
  await client.query('create publication absent for table plan (id)')
  await expect.poll(() => feed.state().kind).toBe('following')
  await client.query('drop publication absent')
})

test('the login of the feed may read no table', async () => {
  const other = new pg.Client({ connectionString: server.urlOf(reader.name) })
  await other.connect()
  await expect(other.query('select from product')).rejects.toThrow('permission denied for table product')
  await other.end()
})
