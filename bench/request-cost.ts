import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer, type DataLayer, type DataLayerResult } from '@commerce-graph/data-layer'
import { limitsFrom } from '@commerce-graph/gateway/settings'
import { answerRequest, endpointParts, type EndpointParts } from '@commerce-graph/gateway/testing'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { tracer } from '@commerce-graph/telemetry'
import { print } from 'graphql'
import { pino } from 'pino'
import postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { NewestProductsDocument } from './src/generated/operations.ts'
import { createManyProducts } from './src/many-products.ts'
import { median } from './src/median.ts'
import { startPlatformEngine } from './src/platform-engine.ts'
import { readOptions } from './src/read-options.ts'
import { mostByTracing, tracingCost } from './src/tracing-cost.ts'

const usage = `npm run bench:request-cost -- [--requests 4000] [--redis redis://127.0.0.1:6379/9]

What authentication, rate limits and planning add to a request, in microseconds: the same request with and without
them, alternating in one process. Without a network, and with a recorded answer of the engine, so that nothing else
is measured; and once with Postgres, for the proportion.`

const options = readOptions(usage, {
  requests: z.coerce.number().int().min(100).max(1_000_000).default(4_000),
  redis: z.url({ protocol: /^rediss?$/ }).optional(),
})

const listQuery = print(NewestProductsDocument)
const bodyOf = (query: string): Buffer => Buffer.from(JSON.stringify({ query, variables: { first: 20 } }))
const body = bodyOf(listQuery)

interface Contender {
  readonly name: string
  readonly parts: EndpointParts
  readonly nextBody: () => Buffer
}

/** Repeats the engine's first answer from memory. */
function replaying(dataLayer: DataLayer): DataLayer {
  let answered: Promise<DataLayerResult> | undefined
  return { ...dataLayer, execute: (...operation) => (answered ??= dataLayer.execute(...operation)) }
}

/** The endpoint with its stages' results for the measured document computed beforehand. */
function planned(parts: EndpointParts): EndpointParts {
  const checked = parts.documents.check(listQuery, null)
  if (checked.kind !== 'operation') throw new Error('the document is not valid')
  const { operation } = checked
  if (known.kind !== 'authenticated') throw new Error('the key is not known')
  const plan = parts.plans.planFor(operation.prepared, known.principal, { first: 20 })
  const documents = { check: () => ({ ...checked, operation: { ...operation, complexity: () => 1 } }) }
  const plans = { planFor: () => plan }
  return { ...parts, documents, plans } as unknown as EndpointParts
}

async function microseconds({ parts, nextBody }: Contender, key: string): Promise<number> {
  const request = { key, body: nextBody() }
  const began = performance.now()
  const answer = await answerRequest(parts, request)
  const time = (performance.now() - began) * 1000
  if (answer?.status !== 200)
    throw new Error(`answered ${answer?.status ?? 'nothing'}: ${String(answer?.body ?? '')}`)
  return time
}

/**
 * Each round sends one request of each contender, so that other load on the machine affects all of them. The order is
 * random, because the request after a slow one is slower itself.
 */
async function compare(contenders: readonly Contender[], requests: number, key: string): Promise<void> {
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  const warmingRounds = Math.ceil(requests / 4)
  for (let round = -warmingRounds; round < requests; round += 1)
    for (const contender of shuffled(contenders)) {
      const time = await microseconds(contender, key)
      if (round >= 0) times.get(contender.name)?.push(time)
    }
  const [without = Number.NaN] = [...times.values()].map(median)
  for (const [name, values] of times) {
    const time = median(values)
    const more = time - without
    console.log(`  ${name.padEnd(52)} ${time.toFixed(1).padStart(8)} µs  ${more.toFixed(1).padStart(8)}`)
  }
}

const shuffled = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)

