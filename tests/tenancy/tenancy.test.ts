import { randomUUID } from 'node:crypto'
import {
  buildClientSchema,
  getIntrospectionQuery,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLObjectType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient, type Client } from '../support/graphql-client.ts'
import { createSubscriptionClient, type SubscriptionClient } from '../support/subscription-client.ts'
import { succeeded } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import { generateOperation, type GeneratedOperation } from './operation-generator.ts'
import { sampleValue } from './sample-value.ts'
import { CANARY, copyMerchant, copyMerchantWithNewIds, fingerprint, tenantTables } from './tenants.ts'

const TIMEOUT_MS = 300_000
const LIST_DEPTH = 3
const RECORD_DEPTH = 1

/**
 * Two merchants with the same rows, ids included, and a third one whose ids are its own. As the first one, with
 * a key and with a shopper's token, every root field that introspection shows is called on both APIs. What it answers must not change when the twin appears,
 * and no row of the others may change, whatever it sends.
 */
describe('a merchant', { timeout: TIMEOUT_MS }, () => {
  let platform: TestPlatform
  let sql: postgres.Sql
  let foreign: ForeignIds
  const twin = randomUUID()
  const stranger = randomUUID()
  const apis: {
    readonly name: string
    readonly url: string
    readonly credential: string
    readonly client: Client
    readonly schema: GraphQLSchema
  }[] = []

  beforeAll(async () => {
    platform = await startTestPlatform()
    sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => undefined })
    const shopper = await shopperToken(createClient(platform.graphqlUrl, bearer(platform.liveKey)))
    for (const [who, credential] of [
      ['a key', platform.liveKey],
      ['a shopper', shopper],
    ] as const) {
      for (const [path, url] of [
        ['/graphql', platform.graphqlUrl],
        ['/v1/graphql', `${platform.hasuraUrl}/v1/graphql`],
      ] as const) {
        const client = createClient(url, bearer(credential))
        const introspection = succeeded(await client<IntrospectionQuery>(getIntrospectionQuery()))
        apis.push({
          name: `${path} by ${who}:`,
          url,
          credential,
          client,
          schema: buildClientSchema(introspection),
        })
      }
    }
    await copyMerchantWithNewIds(sql, platform.merchantId, stranger)
    foreign = await foreignIds(sql, stranger)
  })
  afterAll(async () => {
    await sql.end()
    await platform.stop()
  })

  test('gets the same answer to every query, whether or not another merchant has the same rows', async () => {
    const operations = apis.flatMap(({ name, client, schema }) =>
      queriesOf(schema, LIST_DEPTH, () => undefined)
        .filter(({ field }) => !ofTheTest.test(field))
        .map((operation) => ({ name, client, operation })),
    )
    const ask = async () => {
      const answers = new Map<string, string>()
      for (const { name, client, operation } of operations) {
        const answer = await client(operation.query, operation.variables)
        answers.set(`${name} ${operation.field}`, stable(answer.text))
      }
      return answers
    }

    const before = await ask()
    await copyMerchant(sql, platform.merchantId, twin)
    const after = await ask()

    // Rows must have come back at all, else nothing was compared.
    const withRows = [...before.values()].filter((text) => text.includes('"id":'))
    expect(withRows.length).toBeGreaterThan(operations.length / 3)
    expect([...before].filter(([field, text]) => after.get(field) !== text).map(([field]) => field)).toEqual(
      [],
    )
    expect([...after].filter(([, text]) => text.includes(CANARY)).map(([field]) => field)).toEqual([])
  })

  test("finds nothing under another merchant's ids", async () => {
    for (const { name, client, schema } of apis) {
      for (const table of foreign.tables) {
        for (const operation of queriesOf(schema, RECORD_DEPTH, (argument) =>
          foreign.leaf(table, argument, stranger),
        )) {
          // Lists without an id to ask for are compared above.
          if (Object.keys(operation.variables).length === 0) continue
          const answer = await client(operation.query, operation.variables)
          expect.soft(answer.status, `${name} ${operation.field}`).toBeLessThan(500)
          expect.soft(dataOf(answer.text), `${name} ${operation.field}`).not.toMatch(foreign.pattern)
        }
      }
    }
  })

  test("answers for another merchant's ids what it answers for ids that nobody has", async () => {
    let compared = 0
    for (const { name, client, schema } of apis.filter(({ url }) => url === platform.graphqlUrl)) {
      const queries = foreign.tables.flatMap((table) =>
        queriesOf(schema, RECORD_DEPTH, (argument) => foreign.leaf(table, argument, stranger)),
      )
      const named = [...queries, ...mutationsNaming(foreign, stranger, schema)].filter(({ variables }) =>
        foreign.pattern.test(JSON.stringify(variables)),
      )
      // A query names the same ids for many a table. Of the 16,000 in all, which take a minute, this is one of eight.
      const once = [
        ...new Map(named.map((one) => [JSON.stringify([one.field, one.variables]), one])).values(),
      ].filter((_, index) => index % 8 === 0)
      for (const { field, query, variables } of once) {
        const nobodys = new Map(foreign.all.map((id) => [id, randomUUID()]))
        const unknown = JSON.stringify(variables).replaceAll(
          new RegExp(foreign.pattern, 'g'),
          (id) => nobodys.get(id) ?? id,
        )
        const theirs = await client(query, variables)
        const absent = await client(query, JSON.parse(unknown) as typeof variables)
        const anyId = new RegExp([...foreign.all, ...nobodys.values()].join('|'), 'g')
        const [one, other] = [theirs, absent].map(({ text }) => stable(text.replaceAll(anyId, 'id')))
        expect.soft(one, `${name} ${field} ${JSON.stringify(variables)}`).toBe(other)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(500)
  })

  test("changes no row of another merchant, whichever mutation names that merchant's ids", async () => {
    const others = [twin, stranger]
    const before = await Promise.all(others.map((id) => fingerprint(sql, id)))
    let successes = 0
    for (const { name, client, schema } of apis) {
      for (const operation of mutationsNaming(foreign, stranger, schema)) {
        const answer = await client(operation.query, operation.variables)
        expect.soft(answer.status, `${name} ${operation.field}: ${answer.text}`).toBeLessThan(500)
        expect.soft(answer.text, `${name} ${operation.field}`).not.toContain(CANARY)
        if (answer.errors.length === 0) successes += 1
      }
    }
    expect(successes).toBeGreaterThan(50)
    const after = await Promise.all(others.map((id) => fingerprint(sql, id)))
    expect(after).toEqual(before)
  })

  test('hears nothing of another merchant, whatever it subscribes to', async () => {
    let answered = 0
    for (const { name, url, credential, schema } of apis) {
      const client = createSubscriptionClient(url, bearer(credential))
      const operations = subscriptionsOf(schema, (field, argument) => {
        // From the beginning, so that a stream has something to say.
        if (argument === 'after') return ''
        return argument === 'id' ? foreign.leaf(field, argument, stranger) : undefined
      }).filter(({ field }) => !ofTheTest.test(field))
      for (const some of chunks(operations, 50)) {
        const answers = await Promise.all(some.map((operation) => firstAnswer(client, operation)))
        for (const [index, text] of answers.entries()) {
          const field = `${name} subscription ${some[index]?.field ?? ''}`
          expect.soft(text, field).not.toMatch(foreign.pattern)
          expect.soft(text, field).not.toContain(CANARY)
          if (text.includes('"data"')) answered += 1
        }
      }
      await client.dispose()
    }
    expect(answered).toBeGreaterThan(50)
  })
})

