import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEventReceiver } from '@commerce-graph/actions/testing/event-receiver'
import postgres from '@commerce-graph/postgres-driver'
import { randomNumbers } from './random-numbers.ts'

export interface KillOptions {
  /** An empty database. */
  readonly databaseUrl: string
  readonly kills: number
  /** Determines the moments of the kills. */
  readonly seed: number
  readonly tell?: (line: string) => void
}

export interface KillReport {
  /** Counts of mutations: answered, failed, and committed (answered or not). */
  readonly answered: number
  readonly failed: number
  readonly committed: number
  /** Kills before the engine was ready for requests. */
  readonly killedWhileStarting: number
  readonly events: number
  readonly posts: number
  readonly jobs: number
  /** Violations by kind; every list must be empty. */
  readonly faults: Readonly<Record<string, readonly string[]>>
}

const enginePath = path.resolve(import.meta.dirname, '../../hasura/engine/bin/hasura-embedded.ts')
const writerCount = 6
const accounts = 5
const patienceMs = 120_000

/** Three root fields and a nested insert: several statements in one transaction. */
const placeOrder = `mutation ($order: orders_insert_input!, $entry: entry_insert_input!, $account: Int!, $amount: Int!) {
  insert_orders_one(object: $order) { id }
  insert_entry_one(object: $entry) { order_id }
  update_account_by_pk(pk_columns: {id: $account}, _inc: {balance: $amount}) { balance }
}`

/** One statement that writes two rows. */
const addPair = `mutation ($objects: [pair_insert_input!]!) { insert_pair(objects: $objects) { affected_rows } }`

/**
 * Kills engines with SIGKILL at random moments from their start on, while clients write through them and the
 * platform's receiver takes their events. Then lets one engine finish everything, and looks for violations: a lost
 * event, an event that became two jobs, an operation that is half done.
 */
export async function killEngines(options: KillOptions): Promise<KillReport> {
  const random = randomNumbers(options.seed)
  const sql = postgres(options.databaseUrl, { max: 2, onnotice: () => undefined })
  await sql.unsafe(await readFile(new URL('kill-engine.sql', import.meta.url), 'utf8'))
  const receiver = await startEventReceiver(options.databaseUrl)
  try {
    const setup = startEngine(options.databaseUrl)
    await setup.ready
    await replaceMetadata(await setup.ready, receiver.url)
    setup.child.kill('SIGKILL')
    const writers = startWriters()
    let killedWhileStarting = 0
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const engine = startEngine(options.databaseUrl)
      if (random() < 0.1) {
        await Promise.race([engine.ready, sleep(random() * 3_000)])
        if (engine.child.exitCode === null && !engine.isReady()) killedWhileStarting += 1
      } else {
        writers.goTo(await engine.ready)
        await sleep(random() * 1_200)
      }
      writers.goTo(undefined)
      await end(engine.child)
      if (kill % 10 === 0)
        options.tell?.(
          `${kill} kills, ${writers.answered.length} mutations answered, ${receiver.posts()} posts`,
        )
    }
    await writers.stop()
    const last = startEngine(options.databaseUrl)
    await last.ready
    await untilDelivered(sql, receiver.jobs)
    await end(last.child)
    return await report(sql, writers, receiver, killedWhileStarting)
  } finally {
    await receiver.close()
    await sql.end()
  }
}

interface RunningEngine {
  readonly child: ChildProcess
  /** Resolves with the engine's URL; never resolves if the engine is killed before. */
  readonly ready: Promise<string>
  readonly isReady: () => boolean
}

function startEngine(databaseUrl: string): RunningEngine {
  const child = spawn(process.execPath, [enginePath, '--database-url', databaseUrl, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '20',
      HASURA_GRAPHQL_LOG_LEVEL: 'error',
    },
  })
  let url: string | undefined
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      url = /http:\S+/.exec(line)?.[0]
      if (url !== undefined) resolve(url)
    })
  })
  return { child, ready, isReady: () => url !== undefined }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

interface Writers {
  /** Keys of the mutations that were answered with data. */
  readonly answered: string[]
  readonly failed: () => number
  /** Sends the following mutations to this URL; sends none while it is undefined. */
  goTo(url: string | undefined): void
  stop(): Promise<void>
}

function startWriters(): Writers {
  const answered: string[] = []
  let failed = 0
  let target: string | undefined
  let stopping = false
  const write = async (writer: number): Promise<void> => {
    for (let turn = writer; !stopping; turn += 1) {
      if (target === undefined) {
        await sleep(5)
        continue
      }
      const key = randomUUID()
      const request = turn % 4 === 0 ? pairOf(key) : orderOf(key, 1 + (turn % accounts), 1 + (turn % 7))
      if (await isAnswered(target, request)) answered.push(key)
      else failed += 1
    }
  }
  const writing = Array.from({ length: writerCount }, (_, writer) => write(writer))
  return {
    answered,
    failed: () => failed,
    goTo(url) {
      target = url
    },
    async stop() {
      stopping = true
      await Promise.all(writing)
    },
  }
}

