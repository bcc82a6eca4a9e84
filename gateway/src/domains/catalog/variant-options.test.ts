import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'

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

async function mutate(field: string, document: string, variables: object): Promise<Payload> {
  const { data, errors } = await send(gateway, key, document, variables as Record<string, unknown>)
  expect(errors).toEqual([])
  return (data as Record<string, Payload>)[field] as Payload
}

const size = (value: string) => [{ name: 'Size', value }]
let skus = 0
const variant = (options: object[]) => ({ sku: `VARIANT-${(skus += 1)}`, options })
const product = (variants: object[]) =>
  mutate(
    'createProduct',
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { product { id } errors { field code message } } }',
    { input: { name: 'Fleece', sku: `FLEECE-${(skus += 1)}`, price: 100, currency: 'USD', variants } },
  )
const add = (productId: string, options: object[]) =>
  mutate(
    'createProductVariant',
    'mutation ($id: ID!, $input: ProductVariantInput!) { createProductVariant(productId: $id, input: $input) { variant { id } errors { field code message } } }',
    { id: productId, input: variant(options) },
  )
const setOptions = (id: string, options: object[]) =>
  mutate(
    'updateProductVariant',
    'mutation ($id: ID!, $input: UpdateProductVariantInput!) { updateProductVariant(id: $id, input: $input) { variant { id } errors { field code message } } }',
    { id, input: { options } },
  )
const same = [
  { field: 'options', code: 'INVALID_VALUE', message: 'Another variant of the product has the same options' },
]

const needed = [
  {
    field: 'options',
    code: 'INVALID_VALUE',
    message: 'Each variant needs options where a product has several: give them to all of them',
  },
]

describe('variants of a product', () => {
  test('need options, unless there is only one variant', async () => {
    expect((await product([variant([]), variant([])])).errors).toEqual(needed)
    expect((await product([variant(size('L')), variant([])])).errors).toEqual(needed)
    const sized = (await product([variant(size('L'))]))['product'] as { id: string }
    expect((await add(sized.id, [])).errors).toEqual(needed)
    const alone = (await product([]))['product'] as { id: string }
    const first = await add(alone.id, [])
    expect(first.errors).toEqual([])
    expect((await add(alone.id, [])).errors).toEqual(needed)
    expect((await add(alone.id, size('L'))).errors).toEqual(needed)
    const { id } = first['variant'] as { id: string }
    expect((await setOptions(id, size('M'))).errors).toEqual([])
    expect((await add(alone.id, size('L'))).errors).toEqual([])
    expect((await setOptions(id, [])).errors).toEqual(needed)
    const racing = (await product([]))['product'] as { id: string }
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(racing.id, [])))
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1)
  })

  test('keep their own unique SKU', async () => {
    const { id: productId } = (await product([]))['product'] as { id: string }
    const [sku, taken] = [`KEPT-${(skus += 1)}`, `TAKEN-${(skus += 1)}`]
    const create = (input: object) =>
      mutate(
        'createProductVariant',
        'mutation ($id: ID!, $input: ProductVariantInput!) { createProductVariant(productId: $id, input: $input) { variant { id } errors { field code message } } }',
        { id: productId, input },
      )
    const { id } = (await create({ sku, options: size('S') }))['variant'] as { id: string }
    await create({ sku: taken, options: size('T') })
    const update = async (input: object) => {
      const { errors } = await mutate(
        'updateProductVariant',
        'mutation ($id: ID!, $input: UpdateProductVariantInput!) { updateProductVariant(id: $id, input: $input) { variant { id } errors { field code message } } }',
        { id, input },
      )
      return errors.map(({ field, code }) => [field, code])
    }
    expect(await update({ sku, options: size('U') })).toEqual([])
    // An input with other errors has its SKU checked, too.
    expect(await update({ sku, price: -1 })).toEqual([['price', 'INVALID_VALUE']])
    expect(await update({ sku: taken, price: -1 })).toEqual([
      ['price', 'INVALID_VALUE'],
      ['sku', 'ALREADY_EXISTS'],
    ])
  })

  test('differ in an option, over any order of inputs and options and ignoring case', async () => {
    expect((await product([variant(size('L')), variant(size('l'))])).errors).toEqual(same)
    const made = await product([
      variant(size('L')),
      variant([...size('M'), { name: 'Colour', value: 'Red' }]),
    ])
    expect(made.errors).toEqual([])
    const { id } = made['product'] as { id: string }
    expect((await add(id, size('L'))).errors).toEqual(same)
    expect((await add(id, [{ name: 'colour', value: 'red' }, ...size('m')])).errors).toEqual(same)
    expect((await add(id, size('XL'))).errors).toEqual([])
    const answers = await Promise.all(Array.from({ length: 6 }, () => add(id, size('XXL'))))
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1)
  })
})