/**
 * The audit log grows by what is asked here, and has the ids that were named. That each merchant sees its own is shown by
 * tests/audit.test.ts.
 */
const ofTheTest = /^auditEntr/

/** What a subscription answers first; nothing if it has nothing to say for two intervals of the engine. */
async function firstAnswer(client: SubscriptionClient, operation: GeneratedOperation): Promise<string> {
  return new Promise((resolve) => {
    const done = (answer: string): void => {
      clearTimeout(timer)
      leave()
      resolve(answer)
    }
    const timer = setTimeout(() => done(''), 2_500)
    const leave = client.subscribe(operation, {
      next: (answer) => done(JSON.stringify(answer)),
      error: (error) => done(JSON.stringify(error)),
      complete: () => done(''),
    })
  })
}

const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

/** A subscription for every root field that can be asked for without knowing its arguments, or by an id. */
function subscriptionsOf(
  schema: GraphQLSchema,
  value: (field: string, argument: string) => unknown,
): readonly GeneratedOperation[] {
  return rootFields(schema.getSubscriptionType())
    .filter(({ args }) =>
      args.every(({ name, type }) => !isNonNullType(type) || ['id', 'sku'].includes(name)),
    )
    .map((field) =>
      generateOperation('subscription', field, {
        depth: RECORD_DEPTH,
        leaf: (name, type) => value(field.name, name) ?? sampleValue(type),
        withOptional: (argument: GraphQLArgument) => value(field.name, argument.name) !== undefined,
      }),
    )
}

