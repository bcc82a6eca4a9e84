import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLField,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import { randomUUID } from 'node:crypto'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bearer, createClient, type Answer, type Client } from '../support/graphql-client.ts'
import { longTests } from '../support/long-tests.ts'
import { createStockedProduct, succeeded } from '../support/shop.ts'
import { signInOwner } from '../support/sign-in-owner.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import { generateOperation } from '../tenancy/operation-generator.ts'
import { copyMerchantWithNewIds, fingerprint } from '../tenancy/tenants.ts'
import { acceptedInputs } from './accepted.ts'
import { badInputs, type BadInput } from './bad-values.ts'
import { goodValue, registered, rowsOf, tablesByType, typeOfId } from './good-values.ts'

const timeoutMs = 600_000

/** Of the bad values, one in so many is sent, by their order in the schema: values of every kind, not all of every mutation. */
const oneOf = longTests ? 1 : 6

interface Case extends BadInput {
  readonly mutation: string
  readonly query: string
}

let platform: TestPlatform
let sql: postgres.Sql
let client: Client
/** The shop's owner, for mutations that a key may not call whatever its permissions. */
let owner: Client
const forUsers: ReadonlySet<string> = new Set(['sendTestEmail'])
let schema: GraphQLSchema
let own: ReadonlyMap<string, string>
let types: ReadonlyMap<string, string>
/** Another merchant's id for each id of this merchant. */
let foreign: ReadonlyMap<unknown, string>
const stranger = randomUUID()

beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => undefined })
  client = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  schema = buildClientSchema(succeeded(await client<IntrospectionQuery>(getIntrospectionQuery())))
  owner = await signInOwner(platform)
  types = await tablesByType(sql)
  const { registerCustomer: shopper } = succeeded(
    await client<{ registerCustomer: { customerId: string } }>(
      'mutation ($input: RegisterCustomerInput!) { registerCustomer(input: $input) { customerId errors { message } } }',
      { input: registered },
    ),
  )
  await sql`
    INSERT INTO merchant.ip_allow_list_entry (merchant_id, network) VALUES (${platform.merchantId}, '192.0.2.0/24')`
  const { id: productId } = await createStockedProduct(client, 10)
  succeeded(
    await client('mutation ($input: CreateCartInput!) { createCart(input: $input) { errors { message } } }', {
      input: { items: [{ productId, quantity: 1 }] },
    }),
  )
  succeeded(
    await client(
      `mutation ($account: ConnectPaymentAccountInput!, $option: CreatePaymentOptionInput!, $card: SavePaymentMethodInput!, $file: CreateFileUploadInput!) {
        connectPaymentAccount(input: $account) { errors { message } }
        createPaymentOption(input: $option) { errors { message } }
        savePaymentMethod(input: $card) { errors { message } }
        createFileUpload(input: $file) { errors { message } }
      }`,
      {
        account: { processor: 'STRIPE', secretKey: 'sk_test_sandbox_of_the_shop' },
        option: { method: 'INVOICE', name: 'Invoice' },
        file: { fileName: 'manual.pdf', contentType: 'application/pdf', size: 10, purpose: 'DOWNLOAD' },
        card: { customerId: shopper.customerId, paymentMethodId: 'pm_card_visa' },
      },
    ),
  )
  const { createWebhookEndpoint } = succeeded(
    await client<{ createWebhookEndpoint: { webhookEndpoint: { id: string } } }>(
      `mutation {
        createWebhookEndpoint(input: { url: "https://erp.example.com/", topics: ["order.created"], enabled: false }) {
          webhookEndpoint { id }
        }
      }`,
    ),
  )
  await sql`
    INSERT INTO bulk.import (merchant_id, format, status, finished_at)
    VALUES (${platform.merchantId}, 'CSV', 'FAILED', now())`
  await sql`
    INSERT INTO bulk.export (merchant_id, kind, format, status, holder_kind, holder_id, permissions, finished_at)
    VALUES (${platform.merchantId}, 'CUSTOMER_DATA', 'JSON_LINES', 'CANCELLED', 'KEY', gen_random_uuid(), '{exports:read}', now())`
  await sql`
    INSERT INTO events.delivery (merchant_id, endpoint_id, topic, position, status, body)
    VALUES (${platform.merchantId}, ${createWebhookEndpoint.webhookEndpoint.id}, 'webhook.test', '0', 'FAILED', '{}')`
  // A mail that is sent later would change rows while the test sends its mutations.
  await vi.waitFor(
    async () =>
      expect(await sql`SELECT id FROM email.delivery WHERE status IN ('QUEUED', 'SENDING')`).toEqual([]),
    { timeout: 60_000, interval: 200 },
  )
  own = await rowsOf(sql, platform.merchantId, types)
  await copyMerchantWithNewIds(sql, platform.merchantId, stranger)
  const theirs = await rowsOf(sql, stranger, types)
  foreign = new Map([...own].map(([type, id]) => [id, theirs.get(type) ?? id]))
}, timeoutMs)
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

/**
 * Every mutation that introspection shows, with valid variables except for one: a required value missing, null or
 * empty, a number negative, zero or too large, a text too long or of the wrong form, an enum value that doesn't
 * exist, or an id of another merchant. accepted.ts lists the values that are valid in some places.
 */
