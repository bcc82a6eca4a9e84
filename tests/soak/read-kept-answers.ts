import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@commerce-graph/local-postgres'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { bearer, createClient } from '../support/graphql-client.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { encryptionKeys } from '../support/role-processes.ts'

export interface CacheSoakOptions {
  /** Of a Postgres whose commits wait for its log. */
  readonly databaseUrl: string
  readonly rounds: number
  /** Determines what is interrupted and when, and what writers do. */
  readonly seed: number
  /** Milliseconds from one interruption to the next at most; 1,500 when absent. */
  readonly longestRound?: number
  readonly tell?: (line: string) => void
}

export interface CacheSoakReport {
  readonly commits: number
  readonly answers: number
  /** Of the gateway that is never killed: answers that it gave from memory. */
  readonly kept: number
  readonly faults: readonly string[]
}

const shelves = 3
const productsOfShelf = 3
const readers = 8

/** Products that each commit gives one version, so an answer shows which commit it is of. One writer changes them. */
interface Shelf {
  readonly ids: readonly string[]
  /** The last version whose commit may have begun, and the last one whose commit was confirmed. */
  begun: number
  confirmed: number
}

/**
 * Reads products through two gateways that keep answers, while writers change them. An answer must be of a commit no older than the
 * last one that was confirmed before the request was sent, and of one commit whole. Meanwhile the feeds' connections are ended, and
 * the second gateway is killed.
 */
export async function readKeptAnswers(options: CacheSoakOptions): Promise<CacheSoakReport> {
  const { databaseUrl, rounds, seed, longestRound = 1_500, tell } = options
  const random = randomNumbers(seed)
  await using started = new AsyncDisposableStack()
  const sql = postgres(databaseUrl, { max: shelves + 2, onnotice: () => undefined })
  started.defer(() => sql.end())
  const metricsPort = await freePorts(1)
  const env = {
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: encryptionKeys,
    ANSWER_CACHE: 'on',
    LOG_LEVEL: 'error',
    // The readers are one guest, whose rate would be five requests a second.
    LIMIT_RATE_ENTERPRISE: 'unlimited/10000000/10000000',
    LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '10000000',
  }
  const [steady, mortal] = [await PlatformProcess.create(), await PlatformProcess.create()]
  started.defer(() => steady.remove())
  started.defer(() => mortal.remove())
  const ready = await steady.start({ ...env, METRICS_PORT: String(metricsPort) })
  const urls = [ready.graphqlUrl, (await mortal.start(env)).graphqlUrl]
  const shelf = await Promise.all(Array.from({ length: shelves }, (_, place) => fillShelf(sql, ready, place)))
  const traffic = new Traffic({ sql, ready, urls, shelves: shelf, random })
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(random() * longestRound)
    if (round % 2 === 0)
      await sql`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active_pid IS NOT NULL`
    else {
      await mortal.kill()
      await mortal.start(env)
    }
    if (round % 10 === 0) tell?.(`${round} interruptions, ${traffic.answers} answers`)
  }
  // The last ones, which nothing interrupts.
  await sleep(longestRound)
  await traffic.stop()
  return {
    commits: shelf.reduce((sum, { confirmed }) => sum + confirmed, 0),
    answers: traffic.answers,
    kept: await keptAnswers(metricsPort),
    faults: traffic.faults,
  }
}

async function fillShelf(sql: Sql, { merchantId }: Ready, place: number): Promise<Shelf> {
  const rows = await sql<{ id: string }[]>`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status)
    SELECT ${merchantId}, '0', ${`SOAK-${place}-`} || n, 100, 'USD', 'ACTIVE' FROM generate_series(1, ${productsOfShelf}) n
    RETURNING id`
  return { ids: rows.map(({ id }) => id), begun: 0, confirmed: 0 }
}

interface TrafficOptions {
  readonly sql: Sql
  readonly ready: Ready
  readonly urls: readonly string[]
  readonly shelves: readonly Shelf[]
  readonly random: () => number
}

const answerSchema = z.object({ nodes: z.array(z.object({ name: z.string() }).nullable()) })

class Traffic {
  answers = 0
  readonly faults: string[] = []
  readonly #options: TrafficOptions
  readonly #running: readonly Promise<void>[]
  #isOpen = true

  constructor(options: TrafficOptions) {
    this.#options = options
    this.#running = [
      ...options.shelves.map((shelf) => this.#write(shelf)),
      ...Array.from({ length: readers }, (_, reader) => this.#read(reader)),
    ]
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#running)
  }

  async #write(shelf: Shelf): Promise<void> {
    const { random } = this.#options
    while (this.#isOpen) {
      shelf.begun += 1
      await this.#commit(shelf)
      shelf.confirmed = shelf.begun
      // Answers are kept only while nothing changes.
      await sleep(random() * 600)
    }
  }

  /** Gives the products a version: at once, with a savepoint that is rolled back, or after a while. */
  async #commit({ ids, begun }: Shelf): Promise<void> {
    const { sql, random, ready } = this.#options
    const way = Math.floor(random() * 3)
    await sql.begin(async (transaction) => {
      const rename = (name: string, scope: Pick<typeof transaction, 'unsafe'> = transaction) =>
        scope.unsafe('UPDATE catalog.product SET name = $1 WHERE merchant_id = $2 AND id = ANY ($3)', [
          name,
          ready.merchantId,
          [...ids],
        ])
      if (way === 1)
        await transaction
          .savepoint(async (savepoint) => {
            await rename('-1', savepoint)
            throw new Undone()
          })
          .catch((error: unknown) => {
            if (!(error instanceof Undone)) throw error
          })
      await rename(String(begun))
      if (way === 2) await sleep(random() * 30)
    })
  }

  async #read(reader: number): Promise<void> {
    const { urls, ready, shelves, random } = this.#options
    const url = urls[reader % urls.length] ?? ''
    const client = createClient(url, bearer(ready.publishableKey))
    while (this.#isOpen) {
      const shelf = shelves[Math.floor(random() * shelves.length)]
      if (shelf === undefined) return
      const confirmed = shelf.confirmed
      const answer = await client('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Product { name } } }', {
        ids: shelf.ids,
      }).catch(() => undefined)
      const { data } = answerSchema.nullish().safeParse(answer?.data)
      // A gateway that is killed, or is starting, gives no answer.
      if (!data) {
        await sleep(20)
        continue
      }
      this.answers += 1
      this.#judge(
        url,
        { confirmed, begun: shelf.begun },
        data.nodes.map((node) => Number(node?.name)),
      )
    }
  }

  #judge(url: string, { confirmed, begun }: Omit<Shelf, 'ids'>, versions: readonly number[]): void {
    const [version = Number.NaN] = versions
    if (versions.length !== productsOfShelf || versions.some((other) => other !== version))
      this.faults.push(`${url} answered with parts of commits: ${versions.join(', ')}`)
    else if (!(version >= confirmed))
      this.faults.push(`${url} answered with ${version} after ${confirmed} was confirmed`)
    else if (version > begun) this.faults.push(`${url} answered with ${version}, and ${begun} was the last`)
  }
}

class Undone extends Error {}

async function keptAnswers(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^commerce_answers_total\{[^}]*from="kept"[^}]*\} (\d+)/m.exec(text)?.[1] ?? Number.NaN)
}
