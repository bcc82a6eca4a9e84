import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answersForForeignAndUnknown,
  dataOf,
  foreignIds,
  type ForeignIds,
  singularOf,
} from './foreign-ids.ts'
import { mutationsNaming, onlyNaming, queriesNaming } from './naming-operations.ts'
import { type Matrix, openMatrix } from './open-matrix.ts'
import { outcomeOf } from './table-writes.ts'
import { tableFields, type TrackedTable } from './tracked-tables.ts'

type Data = Readonly<Record<string, unknown>>

/** A row that one shopper sees and the other doesn't. */
interface OwnRow {
  readonly table: TrackedTable
  readonly id: string
}

/**
 * Two shoppers of one merchant. The one names the other's rows by their ids, everywhere that both APIs take an id: nothing shows, nothing
 * changes, and the answer doesn't tell whether there is such a row.
 */
describe('a shopper who has another shopper’s ids', { timeout: 300_000 }, () => {
  let matrix: Matrix
  let own: readonly OwnRow[]
  let foreign: ForeignIds
  const paths = ['/graphql', '/v1/graphql'] as const

  beforeAll(async () => {
    matrix = await openMatrix()
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

  test('is answered what it is answered for ids that nobody has', async () => {
    const credential = await matrix.shopper(1)
    const schema = await matrix.schemaFor('/graphql', credential)
    const client = matrix.client('/graphql', credential)
    const operations = [
      ...queriesNaming(foreign, schema),
      ...onlyNaming(foreign, mutationsNaming(foreign, schema)),
    ]
    expect(operations.length).toBeGreaterThan(50)
    for (const operation of operations) {
      const [one, other] = await answersForForeignAndUnknown(client, operation, foreign)
      expect.soft(one, `${operation.field} ${JSON.stringify(operation.variables)}`).toBe(other)
    }
  })

  test('changes none of those rows, by no mutation of either API', async () => {
    const before = await digests()
    const credential = await matrix.shopper(1)
    for (const path of paths) {
      const client = matrix.client(path, credential)
      const operations = mutationsNaming(foreign, await matrix.schemaFor(path, credential))
      for (const { field, query, variables } of onlyNaming(foreign, operations)) {
        const answer = await client(query, variables)
        expect.soft(answer.status, `${path} ${field}: ${answer.text}`).toBeLessThan(500)
      }
    }
    expect(await digests()).toEqual(before)
  })

  test('updates and deletes none of them by Hasura’s conditions, as their owner can', async () => {
    const before = await digests()
    const address = own.find(({ table }) => table.name === 'crm.address')
    const where = `where: { id: { _eq: ${JSON.stringify(address?.id)} } }`
    const writes = [
      [
        'update',
        `mutation { done: updateAddresses(${where}, _set: { city: "Elsewhere" }) { affected_rows } }`,
      ],
      ['delete', `mutation { done: deleteAddresses(${where}) { affected_rows } }`],
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

  /** Of each of the first shopper's rows. */
  async function digests(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {}
    for (const { table, id } of own) {
      const [row] = await matrix.sql.unsafe<{ row: string }[]>(
        `SELECT to_jsonb(t)::text AS row FROM ${table.sql} t WHERE merchant_id = $1 AND id = $2`,
        [matrix.platform.merchantId, id],
      )
      found[table.name] = row?.row ?? 'gone'
    }
    return found
  }
})
