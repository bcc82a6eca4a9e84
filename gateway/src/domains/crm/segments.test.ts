import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { fixtureId } from '../../testing/shop.ts'

let gateway: TestGateway
let key: string

const merchantId = fixtureId('merchant', 1, 0)
const day = 24 * 60 * 60 * 1000

/**
 * Forty customers with different values for every filter and up to three orders each, some of them refunded or
 * cancelled.
 */
const population = `
  INSERT INTO crm.customer (merchant_id, id, email, name, tags, marketing_opt_in, email_verified, created_at)
  SELECT '${merchantId}', md5('segment' || n)::uuid, 'segment' || n || '@example.com', 'Segment ' || n,
    CASE n % 3 WHEN 0 THEN '{}'::text[] WHEN 1 THEN '{vip}' ELSE '{vip,guide}' END, n % 2 = 0, n % 5 = 0,
    timestamptz '2026-01-01 00:00:00+00' + n * interval '1 day'
  FROM generate_series(1, 40) n;
  INSERT INTO crm.address (merchant_id, customer_id, line1, city, state, postal_code, country)
  SELECT '${merchantId}', md5('segment' || n)::uuid, '1 Main St', (ARRAY['Berlin', 'München', 'Paris'])[1 + (n + a) % 3], '', '1',
    CASE (n + a) % 3 WHEN 2 THEN 'FR' ELSE 'DE' END
  FROM generate_series(1, 40) n, generate_series(1, 2) a WHERE n % 4 >= a;
  INSERT INTO ordering.order (merchant_id, id, order_number, customer_id, status, currency, subtotal, tax, shipping, discount,
    total, shipping_address_id, created_at)
  SELECT '${merchantId}', md5('segment-order' || n || '-' || i)::uuid, 'S-' || n || '-' || i, md5('segment' || n)::uuid,
    (ARRAY['CONFIRMED', 'PENDING', 'CANCELLED', 'DELIVERED', 'REFUNDED'])[1 + (n * 3 + i) % 5], 'USD', 0, 0, n * 100, 0, n * 100,
    md5('segment-address' || n || '-' || i)::uuid, date_trunc('day', now()) - (n * i % 50) * interval '1 day' - interval '1 hour'
  FROM generate_series(1, 40) n, generate_series(1, 3) i WHERE n % 4 >= i;
  INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
  SELECT merchant_id, shipping_address_id, id, '1 Main St', 'Berlin', '', '1', 'DE' FROM ordering.order WHERE order_number LIKE 'S-%';
  INSERT INTO payment.payment (merchant_id, order_id, amount, currency, status, method, processor, refunded_amount)
  SELECT merchant_id, id, total, 'USD', CASE status WHEN 'DELIVERED' THEN 'PARTIALLY_REFUNDED' ELSE 'SUCCEEDED' END, 'CASH', 'manual',
    CASE status WHEN 'DELIVERED' THEN 50 ELSE 0 END
  FROM ordering.order WHERE order_number LIKE 'S-%' AND status IN ('CONFIRMED', 'DELIVERED')`

