import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { z } from 'zod'
import { applyMetadata } from './src/apply-metadata.ts'
import { type LiveSubscriber, openSubscriber } from './src/live-subscriber.ts'
import { median } from './src/median.ts'
import { processorMicroseconds } from './src/processor-time.ts'
import { readOptions } from './src/read-options.ts'
import { startServerProcess } from './src/server-process.ts'

const usage = `npm run bench:subscribers -- [--subscribers 5000] [--interval 1000] [--follow on] [--changes 5] [--slow 20]

Measures what subscribers cost: 50, 500 and 5,000 of them, half by each WebSocket protocol, to 50 different live
queries, whose changes the engine follows in the log (or, with \`--follow off\`, polls for). Prints the database's
statements per second, the time until a change reaches the subscribers, and the engine's processor time; beside it, as
the limit, the same queries one after the other on one connection. Then some subscribers stop reading, and it prints the effect on the engine's memory and on
the other subscribers.`

const options = readOptions(usage, {
  subscribers: z.coerce.number().int().min(100).max(10_000).default(5_000),
  interval: z.coerce.number().int().min(50).max(10_000).default(1_000),
  follow: z.enum(['on', 'off']).default('on'),
  changes: z.coerce.number().int().min(1).max(100).default(5),
  slow: z.coerce.number().int().min(0).max(100).default(20),
})

const adminSecret = 'bench-secret'
const queries = 50
const enginePath = path.resolve(import.meta.dirname, '../hasura/engine/bin/hasura-embedded.ts')
const windowMs = 10_000
const headers = { 'x-hasura-admin-secret': adminSecret, 'x-hasura-role': 'viewer' }

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'engine-subscribers-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const postgres = await startLocalPostgres({ dataDir: folder, databases: ['ticker'] })
started.defer(() => postgres.stop())
const client = new pg.Client({ connectionString: postgres.url })
await client.connect()
started.defer(() => client.end())
await client.query(`create table ticker (id integer primary key, price integer not null, note text not null)`)
await client.query(`insert into ticker select n, 0, '' from generate_series(1, $1::integer) n`, [queries])

const engine = await startServerProcess(
  enginePath,
  {
    HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: String(options.interval),
    HASURA_GRAPHQL_LOG_LEVEL: 'error',
    HASURA_GRAPHQL_MAX_CONNECTIONS_PER_ADDRESS: '20000',
    HASURA_GRAPHQL_LIVE_QUERIES_FOLLOW_CHANGES: String(options.follow === 'on'),
    HASURA_GRAPHQL_CHANGE_FEED_URL: postgres.url,
  },
  ['--database-url', postgres.url, '--port', '0'],
)
started.defer(() => engine.stop())
const select = { role: 'viewer', permission: { columns: '*', filter: {} } }
await applyMetadata(engine.url, adminSecret, [{ table: 'ticker', select_permissions: [select] }])

/** Each query has an alias of its own, so the engine compiles 50 statements, not one with 50 values. */
function queryOf(number: number): string {
  const id = 1 + (number % queries)
  return `subscription { ticker_${id}: ticker(where: {id: {_eq: ${id}}}) { id price } }`
}

console.log(`the ${queries} queries one after the other: ${(await queriesAlone()).toFixed(1)} ms`)
let changedAt = 0
console.log(`without subscribers: ${(await statementsPerSecond()).toFixed(1)} statements a second`)
const subscribers: LiveSubscriber[] = []
for (const count of [queries, Math.round(options.subscribers / 10), options.subscribers]) {
  await openUpTo(count)
  const before = await processorSeconds()
  const statements = await statementsPerSecond()
  const processor = ((await processorSeconds()) - before) / (windowMs / 1_000)
  const delays: number[] = []
  const each: number[] = []
  for (let change = 0; change < options.changes; change += 1) {
    delays.push(await changeReachesAll(subscribers))
    for (const { lastAt } of subscribers) each.push(lastAt() - changedAt)
  }
  console.log(
    `${count} subscribers to ${queries} queries: ${statements.toFixed(1)} statements a second, ` +
      `${(100 * processor).toFixed(0)} % of a processor; a change reached a subscriber after ${quantiles(each)} ms, ` +
      `the last after ${medianAndMost(delays)} ms (${options.follow === 'on' ? 'follows the log' : `interval ${options.interval} ms`}), ${await residentMegabytes()} MB resident`,
  )
}
if (options.slow > 0) await showSlowOnes()
for (const { socket } of subscribers) socket.terminate()