test(
  'every bad value is refused with an error that names its field, and no row changes',
  { timeout: timeoutMs },
  async () => {
    const cases = Object.values(mutationFields()).flatMap(casesOf)
    const refused = cases.filter((one) => !accepted(one))
    expect(refused.length).toBeGreaterThan(900)
    const before = await rows()
    const wrong: string[] = []
    for (const one of refused.filter((_, index) => index % oneOf === 0)) {
      const sender = forUsers.has(one.mutation) ? owner : client
      const answer = await sender(one.query, one.variables)
      if ((answer.data?.[one.mutation] as Errors | null | undefined)?.errors.length) tried.add(one.mutation)
      const problem = problemOf(one, answer)
      if (problem !== null) wrong.push(`${one.mutation} ${one.path} ${one.fault}: ${problem}`)
    }
    expect.soft([...withoutRow]).toEqual([])
    expect.soft(wrong).toEqual([])
    expect(await rows()).toEqual(before)
  },
)

/** Mutations that passed the permission check and found the error themselves. */
const tried = new Set<string>()

test('every mutation that was sent is in the audit log, with its outcome', async () => {
  expect(tried.size).toBeGreaterThan(100)
  const missing = async () => {
    const rows = await sql<{ operation: string }[]>`
      SELECT DISTINCT operation FROM audit.log WHERE merchant_id = ${platform.merchantId} AND outcome = 'INVALID'`
    const found = new Set(rows.map(({ operation }) => operation))
    return [...tried].filter((name) => !found.has(name))
  }
  await expect.poll(missing, { timeout: 5_000 }).toEqual([])
})

test('accepted.ts lists only fields that exist', () => {
  const places = new Set(
    Object.values(mutationFields())
      .flatMap(casesOf)
      .map((one) => `${one.mutation} ${one.path} ${one.fault}`),
  )
  const listed = acceptedInputs.flatMap(({ places: listed }) => listed)
  expect(listed.filter((place) => !places.has(place))).toEqual([])
})

/** These need an operator: a merchant's key is refused before its input is checked. */
const forOperators = [
  'confirmPlanRequest',
  'declinePlanRequest',
  'setMerchantPlan',
  'setBillingStatus',
  'createMerchant',
  'suspendMerchant',
  'reinstateMerchant',
  'closeMerchant',
  'confirmMerchantExport',
  'retryDeadLetters',
  'dropDeadLetters',
]

function mutationFields(): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  const fields = Object.entries(schema.getMutationType()?.getFields() ?? {})
  return Object.fromEntries(fields.filter(([name]) => !forOperators.includes(name)))
}

/** The variables of mutations whose optional fields exclude each other. */
function consistent(mutation: string, input: object = {}): Readonly<Record<string, unknown>> | undefined {
  switch (mutation) {
    // The first method, CARD, is none that a payment is recorded for.
    case 'recordPayment':
      return { input: { ...input, method: 'CASH' } }
    // The card is a new one, and stays unsaved.
    case 'processPayment':
      return { input: Object.fromEntries(Object.entries(input).filter(([name]) => !/^save/.test(name))) }
    // Either deliveries or a span of time.
    case 'replayWebhookDeliveries':
      return { input: Object.fromEntries(Object.entries(input).filter(([name]) => !/Date$/.test(name))) }
    default:
      return undefined
  }
}

function casesOf(mutation: GraphQLField<unknown, unknown>): readonly Case[] {
  const operation = generateOperation('mutation', mutation, {
    depth: 1,
    withOptional: () => true,
    leaf: (name, type) => (type === 'ID' ? ownId(name, mutation) : goodValue(name, type, mutation)),
  })
  const { input } = operation.variables as { readonly input?: object }
  return badInputs(mutation.args, consistent(mutation.name, input) ?? operation.variables, (id) =>
    foreign.get(id),
  ).map((bad) => ({
    ...bad,
    mutation: mutation.name,
    query: operation.query,
  }))
}

/**
 * Kinds of ids for which the shop has no row. Without a valid id, a mutation never reaches the checks after the
 * look-up.
 */
const withoutRow = new Set<string>()

function ownId(name: string, mutation: GraphQLField<unknown, unknown>): string {
  const type = typeOfId(name, mutation, types)
  const id = type === undefined ? undefined : own.get(type)
  if (id === undefined) withoutRow.add(`${mutation.name}: ${name} is the id of ${type ?? 'an unknown type'}`)
  return id ?? randomUUID()
}

function accepted(one: Case): boolean {
  return acceptedInputs.some(({ places }) => places.includes(`${one.mutation} ${one.path} ${one.fault}`))
}

interface Errors {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

/** Null if the answer refuses the input and names the field. */
function problemOf(one: Case, answer: Answer<Readonly<Record<string, unknown>>>): string | null {
  if (answer.status >= 500) return `status ${answer.status}: ${answer.text.slice(0, 300)}`
  const payload = answer.data?.[one.mutation] as Errors | null | undefined
  const named = [
    ...(payload?.errors ?? []).map((error) => error.field),
    ...answer.errors.map((error) => error.extensions.details.field),
  ]
  if (named.length === 0) return 'accepted'
  const field = one.path.split('.').findLast((step) => !/^\d+$/.test(step)) ?? ''
  return named.some((name) => typeof name === 'string' && name.split(/[.[\]]/).includes(field))
    ? null
    : `names ${JSON.stringify(named)}: ${answer.text.slice(0, 300)}`
}

/** A digest of every row of both merchants, except in tables that record failed attempts: a refused mutation may change those. */
async function rows() {
  const digests = await Promise.all([platform.merchantId, stranger].map((id) => fingerprint(sql, id)))
  return digests.map((tables) =>
    Object.fromEntries(
      Object.entries(tables).filter(([name]) => !/^(identity\.sign_in_attempt$|audit\.)/.test(name)),
    ),
  )
}