beforeAll(async () => {
  gateway = await openTestGateway()
  await gateway.shop.sql(population)
  key = await gateway.createKey({ permissions: everyPermission })
  people = await readPeople()
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Payload {
  readonly errors: readonly { readonly field: string; readonly code: string }[]
  readonly segment: {
    readonly id: string
    readonly name: string
    readonly filter: Filter | null
    readonly memberCount: number
    readonly members: { readonly totalCount: number; readonly edges: readonly { node: { id: string } }[] }
  } | null
}

async function ask<Data>(document: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
  const answer = await send(gateway, key, document, variables)
  expect(answer.errors).toEqual([])
  return answer.data as Data
}

const filterFields = `totalSpentMin totalSpentMax orderCountMin orderCountMax lastOrderAfter lastOrderBefore lastOrderWithinDays
  noOrderForDays tags cities countries marketingOptIn emailVerified createdAfter createdBefore`
const fields = `segment { id name filter { ${filterFields} } memberCount members(first: 100) { totalCount edges { node { id } } } }
  errors { field code message }`

const create = async (input: object): Promise<Payload> =>
  (
    await ask<{ createCustomerSegment: Payload }>(
      `mutation ($input: CustomerSegmentInput!) { createCustomerSegment(input: $input) { ${fields} } }`,
      { input },
    )
  ).createCustomerSegment

const update = async (id: string | undefined, input: object): Promise<Payload> =>
  (
    await ask<{ updateCustomerSegment: Payload }>(
      `mutation ($id: ID!, $input: UpdateCustomerSegmentInput!) { updateCustomerSegment(id: $id, input: $input) { ${fields} } }`,
      { id, input },
    )
  ).updateCustomerSegment

interface Person {
  readonly id: string
  readonly spent: number
  readonly orders: number
  readonly lastOrder: number | null
  readonly tags: readonly string[]
  readonly places: readonly { readonly city: string; readonly country: string }[]
  readonly optIn: boolean
  readonly verified: boolean
  readonly created: number
}

let people: readonly Person[]

/** Calculated from the rows, without the view that segments use. */
async function readPeople(): Promise<readonly Person[]> {
  const [customers, orders, payments, addresses] = await Promise.all(
    ['crm.customer', 'ordering.order', 'payment.payment', 'crm.address'].map((table) =>
      gateway.shop.sql(`SELECT * FROM ${table} WHERE merchant_id = '${merchantId}'`),
    ),
  )
  return (customers ?? []).map((customer) => {
    const counted = (orders ?? []).filter(
      (order) =>
        order['customer_id'] === customer['id'] &&
        !['PENDING', 'CANCELLED'].includes(String(order['status'])),
    )
    // A refunded order still counts as bought, but with an amount of 0.
    const kept = counted.filter((order) => order['status'] !== 'REFUNDED')
    const refunded = (payments ?? [])
      .filter((payment) => kept.some((order) => order['id'] === payment['order_id']))
      .reduce((sum, payment) => sum + Number(payment['refunded_amount']), 0)
    const times = counted.map((order) => Number(order['created_at']))
    return {
      id: String(customer['id']),
      spent: kept.reduce((sum, order) => sum + Number(order['total']), 0) - refunded,
      orders: counted.length,
      lastOrder: times.length === 0 ? null : Math.max(...times),
      tags: customer['tags'] as string[],
      places: (addresses ?? [])
        .filter((address) => address['customer_id'] === customer['id'])
        .map((address) => ({ city: String(address['city']), country: String(address['country']) })),
      optIn: customer['marketing_opt_in'] === true,
      verified: customer['email_verified'] === true,
      created: Number(customer['created_at']),
    }
  })
}

interface Filter {
  readonly totalSpentMin?: number | null | undefined
  readonly totalSpentMax?: number | null | undefined
  readonly orderCountMin?: number | null | undefined
  readonly orderCountMax?: number | null | undefined
  readonly lastOrderAfter?: string | null | undefined
  readonly lastOrderBefore?: string | null | undefined
  readonly lastOrderWithinDays?: number | null | undefined
  readonly noOrderForDays?: number | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly cities?: readonly string[] | null | undefined
  readonly countries?: readonly string[] | null | undefined
  readonly marketingOptIn?: boolean | null | undefined
  readonly emailVerified?: boolean | null | undefined
  readonly createdAfter?: string | null | undefined
  readonly createdBefore?: string | null | undefined
}

/** Whether the condition is absent or true for the value; no condition is true for a missing value. */
const meets = <V, W>(value: V | null, asked: W | null | undefined, holds: (value: V, asked: W) => boolean) =>
  asked == null || (value !== null && holds(value, asked))
const atLeast = (value: number, min: number) => value >= min
const atMost = (value: number, max: number) => value <= max
const since = (value: number, time: string) => value >= Date.parse(time)
const before = (value: number, time: string) => value < Date.parse(time)
const isOneOf = (value: string, values: readonly string[] | null | undefined) =>
  values == null || values.some((one) => one.toLowerCase() === value.toLowerCase())

const isIn = (person: Person, filter: Filter): boolean =>
  meets(person.spent, filter.totalSpentMin, atLeast) &&
  meets(person.spent, filter.totalSpentMax, atMost) &&
  meets(person.orders, filter.orderCountMin, atLeast) &&
  meets(person.orders, filter.orderCountMax, atMost) &&
  meets(person.lastOrder, filter.lastOrderAfter, since) &&
  meets(person.lastOrder, filter.lastOrderBefore, before) &&
  meets(person.lastOrder, filter.lastOrderWithinDays, (time, days) => time >= Date.now() - days * day) &&
  meets(person.lastOrder ?? 0, filter.noOrderForDays, (time, days) => time < Date.now() - days * day) &&
  (filter.tags ?? []).every((tag) => person.tags.includes(tag)) &&
  meets(person.optIn, filter.marketingOptIn, Object.is) &&
  meets(person.verified, filter.emailVerified, Object.is) &&
  meets(person.created, filter.createdAfter, since) &&
  meets(person.created, filter.createdBefore, before) &&
  ((filter.cities == null && filter.countries == null) ||
    person.places.some(
      ({ city, country }) => isOneOf(city, filter.cities) && isOneOf(country, filter.countries),
    ))

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 20 })
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, value)
const date = (min: number, max: number) =>
  fc.integer({ min, max }).map((days) => new Date(Date.UTC(2026, 0, days)).toISOString())
const recent = (min: number, max: number) =>
  fc.integer({ min, max }).map((days) => new Date(Date.now() - days * day).toISOString())
const someOf = (...values: string[]) => fc.subarray(values, { minLength: 1 })

