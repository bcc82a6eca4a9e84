import { setTimeout as sleep } from 'node:timers/promises'
import { startWebhookReceiver, type WebhookReceiver } from '@commerce-graph/actions/testing/webhook-receiver'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { Webhook } from 'standardwebhooks'
import { bearer, createClient } from '../support/graphql-client.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { startFailingReceiver, startHopelessReceivers } from './failing-receivers.ts'

export interface WebhookSoakOptions {
  readonly databaseUrl: string
  /** How often the platform is killed. */
  readonly rounds: number
  /** Determines the moments of the kills, and what writers and the receiver do. */
  readonly seed: number
  /** Restarts Postgres; it is called instead of every fourth kill. */
  readonly restartPostgres?: () => Promise<void>
  /** A Redis for the platform, which loses everything at every third kill. */
  readonly redis?: { readonly url: string; restart(): Promise<void> } | undefined
  readonly tell?: (line: string) => void
}

export interface WebhookSoakReport {
  /** Changes that were committed. */
  readonly changes: number
  /** Changes that were rolled back. */
  readonly undone: number
  readonly webhooks: number
  /** Webhooks that came again, with the same id. */
  readonly repetitions: number
  /** How often the receiver failed in which way. */
  readonly failed: Readonly<Record<string, number>>
  /** Seconds from a change to the receiver that never fails, at most. */
  readonly slowest: number
  readonly faults: readonly string[]
}

/** Milliseconds. */
const longestLife = 1_500
const patience = 240_000
/** Milliseconds after which a receiver that never fails has each change, with all kills and other receivers' failures. */
const latest = 120_000
const records = 20
const writers = 4
/** Changes that a receiver doesn't have yet, from which on writers wait: they would outrun a platform on a busy machine. */
const mostWaiting = 400
/** Tenths of a second that they wait. */
const longestWait = 300

/**
 * Kills the platform with SIGKILL at random moments, while rows change, one of the merchant's servers fails in every way now and then,
 * and others never take anything. Then lets a platform finish, and compares what was committed with what arrived.
 */
export async function killWebhooks(options: WebhookSoakOptions): Promise<WebhookSoakReport> {
  const { databaseUrl, rounds, seed, restartPostgres, redis, tell } = options
  const random = randomNumbers(seed)
  await using started = new AsyncDisposableStack()
  const sql = postgres(databaseUrl, { max: writers + 2, onnotice: () => undefined, backoff: () => 0.1 })
  started.defer(() => sql.end())
  const receiver = await startFailingReceiver(random)
  started.defer(() => receiver.close())
  const steady = await startWebhookReceiver()
  started.defer(() => steady.close())
  const hopeless = started.use(await startHopelessReceivers())
  const platform = await PlatformProcess.create()
  started.defer(() => platform.remove())
  const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', REDIS_URL: redis?.url ?? '' }
  const ready = await platform.start(env)
  for (const url of hopeless.urls) await createEndpoint(ready, url)
  const secret = await createEndpoint(ready, receiver.url)
  await createEndpoint(ready, steady.url)
  const arrived = (): number => Math.min(receiver.received.length, steady.received.length)
  const writing = await startWriting(sql, ready, random, arrived)
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(random() * longestLife)
    if (redis && round % 3 === 0) await redis.restart()
    if (restartPostgres && round % 4 === 0) await restartPostgres()
    else {
      await platform.kill()
      await platform.start(env)
    }
    if (round % 5 === 0) await receiver.interrupt(random() * longestLife)
    if (round % 10 === 0)
      tell?.(`${round} kills, ${writing.committed.length} changes, ${receiver.received.length} webhooks`)
  }
  // The last ones, which nothing interrupts.
  await sleep(500)
  await writing.stop()
  tell?.('the last platform finishes what is open')
  await untilDelivered(sql, [receiver.url, steady.url])
  const { slowest, faults } = judgeTimes(writing, steady)
  const report = judge(writing, receiver, secret)
  return {
    ...report,
    failed: Object.fromEntries(receiver.failed),
    slowest: Math.round(slowest / 1000),
    faults: [
      ...report.faults,
      ...receiver.faults,
      ...faults,
      ...(await notSwitchedOff(sql, hopeless.urls.at(-1))),
    ],
  }
}

/** An endpoint that says that it is gone gets nothing more. */
async function notSwitchedOff(sql: Sql, url = ''): Promise<readonly string[]> {
  const rows = await sql<
    { status: string }[]
  >`SELECT status FROM events.endpoint WHERE url = ${url} AND status <> 'DISABLED'`
  return rows.map(({ status }) => `the endpoint that answers 410 is ${status}`)
}

async function createEndpoint({ graphqlUrl, liveKey }: Ready, url: string): Promise<string> {
  const client = createClient(graphqlUrl, bearer(liveKey))
  const { data } = await client<{ createWebhookEndpoint: { webhookEndpoint: { secret: string } } }>(
    `mutation ($input: CreateWebhookEndpointInput!) {
      createWebhookEndpoint(input: $input) { webhookEndpoint { secret } errors { message } }
    }`,
    { input: { url, topics: ['warehouse.updated'], query: '{ id name }' } },
  )
  if (!data) throw new Error('the endpoint could not be created')
  return data.createWebhookEndpoint.webhookEndpoint.secret
}

interface Writing {
  /** `<record> <number>`, in the order in which each record got them. */
  readonly committed: readonly string[]
  /** When each was committed, by `performance.now`. */
  readonly times: ReadonlyMap<string, number>
  readonly undone: readonly string[]
  stop(): Promise<void>
}

const nameOf = (record: number, number: number): string => `${record} ${number}`