/** The token of the first customer that has an order. */
async function shopperToken(client: Client): Promise<string> {
  const { orders } = succeeded(
    await client<{ orders: { edges: { node: { customerId: string } }[] } }>(
      '{ orders(first: 1) { edges { node { customerId } } } }',
    ),
  )
  const issued = succeeded(
    await client<{ createCustomerAccessToken: { accessToken: string } }>(
      'mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken errors { message } } }',
      { id: orders.edges[0]?.node.customerId },
    ),
  )
  return issued.createCustomerAccessToken.accessToken
}

function queriesOf(
  schema: GraphQLSchema,
  depth: number,
  value: (argument: string) => unknown,
): readonly GeneratedOperation[] {
  return rootFields(schema.getQueryType()).map((field) =>
    generateOperation('query', field, {
      depth,
      leaf: (name, type) => value(name) ?? sampleValue(type),
      withOptional: (argument: GraphQLArgument) => value(argument.name) !== undefined,
    }),
  )
}

/** Every mutation with every one of the stranger's rows that its arguments can name; what names none is made once. */
function mutationsNaming(
  foreign: ForeignIds,
  stranger: string,
  schema: GraphQLSchema,
): readonly GeneratedOperation[] {
  return rootFields(schema.getMutationType()).flatMap((field) => {
    const byNames = new Map<string, GeneratedOperation>()
    for (const table of foreign.tables) {
      const named: unknown[] = []
      const leaf = (argument: string, type: string): unknown => {
        const id = foreign.leaf(table, argument, stranger)
        if (id !== undefined) named.push(id)
        return id ?? sampleValue(type)
      }
      const operation = generateOperation('mutation', field, {
        depth: RECORD_DEPTH,
        leaf,
        withOptional: () => false,
      })
      byNames.set(JSON.stringify(named), operation)
    }
    return [...byNames.values()]
  })
}

function rootFields(type: GraphQLObjectType | null | undefined) {
  if (type == null) throw new Error('the schema lacks a root type')
  return Object.values(type.getFields())
}

interface ForeignIds {
  readonly tables: readonly string[]
  readonly all: readonly string[]
  readonly pattern: RegExp
  /** The value for an argument that can name a row: the stranger's row of that table, where the name says which. */
  leaf(table: string, argument: string, merchantId: string): unknown
}

/** One row of each of the stranger's tables, by the singular name that arguments use for it. */
async function foreignIds(sql: postgres.Sql, merchantId: string): Promise<ForeignIds> {
  const byName = new Map<string, string>()
  for (const table of await tenantTables(sql)) {
    if (!table.columns.some((column) => column.name === 'id')) continue
    const [row] = await sql.unsafe<{ id: string }[]>(
      `SELECT id FROM ${table.name} WHERE merchant_id = $1 LIMIT 1`,
      [merchantId],
    )
    if (row !== undefined) byName.set(table.name.replaceAll('"', '').split('.')[1] ?? '', row.id)
  }
  const all = [...byName.values(), merchantId]
  return {
    tables: [...byName.keys()],
    all,
    pattern: new RegExp(all.join('|')),
    leaf(table, argument, merchant) {
      if (argument === 'merchantId') return merchant
      if (argument === 'id') return byName.get(table)
      if (argument === 'representations') return { __typename: typeName(table), id: byName.get(table) }
      const named = argument.replace(/Ids?$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      return argument.endsWith('Id') || argument.endsWith('Ids')
        ? (byName.get(named) ?? byName.get(table))
        : undefined
    },
  }
}

/** `product_variant` is ProductVariant in the contract. A table that isn't there under its name is refused, and nothing is found. */
const typeName = (table: string): string =>
  table.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Only what an answer says by itself: the caller's own variables may be echoed in a message. */
function dataOf(text: string): string {
  return JSON.stringify((JSON.parse(text) as { data?: unknown }).data ?? null)
}

/**
 * The answer without what differs from call to call: request ids, the time, when the key was last used, and the order of
 * lists that nobody asked to be sorted.
 */
function stable(text: string): string {
  return JSON.stringify(sorted(JSON.parse(text)))
}

const VOLATILE = new Set(['requestId', 'timestamp', 'lastUsedAt'])

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, VOLATILE.has(key) ? null : sorted(child)]),
  )
}