const filters = fc.record({
  totalSpentMin: rarely(fc.integer({ min: 0, max: 3000 })),
  totalSpentMax: rarely(fc.integer({ min: 3000, max: 9000 })),
  orderCountMin: rarely(fc.integer({ min: 0, max: 1 })),
  orderCountMax: rarely(fc.integer({ min: 1, max: 3 })),
  lastOrderAfter: rarely(recent(20, 50)),
  lastOrderBefore: rarely(recent(0, 19)),
  lastOrderWithinDays: rarely(fc.integer({ min: 5, max: 50 })),
  noOrderForDays: rarely(fc.integer({ min: 1, max: 40 })),
  tags: rarely(someOf('vip', 'guide')),
  cities: rarely(someOf('berlin', 'MÜNCHEN', 'Nowhere')),
  countries: rarely(someOf('DE', 'FR')),
  marketingOptIn: rarely(fc.boolean()),
  emailVerified: rarely(fc.boolean()),
  createdAfter: rarely(date(1, 15)),
  createdBefore: rarely(date(16, 42)),
})

describe('a segment', () => {
  test('has exactly the customers whose rows match its filter, for any filter', async () => {
    const { segment } = await create({ name: 'Changing' })
    const sizes: number[] = []
    await fc.assert(
      fc.asyncProperty(maybe(filters), async (filter) => {
        const changed = await update(segment?.id, { filter: filter ?? null })
        expect(changed.errors).toEqual([])
        const expected = people.filter((person) => isIn(person, filter ?? {})).map(({ id }) => id)
        const members = changed.segment?.members
        expect(members?.edges.map(({ node }) => node.id).sort()).toEqual(expected.sort())
        expect(members?.totalCount).toBe(expected.length)
        expect(changed.segment?.memberCount).toBe(expected.length)
        sizes.push(expected.length)
      }),
      { numRuns: 60 },
    )
    expect(sizes.some((size) => size > 0 && size < people.length)).toBe(true)
  })

  test('without conditions has all customers, and says so; a filter with only a false value is a condition', async () => {
    const { segment } = await create({ name: 'All of them', filter: {} })
    expect(segment).toMatchObject({ filter: null, memberCount: people.length })
    const changed = await update(segment?.id, { filter: { marketingOptIn: false } })
    expect(changed.segment?.filter).toMatchObject({ marketingOptIn: false, tags: null })
    expect((await update(segment?.id, { name: 'Unasked' })).segment).toMatchObject({
      name: 'Unasked',
      filter: { marketingOptIn: false },
    })
  })

  test('is refused with all its errors, each with its field', async () => {
    const { errors } = await create({
      name: ' ',
      filter: {
        totalSpentMin: 2,
        totalSpentMax: 1,
        orderCountMin: -1,
        createdAfter: '2026-01-01T00:00:00Z',
        createdBefore: '2026-01-01T00:00:00Z',
        noOrderForDays: 0,
        tags: [],
        cities: [''],
      },
    })
    expect(errors.map(({ field, code }) => [field, code])).toEqual([
      ['name', 'REQUIRED_FIELD'],
      ['filter.orderCountMin', 'OUT_OF_RANGE'],
      ['filter.noOrderForDays', 'OUT_OF_RANGE'],
      ['filter.tags', 'OUT_OF_RANGE'],
      ['filter.cities.0', 'REQUIRED_FIELD'],
      ['filter.totalSpentMax', 'INVALID_VALUE'],
      ['filter.createdBefore', 'INVALID_VALUE'],
    ])
    await create({ name: 'Taken' })
    expect((await create({ name: 'Taken' })).errors).toMatchObject([
      { field: 'name', code: 'ALREADY_EXISTS' },
    ])
  })

  test('can be deleted, and its members stay', async () => {
    const { segment } = await create({ name: 'Gone' })
    const answer = await ask<{ deleteCustomerSegment: { success: boolean } }>(
      'mutation ($id: ID!) { deleteCustomerSegment(id: $id) { success errors { field } } }',
      { id: segment?.id },
    )
    expect(answer.deleteCustomerSegment.success).toBe(true)
    expect(await ask('query ($id: ID!) { customerSegment(id: $id) { id } }', { id: segment?.id })).toEqual({
      customerSegment: null,
    })
    expect(await ask('{ customers { totalCount } }')).toEqual({ customers: { totalCount: people.length } })
  })

  test('reflects a refund at once', async () => {
    const { segment } = await create({ name: 'Big spenders', filter: { totalSpentMin: 6000 } })
    const before = segment?.memberCount ?? 0
    expect(before).toBeGreaterThan(0)
    await gateway.shop.sql(
      `UPDATE payment.payment SET refund_requested_amount = captured_amount, refunded_amount = captured_amount WHERE merchant_id = '${merchantId}'`,
    )
    expect((await update(segment?.id, {})).segment?.memberCount).toBe(0)
  })
})