const orderOf = (id: string, account: number, amount: number) => ({
  query: placeOrder,
  variables: {
    order: {
      id,
      account_id: account,
      status: 'NEW',
      lines: { data: [0, 1, 2].map((position) => ({ position, amount })) },
    },
    entry: { order_id: id, account_id: account, amount },
    account,
    amount,
  },
})

function pairOf(id: string) {
  const twin = randomUUID()
  return {
    query: addPair,
    variables: {
      objects: [
        { id, twin },
        { id: twin, twin: id },
      ],
    },
  }
}

async function isAnswered(url: string, body: object): Promise<boolean> {
  try {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
    const answer = (await response.json()) as { readonly data?: unknown; readonly errors?: unknown }
    // A dying engine gives no answer. If it answers, the answer must not be an error.
    if (answer.errors !== undefined) throw new Refusal(JSON.stringify(answer.errors))
    return answer.data !== undefined
  } catch (error) {
    if (error instanceof Refusal) throw error
    return false
  }
}

class Refusal extends Error {}

async function untilDelivered(sql: postgres.Sql, jobs: readonly unknown[]): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const [counts] = await sql<[{ open: number; rows: number }]>`
      select (select count(*)::int from hdb_catalog.event_log where not delivered) as open,
        (select count(*)::int from orders) as rows`
    if (counts.open === 0 && jobs.length >= counts.rows) break
    await sleep(100)
  }
  // If there were a second job, it would run about now.
  await sleep(1_000)
}

async function report(
  sql: postgres.Sql,
  writers: Writers,
  receiver: { readonly posts: () => number; readonly jobs: readonly unknown[] },
  killedWhileStarting: number,
): Promise<KillReport> {
  const orders = (await sql<{ id: string }[]>`select id from orders`).map(({ id }) => id)
  const pairs = (await sql<{ id: string }[]>`select id from pair`).map(({ id }) => id)
  const ids = async (query: postgres.PendingQuery<postgres.Row[]>): Promise<readonly string[]> =>
    (await query).map((row) => String(row['id']))
  const jobs = receiver.jobs.map(String)
  const delivered = new Set(jobs)
  const present = new Set([...orders, ...pairs])
  const [{ count: events } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*)::int as count from hdb_catalog.event_log`
  return {
    answered: writers.answered.length,
    failed: writers.failed(),
    committed: orders.length + pairs.length / 2,
    killedWhileStarting,
    events,
    posts: receiver.posts(),
    jobs: jobs.length,
    faults: {
      'answered, but not there': writers.answered.filter((key) => !present.has(key)),
      'committed, but its event never became a job': orders.filter((id) => !delivered.has(id)),
      'became a second job': jobs.filter((id, index) => jobs.indexOf(id) !== index),
      'became a job, but is not committed': jobs.filter((id) => !present.has(id)),
      'event not settled': await ids(sql`select id from hdb_catalog.event_log where not delivered or error`),
      'without its event': await ids(
        sql`select id from orders o where 1 <> (
          select count(*) from hdb_catalog.event_log e where e.payload->'data'->'new'->>'id' = o.id::text)`,
      ),
      'order without its three lines': await ids(
        sql`select id from orders o where 3 <> (select count(*) from line l where l.order_id = o.id)`,
      ),
      'order without its entry': await ids(
        sql`select id from orders o where not exists (select from entry e where e.order_id = o.id)`,
      ),
      'account whose balance is not the sum of its entries': await ids(
        sql`select id from account a where balance <> (select coalesce(sum(amount), 0) from entry e where e.account_id = a.id)`,
      ),
      'row of a pair without its twin': await ids(
        sql`select id from pair p where not exists (select from pair t where t.id = p.twin)`,
      ),
    },
  }
}

async function replaceMetadata(graphqlUrl: string, receiverUrl: string): Promise<void> {
  const table = (name: string) => ({ schema: 'public', name })
  const args = {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } } },
        tables: [
          { table: table('account') },
          {
            table: table('orders'),
            array_relationships: [
              {
                name: 'lines',
                using: { foreign_key_constraint_on: { table: table('line'), column: 'order_id' } },
              },
            ],
            event_triggers: [
              {
                // One of the triggers that the platform's receiver knows.
                name: 'order_status_changed',
                definition: { enable_manual: false, insert: { columns: '*' } },
                retry_conf: { num_retries: 3, interval_sec: 1, timeout_sec: 10 },
                webhook: `${receiverUrl}/order_status_changed`,
              },
            ],
          },
          { table: table('line') },
          { table: table('entry') },
          { table: table('pair') },
        ],
      },
    ],
  }
  const response = await fetch(new URL('/v1/metadata', graphqlUrl), {
    method: 'POST',
    body: JSON.stringify({ type: 'replace_metadata', args }),
  })
  if (!response.ok) throw new Error(`the metadata was refused: ${await response.text()}`)
}
