import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { queryData } from '../../testing/run.ts'
import { customerPrincipal, fixtureId } from '../../testing/shop.ts'

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Payload {
  readonly errors: readonly { readonly field: string; readonly code: string; readonly message: string }[]
  readonly [record: string]: unknown
}

async function mutate(document: string, variables: object): Promise<Payload> {
  const { data, errors } = await send(gateway, key, document, variables as Record<string, unknown>)
  expect(errors).toEqual([])
  return Object.values(data as Record<string, Payload>)[0] as Payload
}

const kept = 'externalId metadata privateMetadata'
const errors = 'errors { field code message }'
let made = 0
const newProduct = (input: object) =>
  mutate(
    `mutation ($input: CreateProductInput!) { createProduct(input: $input) {
       product { id ${kept} variants { id sku ${kept} } } ${errors} } }`,
    { input: { name: 'Fleece', sku: `KEPT-${(made += 1)}`, price: 100, currency: 'USD', ...input } },
  )
const change = (id: unknown, input: object) =>
  mutate(
    `mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) {
       product { id ${kept} } ${errors} } }`,
    { id, input },
  )
const fieldsOf = ({ errors: found }: Payload) => found.map(({ field, code }) => [field, code])

describe('metadata', () => {
  test('merges by key: keys that are left out stay, and null removes a key or a namespace', async () => {
    const { product } = await newProduct({
      externalId: 'erp-1',
      metadata: { erp: { weight: 1.5, colours: ['red'], gone: null }, care: { wash: 30 } },
      privateMetadata: { erp: { margin: 12 } },
      variants: [{ sku: 'KEPT-V', externalId: 'erp-1-v', metadata: { erp: { ean: 'x' } } }],
    })
    expect(product).toMatchObject({
      externalId: 'erp-1',
      metadata: { erp: { weight: 1.5, colours: ['red'] }, care: { wash: 30 } },
      privateMetadata: { erp: { margin: 12 } },
      variants: [{ externalId: 'erp-1-v', metadata: { erp: { ean: 'x' } }, privateMetadata: {} }],
    })
    const { id } = product as { id: string }
    const changed = await change(id, {
      metadata: { erp: { weight: 2, colours: null }, care: null, new: { a: {} } },
    })
    expect(changed['product']).toEqual({
      id,
      externalId: 'erp-1',
      metadata: { erp: { weight: 2 }, new: { a: {} } },
      privateMetadata: { erp: { margin: 12 } },
    })
    expect((await change(id, { externalId: null, metadata: { erp: null } }))['product']).toMatchObject({
      externalId: null,
      metadata: { new: { a: {} } },
    })
  })

  test('of two changes at once keeps both', async () => {
    const { product } = await newProduct({})
    const { id } = product as { id: string }
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => change(id, { metadata: { erp: { [`key${index}`]: index } } })),
    )
    const [row] = await gateway.shop.sql(`SELECT metadata FROM catalog.product WHERE id = '${id}'`)
    expect(row?.['metadata']).toEqual({
      erp: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`key${index}`, index])),
    })
  })

  test('names the namespace and key that it refuses', async () => {
    const refused = async (metadata: object) => fieldsOf(await newProduct({ metadata }))
    expect(await refused({ 'a b': {} })).toEqual([['metadata.a b', 'INVALID_FORMAT']])
    expect(await refused({ erp: 'text' })).toEqual([['metadata.erp', 'INVALID_FORMAT']])
    expect(await refused({ erp: [1] })).toEqual([['metadata.erp', 'INVALID_FORMAT']])
    expect(await refused({ erp: { 'no.dots': 1, '': 1 } })).toEqual([
      ['metadata.erp.no.dots', 'INVALID_FORMAT'],
      ['metadata.erp.', 'INVALID_FORMAT'],
    ])
    expect(await refused({ erp: { text: 'a\0b' } })).toEqual([['metadata.erp.text', 'INVALID_FORMAT']])
    expect(await refused({ erp: { deep: [{ 'a\0b': 1 }] } })).toEqual([
      ['metadata.erp.deep', 'INVALID_FORMAT'],
    ])
    expect(await refused({ erp: { card: 'pay with 4242 4242 4242 4242' } })).toEqual([
      ['metadata.erp.card', 'INVALID_VALUE'],
    ])
    expect(await refused({ erp: { long: 'x'.repeat(32_768) } })).toEqual([['metadata', 'OUT_OF_RANGE']])
  })

  test('has a largest size that changes can’t add up to more than', async () => {
    const { product } = await newProduct({ metadata: { erp: { a: 'x'.repeat(20_000) } } })
    const { id } = product as { id: string }
    expect(fieldsOf(await change(id, { metadata: { erp: { b: 'x'.repeat(20_000) } } }))).toEqual([
      ['metadata', 'OUT_OF_RANGE'],
    ])
    expect(fieldsOf(await change(id, { metadata: { erp: { a: null, b: 'x'.repeat(20_000) } } }))).toEqual([])
  })

  test('is checked by the database for Hasura’s own API, too', async () => {
    const write = (metadata: string) =>
      gateway.shop.sql(
        `INSERT INTO catalog.category (merchant_id, name, slug, metadata) VALUES ('${fixtureId('merchant', 1, 0)}', 'C', 'c-${(made += 1)}', '${metadata}')`,
      )
    await expect(write('[]')).rejects.toThrow('Field metadata: expected object of namespaces')
    await expect(write('{"erp": {"a b": 1}}')).rejects.toThrow('metadata_kept')
    await expect(write('{"erp": {"a": "4242424242424242"}}')).rejects.toThrow('no_card_number')
    await write('{"erp": {"a": 1, "b": null}}')
  })
})