async function openUpTo(count: number): Promise<void> {
  while (subscribers.length < count) {
    const number = subscribers.length
    const batch = Array.from({ length: Math.min(100, count - number) }, (_, index) =>
      openSubscriber(
        engine.url,
        index % 2 === 0 ? 'graphql-transport-ws' : 'graphql-ws',
        headers,
        queryOf(number + index),
      ),
    )
    subscribers.push(...batch)
    await Promise.all(batch.map(({ first }) => first))
  }
}

/** Milliseconds from the commit of a change in every row until the last subscriber has received its answer. */
async function changeReachesAll(those: readonly LiveSubscriber[]): Promise<number> {
  await sleep(Math.random() * options.interval)
  const counts = those.map(({ answers }) => answers())
  await client.query('update ticker set price = price + 1')
  changedAt = performance.now()
  const deadline = changedAt + 60_000
  while (!those.every(({ answers }, index) => answers() > (counts[index] ?? 0))) {
    if (performance.now() > deadline) throw new Error('a change did not reach all within a minute')
    await sleep(10)
  }
  return Math.max(...those.map(({ lastAt }) => lastAt())) - changedAt
}

/** Some subscribers ask for a row with a megabyte of text, and stop reading while it changes. */
async function showSlowOnes(): Promise<void> {
  await client.query(`update ticker set note = repeat('x', 1000000) where id = 1`)
  const before = await residentMegabytes()
  const slow = Array.from({ length: options.slow }, () =>
    openSubscriber(
      engine.url,
      'graphql-transport-ws',
      headers,
      'subscription { ticker(where: {id: {_eq: 1}}) { note } }',
    ),
  )
  await Promise.all(slow.map(({ first }) => first))
  let closed = 0
  for (const { socket } of slow) {
    socket.on('error', () => undefined)
    socket.on('close', () => (closed += 1))
    socket.pause()
  }
  const delays: number[] = []
  let most = 0
  for (let change = 0; change < 25; change += 1) {
    await client.query(`update ticker set note = repeat($1, 1000000) where id = 1`, [String(change % 10)])
    delays.push(await changeReachesAll(subscribers))
    most = Math.max(most, await residentMegabytes())
  }
  for (const { socket } of slow) socket.resume()
  await sleep(3_000)
  console.log(
    `${options.slow} that stop reading answers of 1 MB: ${closed} dropped; ${before} MB resident before, ${most} MB at most, ` +
      `${await residentMegabytes()} MB after; a change reached the last of the others after ${medianAndMost(delays)} ms`,
  )
}

/** Milliseconds for all queries, prepared, without an engine. */
async function queriesAlone(): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 20; round += 1) {
    const begun = performance.now()
    for (let id = 1; id <= queries; id += 1)
      await client.query({ name: 'ticker', text: 'select id, price from ticker where id = $1', values: [id] })
    times.push(performance.now() - begun)
  }
  return median(times)
}

function quantiles(delays: readonly number[]): string {
  const sorted = delays.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0)
  return `${at(0.5)} (p99 ${at(0.99)})`
}

function medianAndMost(delays: readonly number[]): string {
  const sorted = delays.toSorted((a, b) => a - b)
  return `${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0)} (at most ${(sorted.at(-1) ?? 0).toFixed(0)})`
}

/** The database's commits per second, without those of this script's own readings. */
async function statementsPerSecond(): Promise<number> {
  // Backends report their statistics a second late.
  await sleep(2_000)
  const before = await committed()
  await sleep(windowMs)
  return ((await committed()) - before - 1) / (windowMs / 1_000)
}

async function committed(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select xact_commit::double precision as count from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.count ?? 0
}

async function processorSeconds(): Promise<number> {
  return ((await processorMicroseconds(engine.pid)) ?? Number.NaN) / 1_000_000
}

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${engine.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}
