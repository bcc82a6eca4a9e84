import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../testing/gateway.ts'
import { fixtureId } from '../testing/shop.ts'

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Payload {
  readonly products: readonly ({ readonly id: string; readonly name: string; readonly sku: string } | null)[]
  readonly errors: readonly { readonly field: string; readonly code: string }[]
}

async function mutate(field: string, inputs: readonly object[]): Promise<Payload> {
  const type = field === 'createProducts' ? 'CreateProductInput' : 'UpdateProductsInput'
  const query = `mutation ($inputs: [${type}!]!) {
    result: ${field}(inputs: $inputs) { products { id name sku categories { id } } errors { field code } }
  }`
  const answer = await send<{ readonly result: Payload }>(gateway, key, query, { inputs })
  expect(answer.errors).toEqual([])
  return answer.data.result
}

const product = (sku: string, more: object = {}) => ({
  name: `Product ${sku}`,
  sku,
  price: 100,
  currency: 'USD',
  ...more,
})

describe('many products at once', () => {
  test('are created row by row: bad rows are reported with their index, and good rows are created', async () => {
    const inputs = [
      product('BULK-1', { categoryIds: [fixtureId('category', 1, 1)] }),
      product('', { name: 'x', price: 0 }),
      product('BULK-2', { price: 5_000_000_000 }),
      product('BULK-1'),
      product('BULK-3', { categoryIds: [fixtureId('category', 2, 1)] }),
    ]
    const { products, errors } = await mutate('createProducts', inputs)
    expect(products.map((one) => one?.sku ?? null)).toEqual(['BULK-1', null, 'BULK-2', null, null])
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'inputs.1.name OUT_OF_RANGE',
      'inputs.1.sku REQUIRED_FIELD',
      'inputs.1.price INVALID_VALUE',
      'inputs.3.sku ALREADY_EXISTS',
      'inputs.4.categoryIds.0 NOT_FOUND',
    ])
    const again = await mutate('createProducts', [product('BULK-1'), product('BULK-2')])
    expect(again.products).toEqual([null, null])
    expect(again.errors.map(({ field }) => field)).toEqual(['inputs.0.sku', 'inputs.1.sku'])
  })

  test('are changed row by row, and another merchant’s is not found', async () => {
    const { products, errors } = await mutate('updateProducts', [
      { id: fixtureId('product', 1, 1), name: 'Renamed' },
      { id: fixtureId('product', 2, 1), name: 'Mine now' },
      { id: fixtureId('product', 1, 2), price: -1 },
    ])
    expect(products.map((one) => one?.name ?? null)).toEqual(['Renamed', null, null])
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'inputs.1.id NOT_FOUND',
      'inputs.2.price INVALID_VALUE',
    ])
  })

  test('are 1 to 100', async () => {
    expect((await mutate('createProducts', [])).errors).toEqual([{ field: 'inputs', code: 'REQUIRED_FIELD' }])
    const many = Array.from({ length: 101 }, (_, index) => product(`MANY-${index}`))
    expect(await mutate('createProducts', many)).toEqual({
      products: [],
      errors: [{ field: 'inputs', code: 'OUT_OF_RANGE' }],
    })
  })
})
