import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChangeFeed, openChangeFeed, publishTables } from '@commerce-graph/change-feed'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { pino } from 'pino'
import { z } from 'zod'
import { processorMicroseconds } from './src/processor-time.ts'
import { readOptions } from './src/read-options.ts'

const usage = `npm run bench:change-feed -- [--seconds 5] [--writers 4] [--commits 200]

What feeds cost a database, by their number: each process has a slot of its own, so Postgres decodes the log once for each.
Writers commit as fast as they can; then one commits now and then, and the delay from the answer of its commit to the feed
is measured. The limit beside it is a round trip to Postgres.`

const options = readOptions(usage, {
  seconds: z.coerce.number().default(5),
  writers: z.coerce.number().default(4),
  commits: z.coerce.number().default(200),
})

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'bench-change-feed-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const reader = { name: 'log_reader', groups: [], readsLog: true } as const
const server = await startLocalPostgres({ dataDir: folder, databases: ['shop'], logins: [reader] })
started.defer(() => server.stop())
const client = await connected()
await client.query(`
  create table product (merchant_id uuid, id integer, name text, price integer, primary key (merchant_id, id));
  insert into product select md5((n % 100)::text)::uuid, n, repeat('x', 200), n from generate_series(1, 20000) n`)
const publication = 'changes'
const partitionColumn = 'merchant_id'
await publishTables(async (text) => (await client.query<object>(text)).rows, { publication, partitionColumn })

const feeds: ChangeFeed[] = []
started.defer(async () => {
  for (const feed of feeds) await feed.close()
})
console.log(`a round trip: ${quantiles(await roundTrips())} ms`)
for (const count of [0, 1, 2, 4, 8]) {
  while (feeds.length < count) feeds.push(await openFeed())
  const before = await senderSeconds()
  const own = process.cpuUsage()
  const rate = await writesPerSecond()
  const senders = ((await senderSeconds()) - before) / options.seconds
  const { user, system } = process.cpuUsage(own)
  const perCommit = (1_000_000 * senders) / rate / count
  console.log(
    `${count} feeds: ${rate.toFixed(0)} commits a second; this process (writers and feeds) took ` +
      `${((user + system) / options.seconds / 10_000).toFixed(0)} % of a processor` +
      (count === 0
        ? ''
        : `, each feed's session ${perCommit.toFixed(0)} µs for a commit; a commit was heard after ${quantiles(await delays())} ms`),
  )
}

async function connected(): Promise<pg.Client> {
  const opened = new pg.Client({ connectionString: server.url })
  await opened.connect()
  started.defer(() => opened.end())
  return opened
}

async function openFeed(): Promise<ChangeFeed> {
  const feed = openChangeFeed({
    databaseUrl: server.urlOf(reader.name),
    publication,
    partitionColumn,
    logger: pino({ level: 'warn' }),
  })
  const state = await feed.settled
  if (state.kind === 'absent') throw new Error(state.reason)
  return feed
}

async function writesPerSecond(): Promise<number> {
  const clients = await Promise.all(Array.from({ length: options.writers }, connected))
  const end = performance.now() + options.seconds * 1_000
  let commits = 0
  await Promise.all(
    clients.map(async (writer) => {
      while (performance.now() < end) {
        const id = 1 + Math.floor(Math.random() * 20_000)
        await writer.query({
          name: 'write',
          text: 'update product set price = price + 1 where id = $1 and merchant_id = md5(($1::integer % 100)::text)::uuid',
          values: [id],
        })
        commits += 1
      }
    }),
  )
  return commits / options.seconds
}

/** Milliseconds from the answer of a commit until the first feed tells it; negative when the feed was faster. */
async function delays(): Promise<readonly number[]> {
  const measured: number[] = []
  for (let number = 0; number < options.commits; number += 1) {
    const heard = Promise.withResolvers<number>()
    const leave = feeds[0]?.listen({
      committed: () => heard.resolve(performance.now()),
      changed: () => heard.reject(new Error('the feed was lost')),
    })
    await client.query('update product set price = price + 1 where id = 1')
    const answered = performance.now()
    measured.push((await heard.promise) - answered)
    leave?.()
    await sleep(5)
  }
  return measured
}

async function roundTrips(): Promise<readonly number[]> {
  const measured: number[] = []
  for (let number = 0; number < options.commits; number += 1) {
    const asked = performance.now()
    await client.query('select 1')
    measured.push(performance.now() - asked)
  }
  return measured
}

async function senderSeconds(): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_replication')
  const times = await Promise.all(rows.map(({ pid }) => processorMicroseconds(pid)))
  return times.reduce<number>((sum, time) => sum + (time ?? 0), 0) / 1_000_000
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2)
  return `${at(0.5)} (p99 ${at(0.99)})`
}