const logger = pino({ level: 'silent' })
const limits = limitsFrom({})
await using started = new AsyncDisposableStack()
const platformProcess = await PlatformProcess.create()
started.defer(() => platformProcess.remove())
const platform = await platformProcess.start()
const sql = postgres(platform.databaseUrl, { max: 1 })
await createManyProducts(sql, platform.merchantId, 2_000)
await sql.end()
const engine = await startPlatformEngine(platform.databaseUrl, logger, { tracer })
started.defer(() => engine.stop())
const key = platform.liveKey
const settings = ratesFrom({ LIMIT_RATE_ENTERPRISE: '1000000000/1000000000/1000000000' })
const rateLimits = await createRateLimits({ settings, logger })
const authenticator = createAuthenticator({
  databaseUrl: platform.databaseUrl,
  mode: 'live',
  logger,
})
started.defer(() => authenticator.close())
while (!authenticator.healthy) await new Promise((resolve) => setTimeout(resolve, 50))

const known = await authenticator.authenticate({ authorization: `Bearer ${key}`, remoteAddress: undefined })
const admission = await rateLimits.admit({ merchantId: platform.merchantId, plan: 'ENTERPRISE' })
const embedded = createEmbeddedDataLayer(engine)
const { audit, usedKeys } = authenticator
const noAuthentication = { audit, usedKeys, authenticate: () => Promise.resolve(known) }
const noRates = {
  admit: () => Promise.resolve(admission),
  weightOf: () => 1,
  guesses: rateLimits.guesses,
} as unknown as EndpointParts['rateLimits']
let seen = 0
const newBody = (): Buffer => bodyOf(`${listQuery} # ${(seen += 1)}`)

function contendersOver(dataLayer: DataLayer): readonly Contender[] {
  const whole = endpointParts({ dataLayer, authenticator, rateLimits, limits, logger })
  const bare = { ...planned(whole), authenticator: noAuthentication, rateLimits: noRates }
  const nextBody = () => body
  return [
    { name: 'without any of them', parts: bare, nextBody },
    { name: 'with authentication', parts: { ...bare, authenticator }, nextBody },
    { name: 'with rate limits', parts: { ...bare, rateLimits }, nextBody },
    {
      name: 'with a document that is planned already',
      parts: { ...whole, authenticator: noAuthentication, rateLimits: noRates },
      nextBody,
    },
    { name: 'with all of them', parts: whole, nextBody },
    { name: 'with all of them, the document never seen before', parts: whole, nextBody: newBody },
  ]
}

console.log(`median of ${options.requests} requests, and what that is more than without`)
const [without, ...others] = contendersOver(replaying(embedded))
const unseen = others.pop()
if (!without || !unseen) throw new Error('there is nothing to compare')
console.log('the engine’s answer replayed:')
await compare([without, ...others], options.requests, key)
console.log('planning in full:')
await compare([without, unseen], Math.ceil(options.requests / 10), key)
if (options.redis !== undefined) {
  const onRedis = await createRateLimits({ settings, redisUrl: options.redis, logger })
  started.defer(() => onRedis.close())
  const parts = { ...without.parts, rateLimits: onRedis }
  console.log('rates counted in Redis, most of it waiting for the answer:')
  await compare([without, { ...without, name: 'with rate limits on Redis', parts }], options.requests, key)
}
console.log('with Postgres:')
const real = contendersOver(embedded).filter(
  ({ name }) => name === without.name || name === 'with all of them',
)
await compare(real, Math.ceil(options.requests / 4), key)

const whole = real.find(({ name }) => name !== without.name)
if (whole === undefined) throw new Error('there is nothing to trace')
const { off, on } = await tracingCost(() => microseconds(whole, key), Math.ceil(options.requests / 2))
const more = on.processor / off.processor - 1
console.log(
  'tracing, with Postgres: the median of a request, and this process’s time for it with the export of its spans',
)
for (const [name, cost] of Object.entries({ 'without tracing': off, 'with every request recorded': on }))
  console.log(
    `  ${name.padEnd(52)} ${cost.time.toFixed(1).padStart(8)} µs  ${cost.processor.toFixed(1).padStart(8)} µs`,
  )
console.log(`  ${(more * 100).toFixed(1)} % more processor time; the limit is ${mostByTracing * 100} %`)
if (more > mostByTracing) process.exitCode = 1