/** Each record is changed by one writer, so its changes have an order. A change whose outcome is unknown is looked up. */
async function startWriting(
  sql: Sql,
  { merchantId }: Ready,
  random: () => number,
  arrived: () => number,
): Promise<Writing> {
  for (let record = 0; record < records; record += 1)
    await sql`
      INSERT INTO inventory.warehouse (merchant_id, name, code) VALUES (${merchantId}, ${nameOf(record, 0)}, ${`SOAK-${record}`})`
  const committed: string[] = []
  const times = new Map<string, number>()
  const undone: string[] = []
  let isWriting = true
  const change = async (record: number, number: number): Promise<boolean> => {
    const name = nameOf(record, number)
    const isUndone = random() < 0.1
    try {
      await sql.begin(async (transaction) => {
        await transaction`UPDATE inventory.warehouse SET name = ${name} WHERE merchant_id = ${merchantId} AND code = ${`SOAK-${record}`}`
        if (random() < 0.2) await sleep(random() * 100)
        if (isUndone) throw new Undone()
      })
    } catch (error) {
      if (error instanceof Undone) {
        undone.push(name)
        return false
      }
      return wasCommitted(record, name)
    }
    return true
  }
  const wasCommitted = async (record: number, name: string): Promise<boolean> => {
    for (;;) {
      try {
        const [row] = await sql<{ name: string }[]>`
          SELECT name FROM inventory.warehouse WHERE merchant_id = ${merchantId} AND code = ${`SOAK-${record}`}`
        return row?.name === name
      } catch {
        await sleep(200)
      }
    }
  }
  const write = async (writer: number): Promise<void> => {
    for (let number = 1; isWriting; number += 1) {
      const record = (number * writers + writer) % records
      if (await change(record, number)) {
        committed.push(nameOf(record, number))
        times.set(nameOf(record, number), performance.now())
      }
      await sleep(random() * 60)
      for (let waits = 0; waits < longestWait && committed.length - arrived() > mostWaiting; waits += 1)
        await sleep(100)
    }
  }
  const running = Array.from({ length: writers }, (_, writer) => write(writer))
  return {
    committed,
    times,
    undone,
    async stop() {
      isWriting = false
      await Promise.all(running)
    },
  }
}

class Undone extends Error {}

/** Until these endpoints have everything. What waits for its next attempt is sent at once, as if minutes had passed. */
async function untilDelivered(sql: Sql, urls: readonly string[]): Promise<void> {
  const end = Date.now() + patience
  while (Date.now() < end) {
    const waiting = sql`d.status IN ('PENDING', 'SENDING') AND (d.merchant_id, d.endpoint_id) IN (
      SELECT e.merchant_id, e.id FROM events.endpoint e WHERE e.url IN ${sql([...urls])})`
    await sql`UPDATE events.delivery d SET next_attempt_at = now() WHERE d.next_attempt_at > now() AND d.status = 'PENDING' AND ${waiting}`
    const [open] = await sql<{ count: number }[]>`
      SELECT ((SELECT count(*) FROM events.change) + (SELECT count(*) FROM events.delivery d WHERE ${waiting}))::integer AS count`
    if (open?.count === 0) return
    await sleep(500)
  }
}

/** Whether the receiver that never fails had each change soon, whatever happened to others. */
function judgeTimes(
  { committed, times }: Writing,
  { received }: WebhookReceiver,
): { readonly slowest: number; readonly faults: readonly string[] } {
  const arrivals = new Map<string, number>()
  for (const { event, at } of received) {
    const { name } = event['record'] as { readonly name: string }
    arrivals.set(name, Math.min(at, arrivals.get(name) ?? at))
  }
  const faults: string[] = []
  let slowest = 0
  for (const name of committed) {
    const took = (arrivals.get(name) ?? Number.POSITIVE_INFINITY) - (times.get(name) ?? 0)
    slowest = Math.max(slowest, took)
    if (took > latest)
      faults.push(`the receiver that never fails had ${name} after ${Math.round(took / 1000)} s`)
  }
  return { slowest, faults }
}

function judge(
  { committed, undone }: Writing,
  { received }: WebhookReceiver,
  secret: string,
): Omit<WebhookSoakReport, 'failed' | 'slowest'> {
  const faults: string[] = []
  const webhook = new Webhook(secret)
  const ids = new Map<string, string>()
  const arrived: string[] = []
  for (const { id, body, headers, event } of received) {
    const { name } = event['record'] as { readonly name: string }
    // Not by `verify`, which takes no signature that is older than five minutes, as the first ones of a long round are by now.
    const signed = webhook.sign(id, new Date(Number(headers['webhook-timestamp']) * 1_000), body)
    if (headers['webhook-signature']?.split(' ').includes(signed) !== true)
      faults.push(`${id} is not signed as it should be`)
    const before = ids.get(id)
    if (before === undefined) arrived.push(name)
    else if (before !== body) faults.push(`${id} came again with another body`)
    ids.set(id, body)
  }
  const came = new Set(arrived)
  if (came.size < arrived.length) faults.push('a change came under two ids')
  for (const name of committed) if (!came.has(name)) faults.push(`the change ${name} never came`)
  const rolledBack = new Set(undone)
  for (const name of arrived)
    if (rolledBack.has(name)) faults.push(`the change ${name} was rolled back, and came`)
  const last = new Map<string, number>()
  for (const name of arrived) {
    const [record = '', number = ''] = name.split(' ')
    if (Number(number) < (last.get(record) ?? 0))
      faults.push(`${name} came after ${record} ${last.get(record)}`)
    last.set(record, Number(number))
  }
  return {
    changes: committed.length,
    undone: undone.length,
    webhooks: received.length,
    repetitions: received.length - ids.size,
    faults,
  }
}
