import type { Client } from '../support/graphql-client.ts'
import { shippingAddress, createStockedProduct, succeeded } from '../support/shop.ts'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answersForForeignAndUnknown,
  dataOf,
  foreignIds,
  type ForeignIds,
  singularOf,
} from './foreign-ids.ts'
import { mutationsNaming, onlyNaming, queriesNaming } from './naming-operations.ts'
import { rootFields } from './expectations.ts'
import { type Matrix, openMatrix } from './open-matrix.ts'
import { outcomeOf } from './table-writes.ts'
import { tableFields, type TrackedTable } from './tracked-tables.ts'

type Data = Readonly<Record<string, unknown>>

/**
 * Values of enumerations, which are plain texts in Hasura's own API, and values that shoppers may set on their own
 * records.
 */
const goodSample = (name: string): unknown =>
  ({
    method: 'CARD',
    reason: 'DAMAGED',
    platform: 'WEB',
    kind: 'ORDER_SHIPPED',
    country: 'US',
    currency: 'USD',
    phone: '+1 503 555 9573',
    paymentMethodId: 'pm_card_visa',
  })[name]

/** The selection of a mutation. It omits the fields of the answer that shoppers may not see. */
const errorsAlone = ' { errors { field code } }'

/** A row that one shopper sees and the other doesn't. */
interface OwnRow {
  readonly table: TrackedTable
  readonly id: string
}

/**
 * Two shoppers of one merchant. One names the other's rows by their ids, everywhere that both APIs take an id: no
 * answer shows or changes the rows or tells whether they exist.
 */
