import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEngine } from '../engine.ts'
import { type WebhookReceiver, startReceiver } from './testing/webhook-receiver.ts'

const kills = process.env['TEST_LONG'] === undefined ? 2 : 5
const concurrency = 20

let database: TestDatabase
let pool: pg.Pool
let receiver: WebhookReceiver
const children: ChildProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  pool.on('error', () => undefined)
  receiver = await startReceiver()
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await receiver.close()
  await pool.end()
  await database.drop()
})

const bin = new URL('../../bin/hasura-embedded.ts', import.meta.url).pathname

/** Starts an engine in a process that the test kills. */
function startProcess(): ChildProcess {
  const child = spawn(process.execPath, [bin, '--database-url', database.url, '--port', '0'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '10',
      HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE: String(concurrency),
      HASURA_GRAPHQL_LOG_LEVEL: 'error',
    },
  })
  children.push(child)
  return child
}

async function eventually(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not come to that')
    await sleep(20)
  }
}

test('no committed event is lost when engines are killed in the middle of deliveries', async () => {
  await pool.query('create table item (id serial primary key)')
  const options = { databaseUrl: database.url, logger: pino({ level: 'silent' }), poolSize: 4 }
  const setup = await startEngine({ ...options, events: { delivery: 'when-asked' } })
  await setup.replaceMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: { schema: 'public', name: 'item' },
            event_triggers: [
              {
                name: 'item_added',
                definition: { insert: { columns: '*' } },
                retry_conf: { num_retries: 0 },
                webhook: receiver.url,
              },
            ],
          },
        ],
      },
    ],
  })
  await setup.stop()

  receiver.answer = () => ({ status: 200, delayMs: Math.random() * 30 })
  const committed: number[] = []
  const writing = new AbortController()
  const writer = (async () => {
    while (!writing.signal.aborted) {
      const { rows } = await pool.query<{ id: number }>('insert into item default values returning id')
      committed.push(...rows.map(({ id }) => id))
      await sleep(1)
    }
  })()
  for (let kill = 0; kill < kills; kill += 1) {
    const before = receiver.calls.length
    const child = startProcess()
    await eventually(() => receiver.calls.length > before)
    await sleep(Math.random() * 200)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  writing.abort()
  await writer
  const undelivered = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::int as count from hdb_catalog.event_log where not delivered',
    )
    return rows[0]?.count ?? 0
  }
  expect(await undelivered()).toBeGreaterThan(0)

  const last = await startEngine({ ...options, events: { fetchIntervalMs: 10 } })
  await eventually(async () => (await undelivered()) === 0)
  await last.stop()
  const received = receiver.calls.map(
    ({ body }) => (body.event as { data: { new: { id: number } } }).data.new.id,
  )
  expect(committed.filter((id) => !received.includes(id))).toEqual([])
  // Only an event under way when a process was killed may arrive twice, with the same id.
  const events = new Set(receiver.calls.map(({ body }) => body.id))
  expect(events.size).toBe(new Set(received).size)
  expect(receiver.calls.length - events.size).toBeLessThanOrEqual(kills * concurrency)
})
