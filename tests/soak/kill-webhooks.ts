import { setTimeout as sleep } from 'node:timers/promises'
import { startWebhookReceiver, type WebhookReceiver } from '@commerce-graph/actions/testing/webhook-receiver'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { Webhook } from 'standardwebhooks'
import { bearer, createClient } from '../support/graphql-client.ts'
import { randomNumbers } from '../support/random-numbers.ts'

export interface WebhookSoakOptions {
  readonly databaseUrl: string
  /** How often the platform is killed. */
  readonly rounds: number
  /** Determines the moments of the kills, and what writers and the receiver do. */
  readonly seed: number
  /** Restarts Postgres; it is called instead of every fourth kill. */
  readonly restartPostgres?: () => Promise<void>
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
  readonly faults: readonly string[]
}

/** Milliseconds. */
const longestLife = 1_500
const patience = 240_000
const records = 20
const writers = 4

/**
 * Kills the platform with SIGKILL at random moments, while rows change and the merchant's server fails now and then. Then lets a platform
 * finish, and compares what was committed with what arrived.
 */
export async function killWebhooks(options: WebhookSoakOptions): Promise<WebhookSoakReport> {
  const { databaseUrl, rounds, seed, restartPostgres, tell } = options
  const random = randomNumbers(seed)
  await using started = new AsyncDisposableStack()
  const sql = postgres(databaseUrl, { max: writers + 2, onnotice: () => undefined, backoff: () => 0.1 })
  started.defer(() => sql.end())
  const receiver = await startWebhookReceiver()
  started.defer(() => receiver.close())
  failNowAndThen(receiver, random)
  const platform = await PlatformProcess.create()
  started.defer(() => platform.remove())
  const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }
  const ready = await platform.start(env)
  const secret = await createEndpoint(ready, receiver.url)
  const writing = await startWriting(sql, ready, random)
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(random() * longestLife)
    if (restartPostgres && round % 4 === 0) await restartPostgres()
    else {
      await platform.kill()
      await platform.start(env)
    }
    if (round % 10 === 0)
      tell?.(`${round} kills, ${writing.committed.length} changes, ${receiver.received.length} webhooks`)
  }
  // The last ones, which nothing interrupts.
  await sleep(500)
  await writing.stop()
  tell?.('the last platform finishes what is open')
  await untilDelivered(sql)
  return judge(writing, receiver, secret)
}

/** Each webhook is refused at most once: the second retry would come after minutes. */
function failNowAndThen(receiver: WebhookReceiver, random: () => number): void {
  const seen = new Set<string>()
  receiver.behave((response, { id }) => {
    const isFirst = !seen.has(id)
    seen.add(id)
    const chance = random()
    if (isFirst && chance < 0.02) response.destroy()
    else if (isFirst && chance < 0.04) response.writeHead(503).end()
    else setTimeout(() => response.writeHead(204).end(), chance * 20)
  })
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
  readonly undone: readonly string[]
  stop(): Promise<void>
}

const nameOf = (record: number, number: number): string => `${record} ${number}`

/** Each record is changed by one writer, so its changes have an order. A change whose outcome is unknown is looked up. */
async function startWriting(sql: Sql, { merchantId }: Ready, random: () => number): Promise<Writing> {
  for (let record = 0; record < records; record += 1)
    await sql`
      INSERT INTO inventory.warehouse (merchant_id, name, code) VALUES (${merchantId}, ${nameOf(record, 0)}, ${`SOAK-${record}`})`
  const committed: string[] = []
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
      if (await change(record, number)) committed.push(nameOf(record, number))
      await sleep(random() * 60)
    }
  }
  const running = Array.from({ length: writers }, (_, writer) => write(writer))
  return {
    committed,
    undone,
    async stop() {
      isWriting = false
      await Promise.all(running)
    },
  }
}

class Undone extends Error {}

async function untilDelivered(sql: Sql): Promise<void> {
  const end = Date.now() + patience
  while (Date.now() < end) {
    const [open] = await sql<{ count: number }[]>`
      SELECT ((SELECT count(*) FROM events.change)
        + (SELECT count(*) FROM events.delivery WHERE status IN ('PENDING', 'SENDING')))::integer AS count`
    if (open?.count === 0) return
    await sleep(500)
  }
}

function judge(
  { committed, undone }: Writing,
  { received }: WebhookReceiver,
  secret: string,
): WebhookSoakReport {
  const faults: string[] = []
  const webhook = new Webhook(secret)
  const ids = new Map<string, string>()
  const arrived: string[] = []
  for (const { id, body, headers, event } of received) {
    const { name } = event['record'] as { readonly name: string }
    try {
      webhook.verify(body, headers)
    } catch {
      faults.push(`${id} is not signed as it should be`)
    }
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
