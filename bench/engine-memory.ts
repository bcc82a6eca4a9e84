import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import pg from 'pg'
import { z } from 'zod'
import { applyMetadata } from './src/apply-metadata.ts'
import { createEngineShop, shopTables } from './src/engine-shop.ts'
import { readOptions } from './src/read-options.ts'
import type { MemoryReading } from './src/serve-measured-engine.ts'

const usage = `npm run bench:engine-memory -- [--requests 1000000] [--connections 32]

The engine's memory after a million requests: resident and heap memory after forced collections, after ten thousand
requests and on the way to a million. The requests exercise whatever could grow: half of them bring a new document,
each has a session of its own, and some have an unknown role, a write or a mistake.`

const options = readOptions(usage, {
  requests: z.coerce.number().int().min(20_000).default(1_000_000),
  connections: z.coerce.number().int().min(1).max(1000).default(32),
})

const adminSecret = 'bench-secret'
const products = 10_000
const firstReading = 10_000

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'engine-memory-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const postgres = await startLocalPostgres({ dataDir: folder, databases: ['shop'], durable: false })
started.defer(() => postgres.stop())
const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
await createEngineShop(pool, products)
await pool.end()

const engine = fork(path.join(import.meta.dirname, 'src/serve-measured-engine.ts'), {
  execArgv: ['--expose-gc'],
  env: { ...process.env, DATABASE_URL: postgres.url, ADMIN_SECRET: adminSecret },
})
started.defer(async () => {
  const exited = once(engine, 'exit')
  engine.kill('SIGTERM')
  await exited
})
const [engineUrl] = (await once(engine, 'message')) as [string]
const agent = new http.Agent({ keepAlive: true, maxSockets: options.connections })
started.defer(() => agent.destroy())
await applyMetadata(engineUrl, adminSecret, shopTables)

const readings = [firstReading, ...[0.1, 0.25, 0.5, 1].map((part) => Math.round(options.requests * part))]
let sent = 0
for (const until of readings) {
  await Promise.all(Array.from({ length: options.connections }, () => sendUntil(until)))
  const { rss, heapUsed, heapTotal, external } = await readMemory()
  console.log(
    `after ${String(sent).padStart(9)} requests: ${mega(rss)} resident, ${mega(heapUsed)} heap in use, ${mega(heapTotal)} heap held, ${mega(external)} external`,
  )
}

async function sendUntil(until: number): Promise<void> {
  while (sent < until) {
    sent += 1
    const { role, body, data } = requestOf(sent)
    const answer = await post('/v1/graphql', { 'x-hasura-role': role, ...sessionOf(sent) }, body)
    if (answer.startsWith('{"data":') !== data) throw new Error(`request ${sent} got ${answer.slice(0, 300)}`)
  }
}

const sessionOf = (number: number): Readonly<Record<string, string>> => ({
  'x-hasura-merchant-id': String(1 + (number % 10)),
  'x-hasura-user-id': `user-${number}`,
})

interface Shot {
  readonly role: string
  readonly body: object
  /** Whether the answer has data. */
  readonly data: boolean
}

/**
 * Of every twenty requests ten bring a new document, six repeat one, two write, one has an unknown role, one is wrong.
 */
function requestOf(number: number): Shot {
  const id = 1 + (number % products)
  const row = 'product_by_pk(id: $id) { id name slug price images { url alt } }'
  switch (number % 20) {
    case 0:
      return {
        role: `role-${number}`,
        body: { query: `query ($id: bigint!) { ${row} }`, variables: { id } },
        data: false,
      }
    case 1:
      return { role: 'merchant', body: { query: `{ nothing_${number} }` }, data: false }
    case 2:
    case 3:
      return {
        role: 'merchant',
        body: {
          query: `mutation ($object: product_insert_input!) { insert_product_one(object: $object) { id } }`,
          variables: { object: { name: `New ${number}`, slug: 'new', price: number % 1000 } },
        },
        data: true,
      }
    default:
      return {
        role: 'merchant',
        body: {
          query: `query ($id: bigint!) { ${number % 2 === 0 ? `alias_${number}: ` : ''}${row} }`,
          variables: { id },
        },
        data: true,
      }
  }
}

const post = (target: string, headers: Readonly<Record<string, string>>, body: unknown): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      new URL(target, engineUrl),
      { agent, method: 'POST', headers: { ...headers, 'x-hasura-admin-secret': adminSecret } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve(text))
        response.once('error', reject)
      },
    )
    request.once('error', reject)
    request.end(JSON.stringify(body))
  })

async function readMemory(): Promise<MemoryReading> {
  const reading = once(engine, 'message') as Promise<[MemoryReading]>
  engine.send('memory')
  const [memory] = await reading
  return memory
}

function mega(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0).padStart(4)} MB`
}
