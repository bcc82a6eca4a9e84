import { randomUUID } from 'node:crypto'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import { readArguments } from '@commerce-graph/terminal'
import postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { type Answer, bearer, createClient } from '../support/graphql-client.ts'
import { succeeded } from '../support/shop.ts'
import { copyMerchantWithNewIds } from '../tenancy/tenants.ts'

const usage = `npm run id-timing -- [--requests 2000] [--database postgres://…]

Tests whether the time of an answer tells another merchant's id from one that does not exist, and an e-mail address with an account from one
without. Asks for both in turns, and compares the two sets of times by Mann and Whitney's test: p is the probability that equal sets would
differ this much.`

const { requests, database } = readArguments({
  usage,
  options: { requests: { type: 'string' }, database: { type: 'string' } },
  values: z.object({
    requests: z.coerce.number().int().min(100).max(100_000).default(2_000),
    database: z.string().default(''),
  }),
})

/** The queries, and the table whose ids each takes. */
const questions = [
  ['query ($id: ID!) { customer(id: $id) { id } }', 'crm.customer'],
  ['query ($id: ID!) { order(id: $id) { id total items { id } } }', 'ordering."order"'],
  ['query ($id: ID!) { product(id: $id) { id name } }', 'catalog.product'],
  ['mutation ($id: ID!) { deleteCustomer(id: $id) { success } }', 'crm.customer'],
  ['mutation ($id: ID!) { cancelOrder(id: $id, reason: "None") { errors { code } } }', 'ordering."order"'],
] as const

/** Two kinds of values that must not be told apart. */
interface Question {
  readonly name: string
  readonly known: (count: number) => string
  readonly unknown: (count: number) => string
  /** Resolves to what is timed. */
  readonly prepare: (value: string) => Promise<() => Promise<Answer<unknown>>>
}

const platform = await PlatformProcess.create()
try {
  const ready = await platform.start({
    DATABASE_URL: database,
    LOG_LEVEL: 'error',
    LIMIT_GUESSES_PER_MINUTE: '1000000',
    LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '1000000',
  })
  const sql = postgres(ready.databaseUrl, { max: 1, onnotice: () => undefined })
  for (const question of [...(await idQuestions(sql, ready)), ...(await addressQuestions(sql, ready))]) {
    const times = await timesOf(question)
    const [known, unknown] = [median(times.known), median(times.unknown)]
    const p = mannWhitney(times.known, times.unknown)
    console.log(
      `${question.name}\n  known ${known.toFixed(3)} ms, unknown ${unknown.toFixed(3)} ms, difference ${(known - unknown).toFixed(3)} ms, p = ${p.toFixed(3)}`,
    )
  }
  await sql.end()
} finally {
  await platform.remove()
}

/** By another merchant's ids. */
async function idQuestions(sql: postgres.Sql, ready: Ready): Promise<readonly Question[]> {
  const stranger = randomUUID()
  await copyMerchantWithNewIds(sql, ready.merchantId, stranger)
  const client = createClient(ready.graphqlUrl, bearer(ready.liveKey))
  return Promise.all(
    questions.map(async ([query, table]) => {
      const rows = await sql.unsafe<{ id: string }[]>(`SELECT id FROM ${table} WHERE merchant_id = $1`, [
        stranger,
      ])
      return {
        name: query,
        known: (count) => rows[count % rows.length]?.id ?? randomUUID(),
        unknown: () => randomUUID(),
        prepare: (id) => Promise.resolve(() => client(query, { id })),
      }
    }),
  )
}

/** By addresses of customers with an account, asked as a storefront's page. */
async function addressQuestions(sql: postgres.Sql, ready: Ready): Promise<readonly Question[]> {
  const accounts = await sql<{ email: string }[]>`
    SELECT email FROM crm.customer WHERE merchant_id = ${ready.merchantId} AND has_account`
  const strangers = accounts.map(() => `${randomUUID()}@example.com`)
  const client = createClient(ready.graphqlUrl, bearer(ready.publishableKey))
  const addresses = {
    known: (count: number) => accounts[count % accounts.length]?.email ?? '',
    // As often each, since a request for an address that has one under way does less.
    unknown: (count: number) => strangers[count % strangers.length] ?? '',
  }
  const checkout =
    'mutation ($input: StartGuestCheckoutInput!) { startGuestCheckout(input: $input) { customerId errors { code } } }'
  const reset =
    'mutation ($email: EmailAddress!) { requestCustomerPasswordReset(email: $email) { success errors { code } } }'
  return [
    {
      name: checkout,
      ...addresses,
      async prepare(email) {
        const { createCart } = succeeded(
          await client<{ createCart: { cart: { id: string }; secret: string } }>(
            'mutation { createCart(input: {}) { cart { id } secret } }',
          ),
        )
        const guest = createClient(ready.graphqlUrl, {
          ...bearer(ready.publishableKey),
          'x-cart-secret': createCart.secret,
        })
        return () => guest(checkout, { input: { email, cartId: createCart.cart.id } })
      },
    },
    {
      name: reset,
      ...addresses,
      prepare: (email) => Promise.resolve(() => client(reset, { email })),
    },
  ]
}

async function timesOf({ name, known, unknown, prepare }: Question) {
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let count = 0; count < requests + 100; count++) {
    // The order of the two alternates, so that neither has an advantage.
    const pair = [['known', known(count)] as const, ['unknown', unknown(count)] as const]
    for (const [which, value] of count % 2 === 0 ? pair : pair.toReversed()) {
      const ask = await prepare(value)
      const started = performance.now()
      const { status, text } = await ask()
      if (status !== 200) throw new Error(`${name} is refused, which says nothing of its values: ${text}`)
      // The first hundred requests warm up the process.
      if (count >= 100) times[which].push(performance.now() - started)
    }
  }
  return times
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Two-sided p of the Mann-Whitney U test by the normal approximation, which is good from a few dozen samples on. */
function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((time) => ({ time, mine: true })), ...other.map((time) => ({ time, mine: false }))]
  const ranked = all.toSorted((a, b) => a.time - b.time)
  const rankSum = ranked.reduce((sum, { mine }, index) => (mine ? sum + index + 1 : sum), 0)
  const u = rankSum - (one.length * (one.length + 1)) / 2
  const mean = (one.length * other.length) / 2
  const deviation = Math.sqrt((one.length * other.length * (one.length + other.length + 1)) / 12)
  return 2 * (1 - normal(Math.abs((u - mean) / deviation)))
}

/** The standard normal distribution (Abramowitz and Stegun 26.2.17; the error is below 7.5e-8). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const tail =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail
}