describe('an external id', () => {
  test('finds its record, is unique for the merchant, and filters lists', async () => {
    const { product } = await newProduct({ externalId: '4242424242424242' })
    const { id } = product as { id: string }
    expect(fieldsOf(await newProduct({ externalId: '4242424242424242' }))).toEqual([
      ['externalId', 'ALREADY_EXISTS'],
    ])
    const other = (await newProduct({ externalId: 'erp-other' }))['product'] as { id: string }
    expect(fieldsOf(await change(other.id, { externalId: '4242424242424242' }))).toEqual([
      ['externalId', 'ALREADY_EXISTS'],
    ])
    expect(fieldsOf(await change(other.id, { externalId: '' }))).toEqual([['externalId', 'REQUIRED_FIELD']])
    const { data } = await send(
      gateway,
      key,
      `{ product(externalId: "erp-other") { id }
         products(filters: { externalIds: ["erp-other", "4242424242424242", "none"] }) { nodes { id } } }`,
    )
    expect(data).toEqual({ product: { id: other.id }, products: { nodes: [{ id: other.id }, { id }] } })
    const stranger = await gateway.createKey({ merchant: 2, permissions: everyPermission })
    expect((await send(gateway, stranger, '{ product(externalId: "erp-other") { id } }')).data).toEqual({
      product: null,
    })
  })

  test('becomes free when its product is deleted', async () => {
    const { product } = await newProduct({ externalId: 'freed' })
    await mutate(`mutation ($id: ID!) { deleteProduct(id: $id) { success ${errors} } }`, {
      id: (product as { id: string }).id,
    })
    expect(fieldsOf(await newProduct({ externalId: 'freed' }))).toEqual([])
  })
})

test('customers, orders, carts, categories, warehouses and appointments keep them as well', async () => {
  const input = { externalId: 'kept', metadata: { erp: { a: 1 } }, privateMetadata: { erp: { b: [2] } } }
  for (const [type, table, update] of [
    ['Category', 'catalog.category', 'updateCategory'],
    ['Customer', 'crm.customer', 'updateCustomer'],
    ['Order', 'ordering.order', 'updateOrder'],
    ['Cart', 'cart.cart', 'updateCart'],
    ['Warehouse', 'inventory.warehouse', 'updateWarehouse'],
    ['Appointment', 'booking.appointment', 'updateAppointment'],
  ] as const) {
    const rows = await gateway.shop.sql(
      `SELECT id FROM ${table} WHERE merchant_id = '${fixtureId('merchant', 1, 0)}' ORDER BY id LIMIT 2`,
    )
    const [first, second] = rows.map(({ id }) => String(id))
    const name = type.charAt(0).toLowerCase() + type.slice(1)
    const document = `mutation ($id: ID!, $input: Update${type}Input!) { ${update}(id: $id, input: $input) { ${name} { id ${kept} } ${errors} } }`
    expect(await mutate(document, { id: first, input })).toEqual({
      [name]: { id: first, ...input },
      errors: [],
    })
    if (second !== undefined)
      expect(fieldsOf(await mutate(document, { id: second, input }))).toEqual([
        ['externalId', 'ALREADY_EXISTS'],
      ])
    if (type === 'Cart') continue
    const found = await send(gateway, key, `{ ${name}(externalId: "kept") { id } }`)
    expect(found.data).toEqual({ [name]: { id: first } })
  }
})

test('a shopper reads the public metadata, and neither reads nor writes the rest', async () => {
  const customer = customerPrincipal(1, 1)
  const customerId = fixtureId('customer', 1, 1)
  await gateway.shop.sql(
    `UPDATE crm.customer SET metadata = '{"club": {"since": 2020}}', private_metadata = '{"risk": {"score": 9}}' WHERE id = '${customerId}'`,
  )
  const run = (text: string) => queryData(gateway.shop, customer, text)
  const own = `customer(id: "${customerId}")`
  expect(await run(`{ ${own} { metadata } }`)).toMatchObject({
    customer: { metadata: { club: { since: 2020 } } },
  })
  await expect(run(`{ ${own} { privateMetadata } }`)).rejects.toThrow()
  await expect(run(`{ ${own} { externalId } }`)).rejects.toThrow()
  await expect(run(`{ customer(externalId: "kept") { id } }`)).rejects.toThrow()
})