describe('a shopper who has another shopper’s ids', { timeout: 300_000 }, () => {
  let matrix: Matrix
  let own: readonly OwnRow[]
  let foreign: ForeignIds
  const paths = ['/graphql', '/v1/graphql'] as const

  beforeAll(async () => {
    matrix = await openMatrix('test')
    own = await rowsOfFirstShopperOnly()
    const byName = new Map(own.map(({ table, id }) => [singularOf(table.name), id]))
    foreign = foreignIds(byName, matrix.platform.merchantId)
  }, 120_000)
  afterAll(() => matrix.close())

  test('sees nothing of those rows', async () => {
    expect(foreign.tables).toEqual(
      expect.arrayContaining([
        'customer',
        'address',
        'cart',
        'cart_item',
        'order',
        'order_item',
        'appointment',
        'payment',
      ]),
    )
    const credential = await matrix.shopper(1)
    for (const path of paths) {
      const client = matrix.client(path, credential)
      for (const { field, query, variables } of queriesNaming(
        foreign,
        await matrix.schemaFor(path, credential),
      )) {
        const answer = await client(query, variables)
        expect.soft(answer.status, `${path} ${field}`).toBeLessThan(500)
        expect.soft(dataOf(answer.text), `${path} ${field}`).not.toMatch(foreign.pattern)
      }
    }
  })

  test('gets the same answers as for unknown ids', async () => {
    const credential = await matrix.shopper(1)
    const schema = await matrix.schemaFor('/graphql', credential)
    const client = matrix.client('/graphql', credential)
    const operations = [
      ...queriesNaming(foreign, schema),
      ...onlyNaming(foreign, mutationsNaming(foreign, schema, { select: errorsAlone, sample: goodSample })),
    ]
    expect(operations.length).toBeGreaterThan(50)
    for (const operation of operations) {
      const [one, other] = await answersForForeignAndUnknown(client, operation, foreign)
      expect.soft(one, `${operation.field} ${JSON.stringify(operation.variables)}`).toBe(other)
    }
  })

  test('reaches the look-up of the ids: no mutation for shoppers fails earlier, at a permission or its input', async () => {
    const credential = await matrix.shopper(1)
    const schema = await matrix.schemaFor('/graphql', credential)
    const client = matrix.client('/graphql', credential)
    const operations = onlyNaming(
      foreign,
      mutationsNaming(foreign, schema, { select: errorsAlone, sample: goodSample }),
    ).filter(({ field }) => rootFields().get(`mutation.${field}`)?.shopper === 'allowed')
    // Handles the sockets that the server closed during the loop above.
    await setImmediate()
    const ended = new Map<string, Set<string>>()
    for (const { field, query, variables } of operations) {
      const { data, errors } = await client(query, variables)
      const payload = data?.[field] as { errors?: readonly { code: string }[] } | null | undefined
      const codes = [
        ...(payload?.errors ?? []).map(({ code }) => code),
        // An action's refusal of another customer's id names no field of the contract.
        ...errors.map(({ extensions: { id, details } }) =>
          id === 'SVC_AUTH_003' && !/^\w+\.\w+$/.test(String(details['field']))
            ? 'refused by the action'
            : id,
        ),
      ]
      ended.set(field, new Set([...(ended.get(field) ?? []), ...(codes.length > 0 ? codes : ['done'])]))
    }
    expect(ended.size).toBeGreaterThan(15)
    const early = [...ended].filter(([, codes]) =>
      [...codes].every((code) => /^SVC_(AUTH|VAL)|INVALID_FORMAT|REQUIRED_FIELD|OUT_OF_RANGE/.test(code)),
    )
    expect(early).toEqual([])
  })

  test('neither cancels the other’s order nor confirms the other’s payment, but the owner can', async () => {
    const [owner, other] = [
      matrix.client('/graphql', await matrix.shopper(0)),
      matrix.client('/graphql', await matrix.shopper(1)),
    ]
    const merchant = matrix.client('/graphql', matrix.platform.liveKey)
    const { id: productId } = await createStockedProduct(merchant, 5)
    const placed = succeeded(
      await owner<{ createOrder: { order: { id: string } | null; errors: unknown[] } }>(
        'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order { id } errors { field message } } }',
        {
          input: {
            customerId: matrix.customers[0],
            items: [{ productId, quantity: 1 }],
            shippingAddress,
          },
        },
      ),
    )
    expect(placed.createOrder.errors).toEqual([])
    const orderId = placed.createOrder.order?.id
    // With the matrix's disabled account, the merchant would take no cards.
    for (const table of ['saved_method', 'processor_customer', 'account'])
      await matrix.sql`
        DELETE FROM ${matrix.sql(`payment.${table}`)} WHERE merchant_id = ${matrix.platform.merchantId}`
    const begun = await owner<{ processPayment: { id: string; status: string } }>(
      'mutation ($input: PaymentInput!) { processPayment(input: $input) { id status } }',
      { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_threeDSecure2Required' } },
    )
    const payment = succeeded(begun).processPayment
    expect(payment.status).toBe('PROCESSING')

    const notFound = [{ field: 'id', code: 'NOT_FOUND' }]
    const confirm = `mutation ($id: ID!) { confirmPayment(id: $id)${errorsAlone} }`
    const cancel = `mutation ($id: ID!) { cancelOrder(id: $id, reason: "Not mine")${errorsAlone} }`
    const errorsOf = async (client: Client, query: string, id: unknown) => {
      const { data, errors } = await client<Record<string, { errors: unknown[] } | null>>(query, { id })
      return [...errors.map(({ extensions }) => extensions.id), ...Object.values(data ?? {})].flatMap((one) =>
        typeof one === 'string' ? [one] : (one?.errors ?? []),
      )
    }
    expect.soft(await errorsOf(other, confirm, payment.id)).toEqual(notFound)
    expect.soft(await errorsOf(other, cancel, orderId)).toEqual(notFound)
    const state = `query ($id: ID!) { order(id: $id) { status payment { status } } }`
    expect(succeeded(await owner(state, { id: orderId }))).toEqual({
      order: { status: 'PENDING', payment: { status: 'PROCESSING' } },
    })
    // The owner's confirmation reaches the processor, and the owner's cancellation succeeds.
    expect(await errorsOf(owner, confirm, payment.id)).not.toEqual(notFound)
    expect(await errorsOf(owner, cancel, orderId)).toEqual([])
  })

  test('can’t change those rows by any mutation of either API', async () => {
    const before = await digests()
    const credential = await matrix.shopper(1)
    for (const path of paths) {
      const client = matrix.client(path, credential)
      const operations = mutationsNaming(foreign, await matrix.schemaFor(path, credential), {
        ...(path === '/graphql' && { select: errorsAlone }),
        sample: goodSample,
      })
      for (const { field, query, variables } of onlyNaming(foreign, operations)) {
        const answer = await client(query, variables)
        expect.soft(answer.status, `${path} ${field}: ${answer.text}`).toBeLessThan(500)
      }
    }
    expect(await digests()).toEqual(before)
  })

  test('can’t update or delete those rows by Hasura’s conditions, but their owner can', async () => {
    const before = await digests()
    const address = own.find(({ table }) => table.name === 'crm.address')
    const where = `where: { id: { _eq: ${JSON.stringify(address?.id)} } }`
    const writes = [
      [
        'update',
        `mutation { done: update_crm_address(${where}, _set: { city: "Elsewhere" }) { affected_rows } }`,
      ],
      ['delete', `mutation { done: delete_crm_address(${where}) { affected_rows } }`],
    ] as const
    const write = async (shopper: 0 | 1, query: string) =>
      outcomeOf(await matrix.client('/v1/graphql', await matrix.shopper(shopper))<Data>(query))
    for (const [does, query] of writes) expect(await write(1, query), does).toBe('nothing')
    expect(await digests()).toEqual(before)
    for (const [does, query] of writes) expect(await write(0, query), does).toBe('written')
  })

  /** One row of each table with an id that the first shopper sees and the second doesn't. */
  async function rowsOfFirstShopperOnly(): Promise<readonly OwnRow[]> {
    const schema = await matrix.schemaFor('/v1/graphql', await matrix.shopper(0))
    const type = schema.getQueryType()
    const lists = type ? tableFields(type, matrix.tracked).filter(({ does }) => does === 'list') : []
    const found: OwnRow[] = []
    for (const { table, field } of lists) {
      const row = schema.getType(table.type)
      if (row === undefined || !('getFields' in row) || !('id' in row.getFields())) continue
      const [one, other] = await Promise.all(
        ([0, 1] as const).map(async (number) => {
          const client = matrix.client('/v1/graphql', await matrix.shopper(number))
          const { data } = await client<{ rows: { id: string }[] }>(`{ rows: ${field.name} { id } }`)
          return (data?.rows ?? []).map(({ id }) => id)
        }),
      )
      const id = one?.find((each) => other?.includes(each) === false)
      if (id !== undefined) found.push({ table, id })
    }
    return found
  }

  /** A digest of each of the first shopper's rows, without a session's last use, which any request may write. */
  async function digests(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {}
    for (const { table, id } of own) {
      const [row] = await matrix.sql.unsafe<{ row: string }[]>(
        `SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM ${table.sql} t WHERE merchant_id = $1 AND id = $2`,
        [matrix.platform.merchantId, id],
      )
      found[table.name] = row?.row ?? 'gone'
    }
    return found
  }
})
