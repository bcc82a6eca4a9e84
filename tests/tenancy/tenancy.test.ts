import { randomUUID } from 'node:crypto'
import {
  buildClientSchema,
  getIntrospectionQuery,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunks } from '../support/chunks.ts'
import { longTests } from '../support/long-tests.ts'
import { bearer, createClient, type Client } from '../support/graphql-client.ts'
import { createSubscriptionClient, type SubscriptionClient } from '../support/subscription-client.ts'
import { succeeded } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import { answersForForeignAndUnknown, dataOf, type ForeignIds, idsOfMerchant, stable } from './foreign-ids.ts'
import {
  mutationsNaming,
  onlyNaming,
  queriesNaming,
  queriesOf,
  recordDepth,
  rootFields,
} from './naming-operations.ts'
import { generateOperation, type GeneratedOperation } from './operation-generator.ts'
import { sampleValue } from './sample-value.ts'
import { canary, copyMerchant, copyMerchantWithNewIds, fingerprint } from './tenants.ts'

const timeoutMs = 300_000

/** The selected levels of lists. A relationship shows from both of its tables with 2. */
const listDepth = longTests ? 3 : 2

/**
 * Two merchants with the same rows, ids included, and a third one with other ids. As the first one, with a key and
 * with a shopper's token, the test calls every root field that introspection shows, in both APIs. The answers must
 * not change when the twin is created, and no call may change a row of the others.
 */
describe('a merchant', { timeout: timeoutMs }, () => {
  let platform: TestPlatform
  let sql: postgres.Sql
  let foreign: ForeignIds
  const twin = randomUUID()
  const stranger = randomUUID()
  const apis: {
    readonly name: string
    readonly path: string
    readonly url: string
    readonly credential: string
    readonly client: Client
    readonly schema: GraphQLSchema
  }[] = []
  /** Each field is asked for by one of the API's callers that have it; `npm run test:long` has all of them ask. */
  const isSentBy = (api: (typeof apis)[number], field: string): boolean => {
    const callers = apis.filter(
      ({ path, schema }) =>
        path === api.path &&
        [schema.getQueryType(), schema.getMutationType()].some(
          (root) => root?.getFields()[field] !== undefined,
        ),
    )
    return longTests || callers[field.length % callers.length] === api
  }

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
          path,
          url,
          credential,
          client,
          schema: buildClientSchema(introspection),
        })
      }
    }
    await copyMerchantWithNewIds(sql, platform.merchantId, stranger)
    foreign = await idsOfMerchant(sql, stranger)
  })
  afterAll(async () => {
    await sql.end()
    await platform.stop()
  })

  test('gets the same answer to every query, whether or not another merchant has the same rows', async () => {
    const operations = apis.flatMap((api) =>
      queriesOf(api.schema, listDepth, () => undefined)
        .filter(({ field }) => !ofTheTest.test(field) && isSentBy(api, field))
        .map((operation) => ({ name: api.name, client: api.client, operation })),
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

    // Without rows in the answers, the comparison would prove nothing.
    const withRows = [...before.values()].filter((text) => text.includes('"id":'))
    expect(withRows.length).toBeGreaterThan(operations.length / 3)
    expect([...before].filter(([field, text]) => after.get(field) !== text).map(([field]) => field)).toEqual(
      [],
    )
    expect([...after].filter(([, text]) => text.includes(canary)).map(([field]) => field)).toEqual([])
  })

  test('finds nothing under another merchant’s ids', async () => {
    for (const api of apis) {
      const { name, client, schema } = api
      for (const operation of queriesNaming(foreign, schema).filter(({ field }) => isSentBy(api, field))) {
        const answer = await client(operation.query, operation.variables)
        expect.soft(answer.status, `${name} ${operation.field}`).toBeLessThan(500)
        expect.soft(dataOf(answer.text), `${name} ${operation.field}`).not.toMatch(foreign.pattern)
      }
    }
  })

  test('gets the same answers for another merchant’s ids as for unknown ids', async () => {
    let compared = 0
    for (const api of apis.filter(({ path }) => path === '/graphql')) {
      const { name, client, schema } = api
      const named = [
        ...queriesNaming(foreign, schema),
        ...onlyNaming(foreign, mutationsNaming(foreign, schema)),
      ]
      for (const operation of named.filter(({ field }) => isSentBy(api, field))) {
        const [one, other] = await answersForForeignAndUnknown(client, operation, foreign)
        expect.soft(one, `${name} ${operation.field} ${JSON.stringify(operation.variables)}`).toBe(other)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(300)
  })

  test('changes no row of another merchant by mutations with that merchant’s ids', async () => {
    const others = [twin, stranger]
    const before = await Promise.all(others.map((id) => fingerprint(sql, id)))
    let successes = 0
    for (const api of apis) {
      const { name, client, schema } = api
      for (const operation of mutationsNaming(foreign, schema).filter(({ field }) => isSentBy(api, field))) {
        const answer = await client(operation.query, operation.variables)
        expect.soft(answer.status, `${name} ${operation.field}: ${answer.text}`).toBeLessThan(500)
        expect.soft(answer.text, `${name} ${operation.field}`).not.toContain(canary)
        if (answer.errors.length === 0) successes += 1
      }
    }
    expect(successes).toBeGreaterThan(50)
    const after = await Promise.all(others.map((id) => fingerprint(sql, id)))
    expect(after).toEqual(before)
  })

  test('gets no rows of another merchant by any subscription', async () => {
    let answered = 0
    for (const { name, url, credential, schema } of apis) {
      const client = createSubscriptionClient(url, bearer(credential))
      const operations = subscriptionsOf(schema, (field, argument) => {
        // From the beginning, so that a stream sends something.
        if (argument === 'after') return ''
        return argument === 'id' ? foreign.leaf(field, argument) : undefined
      }).filter(({ field }) => !ofTheTest.test(field))
      for (const some of chunks(operations, 50)) {
        const answers = await Promise.all(some.map((operation) => firstAnswer(client, operation)))
        for (const [index, text] of answers.entries()) {
          const field = `${name} subscription ${some[index]?.field ?? ''}`
          expect.soft(text, field).not.toMatch(foreign.pattern)
          expect.soft(text, field).not.toContain(canary)
          if (text.includes('"data"')) answered += 1
        }
      }
      await client.dispose()
    }
    expect(answered).toBeGreaterThan(50)
  })
})

/**
 * The test's own requests add to the audit log, including the ids that they name. tests/audit.test.ts shows that
 * each merchant sees only its own entries.
 */
const ofTheTest = /^(auditEntr|audit_log)/

/** The first answer of a subscription, or nothing if none comes within two polling intervals of the engine. */
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

/** A subscription for every root field without required arguments, or with an id only. */
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
        depth: recordDepth,
        leaf: (name, type) => value(field.name, name) ?? sampleValue(type, name),
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
