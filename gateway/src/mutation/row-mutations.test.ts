import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../testing/gateway.ts'
import { fixtureId } from '../testing/shop.ts'

let gateway: TestGateway
let key: string

beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})

afterAll(() => gateway[Symbol.asyncDispose]())

beforeEach(() => gateway.shop.takeCount())

interface Payload {
  readonly errors: readonly { readonly field: string; readonly code: string; readonly message: string }[]
  readonly success?: boolean
  readonly [record: string]: unknown
}

/** Runs one mutation that must have no top-level error. */
async function mutate(
  field: string,
  variables: Readonly<Record<string, unknown>> = {},
  declared = '',
): Promise<Payload> {
  const answer = await send<Record<string, Payload>>(
    gateway,
    key,
    `mutation ${declared} { result: ${field} }`,
    variables,
  )
  expect(answer.errors).toEqual([])
  expect(answer.status).toBe(200)
  return answer.data['result'] as Payload
}

const errors = 'errors { field code message }'
const faults = (payload: Payload): readonly (readonly [string, string])[] =>
  payload.errors.map(({ field, code }) => [field, code] as const)

const createProduct = (input: unknown, selection = 'product { id }'): Promise<Payload> =>
  mutate(
    `createProduct(input: $input) { ${selection} ${errors} }`,
    { input },
    '($input: CreateProductInput!)',
  )

const updateProduct = (id: string, input: unknown, selection = 'product { id }'): Promise<Payload> =>
  mutate(
    `updateProduct(id: $id, input: $input) { ${selection} ${errors} }`,
    { id, input },
    '($id: ID!, $input: UpdateProductInput!)',
  )

let skus = 0
const newSku = (): string => `NEW-${++skus}`
const idOf = (payload: Payload, record = 'product'): string => (payload[record] as { id: string }).id
const category = (n: number, merchant: 1 | 2 = 1): string => fixtureId('category', merchant, n)

describe('createProduct', () => {
  test('writes the product with its images, categories and variants, and returns any selection, in one operation', async () => {
    const sku = newSku()
    const payload = await createProduct(
      {
        name: 'Linen shirt',
        sku,
        price: 9007199254740991,
        currency: 'EUR',
        tags: ['summer'],
        categoryIds: [category(1), category(2), category(1)],
        images: [
          { url: 'https://img.example.com/b.png', width: 800, height: 100_000, order: 7 },
          { url: 'https://img.example.com/a.png' },
        ],
        variants: [
          {
            sku: `${sku}-S`,
            options: [
              { name: 'size', value: 'S' },
              { name: 'color', value: 'blue' },
            ],
          },
          { sku: `${sku}-M`, options: [{ name: 'size', value: 'M' }] },
        ],
      },
      `product { slug price status tags images { url width height order } hasVariants variants { sku price options { name value } inventory { available } }
        categories { name } inventory { available isLowStock } createdAt }`,
    )
    expect(payload.errors).toEqual([])
    expect(payload['product']).toMatchObject({
      slug: 'linen-shirt',
      price: 9007199254740991,
      status: 'DRAFT',
      tags: ['summer'],
      images: [
        { url: 'https://img.example.com/a.png', width: null, height: null, order: 1 },
        { url: 'https://img.example.com/b.png', width: 800, height: 100_000, order: 7 },
      ],
      hasVariants: true,
      variants: [
        {
          sku: `${sku}-S`,
          price: null,
          options: [
            { name: 'size', value: 'S' },
            { name: 'color', value: 'blue' },
          ],
          inventory: { available: 0 },
        },
        { sku: `${sku}-M`, options: [{ name: 'size', value: 'M' }] },
      ],
      categories: [{ name: 'Category 1' }, { name: 'Category 2' }],
      inventory: { available: 0, isLowStock: true },
    })
    expect(gateway.shop.takeCount()).toBe(1)
  })

  test('reports all errors at once, including those of the database, and writes nothing', async () => {
    const sku = newSku()
    const payload = await createProduct({
      name: ' ',
      sku: 'SKU-1-1',
      price: 0,
      currency: 'dollars',
      compareAtPrice: -1,
      slug: 'product-2',
      categoryIds: [category(1), category(1, 2), 'no-id'],
      images: [{ url: 'https://img.example.com/a.png', width: 0, height: 100_001, order: -1 }],
      variants: [{ sku, options: [{ name: '', value: 'x' }] }, { sku }, { sku: 'SKU-2' }],
    })
    expect(payload['product']).toBeNull()
    expect(faults(payload)).toEqual([
      ['name', 'REQUIRED_FIELD'],
      ['price', 'INVALID_VALUE'],
      ['currency', 'INVALID_FORMAT'],
      ['compareAtPrice', 'INVALID_VALUE'],
      ['images.0.width', 'OUT_OF_RANGE'],
      ['images.0.height', 'OUT_OF_RANGE'],
      ['images.0.order', 'OUT_OF_RANGE'],
      ['variants.0.options.0.name', 'REQUIRED_FIELD'],
      ['variants.1.sku', 'ALREADY_EXISTS'],
      ['variants.2.sku', 'ALREADY_EXISTS'],
      ['sku', 'ALREADY_EXISTS'],
      ['slug', 'ALREADY_EXISTS'],
      ['categoryIds.1', 'NOT_FOUND'],
      ['categoryIds.2', 'NOT_FOUND'],
    ])
    const [row] = await gateway.shop.sql(
      `SELECT count(*)::int FROM inventory.stock_item WHERE sku = '${sku}'`,
    )
    expect(row).toEqual({ count: 0 })
  })

  test('reports invalid URLs and enumeration values together with all other errors', async () => {
    const input = {
      name: 'Sh',
      sku: newSku(),
      price: 0,
      currency: 'EUR',
      status: 'GONE',
      images: [{ url: 'https://example.com/a.png' }, { url: 'nowhere' }],
    }
    const text =
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { product { id } errors { field code } } }'
    const answer = await send(gateway, key, text, { input })
    expect([answer.status, answer.errors]).toEqual([200, []])
    expect(answer.data['createProduct']).toMatchObject({ product: null })
    const { errors } = answer.data['createProduct'] as { errors: readonly { field: string; code: string }[] }
    expect(errors.map(({ field, code }) => `${field} ${code}`).sort()).toEqual([
      'images.1.url INVALID_FORMAT',
      'name OUT_OF_RANGE',
      'price INVALID_VALUE',
      'status INVALID_FORMAT',
    ])
    expect(await gateway.shop.sql(`SELECT id FROM catalog.product WHERE sku = '${input.sku}'`)).toEqual([])
  })

  test('is refused as a request if a payload can’t report an invalid text: in the document, or used elsewhere as well', async () => {
    const refused = async (text: string, variables = {}) => {
      const { status, data, errors } = await send(gateway, key, text, variables)
      return [status, data, errors.map(({ extensions }) => extensions.details['field'])]
    }
    const literals = `mutation { createCustomer(input: { email: "x", name: "X", addresses: [] }) { errors { field } }
      createProduct(input: { name: "x", sku: "x", price: 1, currency: "EUR", status: GONE, images: [{ url: "x" }] }) { errors { field } } }`
    expect((await refused(literals.replace(', addresses: []', '')))[2]).toEqual([
      'input.email',
      'input.status',
      'input.images.0.url',
    ])
    const elsewhere = `mutation ($status: ProductStatus!) {
      createProduct(input: { name: "Shirt", sku: "x", price: 1, currency: "EUR", status: $status }) {
        errors { field } product { categories { products(filters: { status: $status }) { totalCount } } } } }`
    expect(await refused(elsewhere, { status: 'GONE' })).toEqual([400, undefined, ['status']])
  })

  test('names a taken value if there are no other errors, also for concurrent requests', async () => {
    const input = { name: 'Linen shirt', sku: newSku(), price: 100, currency: 'EUR' }
    const payloads = await Promise.all(Array.from({ length: 8 }, () => createProduct(input)))
    const refused = payloads.filter((payload) => payload['product'] === null)
    expect(refused).toHaveLength(7)
    for (const { errors: reported } of refused) {
      const message = `A record with sku=${input.sku} already exists`
      expect(reported).toEqual([{ field: 'sku', code: 'ALREADY_EXISTS', message }])
    }
  })

  test('counts characters, not bytes, and refuses null characters', async () => {
    const base = { price: 100, currency: 'EUR' }
    expect(faults(await createProduct({ ...base, name: '👕'.repeat(200), sku: newSku() }))).toEqual([])
    expect(faults(await createProduct({ ...base, name: '👕'.repeat(201), sku: newSku() }))).toEqual([
      ['name', 'OUT_OF_RANGE'],
    ])
    expect(faults(await createProduct({ ...base, name: 'nul\0nul', sku: newSku() }))).toEqual([
      ['name', 'INVALID_FORMAT'],
    ])
  })
})

describe('updateProduct', () => {
  test('needs a name of one line, and refuses null characters in looked-up values', async () => {
    const wrong = { name: 'Tent\r\nBcc: everybody', sku: 'NUL\0', price: 100, currency: 'USD' }
    expect(faults(await createProduct(wrong))).toEqual(
      expect.arrayContaining([
        ['name', 'INVALID_FORMAT'],
        ['sku', 'INVALID_FORMAT'],
      ]),
    )
  })

  test('refuses card numbers in every text, and accepts long numbers in SKUs', async () => {
    const card = '4242 4242 4242 4242'
    const input = { name: 'Lamp', sku: newSku(), price: 100, currency: 'USD' }
    const wrong = {
      ...input,
      description: `call me: ${card}`,
      tags: ['light', card],
      images: [{ url: 'https://cdn.example.com/1.jpg', alt: card }],
    }
    expect(faults(await createProduct(wrong))).toEqual(
      expect.arrayContaining([
        ['description', 'INVALID_VALUE'],
        ['tags.1', 'INVALID_VALUE'],
        ['images.0.alt', 'INVALID_VALUE'],
      ]),
    )
    const fine = { ...input, sku: '4242424242424242', description: 'EAN 4006381333931' }
    expect(faults(await createProduct(fine))).toEqual([])
  })

  test('replaces images and categories as a whole and keeps fields that were not sent', async () => {
    const sku = newSku()
    const id = idOf(
      await createProduct({
        name: 'Shirt',
        sku,
        price: 100,
        currency: 'EUR',
        description: 'Old',
        categoryIds: [category(1)],
        images: [{ url: 'https://img.example.com/1.png' }],
      }),
    )
    const payload = await updateProduct(
      id,
      {
        images: [{ url: 'https://img.example.com/2.png' }],
        categoryIds: [category(2), category(3)],
        description: null,
      },
      'product { name description sku images { url } categories { name } }',
    )
    expect(payload['product']).toEqual({
      name: 'Shirt',
      description: null,
      sku,
      images: [{ url: 'https://img.example.com/2.png' }],
      categories: [{ name: 'Category 2' }, { name: 'Category 3' }],
    })
    const emptied = await updateProduct(
      id,
      { images: [], categoryIds: [] },
      'product { images { url } categories { name } }',
    )
    expect(emptied['product']).toEqual({ images: [], categories: [] })
  })

  test('is atomic: with a taken SKU the new images are not written either', async () => {
    const id = idOf(await createProduct({ name: 'Shirt', sku: newSku(), price: 100, currency: 'EUR' }))
    const payload = await updateProduct(id, {
      images: [{ url: 'https://img.example.com/2.png' }],
      sku: 'SKU-2',
    })
    expect(faults(payload)).toEqual([['sku', 'ALREADY_EXISTS']])
    const [row] = await gateway.shop.sql(
      `SELECT count(*)::int FROM catalog.product_image WHERE product_id = '${id}'`,
    )
    expect(row).toEqual({ count: 0 })
  })

  test('accepts its own SKU and slug, and refuses null for a required field', async () => {
    const sku = newSku()
    const id = idOf(
      await createProduct({ name: 'Shirt', sku, price: 100, currency: 'EUR', slug: `own-${skus}` }),
    )
    expect(faults(await updateProduct(id, { sku, slug: `own-${skus}`, price: -5 }))).toEqual([
      ['price', 'INVALID_VALUE'],
    ])
    expect(faults(await updateProduct(id, { name: null, sku: null, status: null }))).toEqual([
      ['name', 'REQUIRED_FIELD'],
      ['sku', 'REQUIRED_FIELD'],
      ['status', 'REQUIRED_FIELD'],
    ])
  })

  test('without changes returns the record', async () => {
    const payload = await updateProduct(fixtureId('product', 1, 1), {}, 'product { sku }')
    expect(payload).toEqual({ product: { sku: 'SKU-1' }, errors: [] })
  })
})

describe('deleteProduct', () => {
  test('frees the SKUs of product and variants, and the product can’t be changed any more', async () => {
    const sku = newSku()
    const input = { name: 'Shirt', sku, price: 100, currency: 'EUR', variants: [{ sku: `${sku}-S` }] }
    const first = await createProduct(input, 'product { id variants { id } }')
    const product = first['product'] as { id: string; variants: readonly { id: string }[] }
    const variantId = product.variants[0]?.id ?? ''
    expect(await mutate(`deleteProduct(id: "${product.id}") { success ${errors} }`)).toEqual({
      success: true,
      errors: [],
    })
    expect(faults(await mutate(`deleteProduct(id: "${product.id}") { success ${errors} }`))).toEqual([
      ['id', 'NOT_FOUND'],
    ])
    expect(
      faults(
        await updateProduct(product.id, { name: 'Again', images: [{ url: 'https://x.example/1.png' }] }),
      ),
    ).toEqual([['id', 'NOT_FOUND']])
    expect(
      faults(
        await mutate(
          `createProductVariant(productId: "${product.id}", input: { sku: "${newSku()}" }) { ${errors} }`,
        ),
      ),
    ).toEqual([['productId', 'NOT_FOUND']])
    expect(
      faults(
        await mutate(
          `updateProductVariant(id: "${variantId}", input: { options: [{ name: "a", value: "b" }] }) { ${errors} }`,
        ),
      ),
    ).toEqual([['id', 'NOT_FOUND']])
    expect(
      faults(
        await mutate(
          `createReview(input: { productId: "${product.id}", authorName: "A", rating: 5 }) { ${errors} }`,
        ),
      ),
    ).toEqual([['productId', 'NOT_FOUND']])
    expect(faults(await createProduct(input))).toEqual([])
  })
})

describe('countries, currencies and phone numbers', () => {
  const run = async (field: string) => (await send(gateway, key, `mutation { m: ${field} }`)).data['m']
  const place = (country: string, phone: string) =>
    `{ line1: "1", city: "B", state: "S", postalCode: "1", country: "${country}", phone: "${phone}" }`

  test('are stored as ISO 3166-1 codes and as they were typed, in every input', async () => {
    const us = place('usa', '(503) 555-9573')
    const stored = { country: 'US', phone: '(503) 555-9573' }
    const email = `${crypto.randomUUID()}@example.com`
    const made = await run(
      `createCustomer(input: { email: "${email}", name: "A", phone: "(503) 555-9573", addresses: [${us}] }) { customer { id phone addresses { id country phone } } }`,
    )
    expect(made).toMatchObject({ customer: { phone: '(503) 555-9573', addresses: [stored] } })
    const { id, addresses } = (made as { customer: { id: string; addresses: { id: string }[] } }).customer
    const selection = '{ address { country phone } errors { field code } }'
    expect(await run(`createCustomerAddress(customerId: "${id}", input: ${us}) ${selection}`)).toMatchObject({
      address: stored,
    })
    expect(
      await run(
        `updateCustomerAddress(id: "${addresses[0]?.id ?? ''}", input: { country: "germany" }) ${selection}`,
      ),
    ).toMatchObject({ address: { country: 'DE' } })
    expect(
      await run(
        `createWarehouse(input: { name: "W", code: "${newSku()}", location: ${us} }) { warehouse { location { country } } }`,
      ),
    ).toMatchObject({ warehouse: { location: { country: 'US' } } })
    expect(
      await run(
        'createShippingZone(input: { name: "Z", countries: ["no", "NOR", "Sweden"] }) { shippingZone { countries } }',
      ),
    ).toMatchObject({ shippingZone: { countries: ['NO', 'SE'] } })
    expect(
      await run(
        `createCustomerSegment(input: { name: "${newSku()}", filter: { countries: ["Norway"] } }) { segment { filter { countries } } }`,
      ),
    ).toMatchObject({ segment: { filter: { countries: ['NO'] } } })
  })

  test('are refused with the field’s name if they are invalid', async () => {
    const errors = '{ errors { field code message } }'
    const nowhere = place('Narnia', 'none')
    const email = `${crypto.randomUUID()}@example.com`
    expect(
      await run(
        `createCustomer(input: { email: "${email}", name: "A", phone: "12", addresses: [${nowhere}] }) ${errors}`,
      ),
    ).toMatchObject({
      errors: [
        { field: 'phone', code: 'INVALID_FORMAT' },
        {
          field: 'addresses.0.country',
          code: 'INVALID_FORMAT',
          message:
            'Field addresses.0.country has invalid format. Expected: ISO 3166-1 alpha-2 country code, for example US',
        },
        { field: 'addresses.0.phone', code: 'INVALID_FORMAT' },
      ],
    })
    const refused = async (field: string) =>
      ((await run(`${field} ${errors}`)) as { errors: { field: string }[] }).errors.map(
        (error) => error.field,
      )
    expect(
      await refused('createShippingZone(input: { name: "Z", countries: ["Blah", "SE", "D E"] })'),
    ).toEqual(['countries.0', 'countries.2'])
    expect(
      await refused(`createCustomerSegment(input: { name: "S", filter: { countries: ["Blah"] } })`),
    ).toEqual(['filter.countries.0'])
    expect(
      await refused(`createProduct(input: { name: "Tent", sku: "${newSku()}", price: 1, currency: "ZZZ" })`),
    ).toEqual(['currency'])
    expect(
      await refused('createBookingService(input: { name: "S", duration: 30, price: 1, currency: "ZZZ" })'),
    ).toEqual(['currency'])
    expect(await refused('updateMerchantSettings(input: { currency: "ZZZ" })')).toEqual(['currency'])
  })
})

describe('records of another merchant', () => {
  const foreign = (kind: string, n = 1): string => fixtureId(kind, 2, n)
  const target = { code: 'NOT_FOUND' }

  test.each([
    [
      'id',
      () =>
        `updateProduct(id: "${foreign('product')}", input: { name: "Mine now", images: [{ url: "https://x.example/1.png" }], categoryIds: ["${category(1)}"] })`,
    ],
    ['id', () => `updateProduct(id: "${foreign('product')}", input: { images: [], categoryIds: [] })`],
    ['id', () => `deleteProduct(id: "${foreign('product')}")`],
    ['productId', () => `createProductVariant(productId: "${foreign('product')}", input: { sku: "X-1" })`],
    ['id', () => `updateProductVariant(id: "${foreign('variant')}", input: { price: 1, options: [] })`],
    ['id', () => `deleteProductVariant(id: "${foreign('variant')}")`],
    ['parentId', () => `createCategory(input: { name: "Mine", parentId: "${foreign('category')}" })`],
    ['id', () => `updateCategory(id: "${foreign('category')}", input: { name: "Mine" })`],
    ['parentId', () => `updateCategory(id: "${category(2)}", input: { parentId: "${foreign('category')}" })`],
    ['id', () => `deleteCategory(id: "${foreign('category')}")`],
    [
      'productId',
      () => `createReview(input: { productId: "${foreign('product')}", authorName: "A", rating: 1 })`,
    ],
    [
      'customerId',
      () =>
        `createReview(input: { productId: "${fixtureId('product', 1, 1)}", customerId: "${foreign('customer')}", authorName: "A", rating: 1 })`,
    ],
    ['id', () => `updateReview(id: "${foreign('review')}", input: { rating: 1 })`],
    ['id', () => `deleteReview(id: "${foreign('review')}")`],
    ['id', () => `updateCustomer(id: "${foreign('customer')}", input: { name: "Mine" })`],
    ['id', () => `deleteCustomer(id: "${foreign('customer', 3)}")`],
    [
      'customerId',
      () =>
        `createCustomerAddress(customerId: "${foreign('customer')}", input: { line1: "1", city: "B", state: "", postalCode: "1", country: "US" })`,
    ],
    [
      'id',
      () => `updateCustomerAddress(id: "${foreign('address')}", input: { line1: "Mine" }, isDefault: true)`,
    ],
    ['id', () => `deleteCustomerAddress(id: "${foreign('address')}")`],
    [
      'id',
      () =>
        `updateWarehouse(id: "${foreign('warehouse')}", input: { location: { line1: "1", city: "B", state: "x", postalCode: "1", country: "US" } })`,
    ],
    ['id', () => `deleteWarehouse(id: "${foreign('warehouse')}")`],
    [
      'shippingZoneId',
      () => `createShippingMethod(shippingZoneId: "${foreign('zone')}", input: { name: "Mine", price: 0 })`,
    ],
    ['id', () => `updateShippingZone(id: "${foreign('zone')}", input: { name: "Mine" })`],
    ['id', () => `deleteShippingZone(id: "${foreign('zone')}")`],
    ['id', () => `updateShippingMethod(id: "${foreign('method')}", input: { price: 0 })`],
    ['id', () => `deleteShippingMethod(id: "${foreign('method')}")`],
    ['id', () => `removeIPWhitelist(id: "${foreign('network')}")`],
    ['id', () => `deleteCart(id: "${foreign('cart')}")`],
    ['id', () => `updateOrder(id: "${foreign('order')}", input: { notes: "Mine" })`],
  ])('are not found by %s, and don’t change: %s', async (field, mutation) => {
    const before = await everythingOf(2)
    const payload = await mutate(`${mutation()} { ${errors} }`)
    expect(payload.errors).toContainEqual(expect.objectContaining({ field, ...target }))
    expect(await everythingOf(2)).toEqual(before)
  })

  /** The rows of a merchant in every table that a mutation could write. */
  async function everythingOf(merchant: 1 | 2): Promise<unknown> {
    const tables = await gateway.shop.sql(`
      SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('hdb_catalog', 'platform') ORDER BY 1`)
    const union = tables.map(
      ({ name }) =>
        `SELECT '${String(name)}' AS t, to_jsonb(x)::text AS r FROM ${String(name)} x WHERE merchant_id = '${fixtureId('merchant', merchant, 0)}'`,
    )
    return gateway.shop.sql(
      `SELECT t, count(*)::int, md5(string_agg(r, ',' ORDER BY r)) FROM (${union.join(' UNION ALL ')}) y GROUP BY t ORDER BY t`,
    )
  }
})

describe('a mutation document', () => {
  test('runs its fields in order and separately: a failed one neither reverts nor hides another', async () => {
    const sku = newSku()
    const text = `mutation ($input: CreateProductInput!, $sku: String!) {
      first: createProduct(input: $input) { product { sku } ${errors} }
      again: createProduct(input: $input) { product { sku } ${errors} }
      variant: createProductVariant(productId: "none", input: { sku: $sku }) { variant { id } ${errors} }
    }`
    const answer = await send<Record<string, Payload>>(gateway, key, text, {
      input: { name: 'Shirt', sku, price: 1, currency: 'EUR' },
      sku,
    })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.data)).toEqual(['first', 'again', 'variant'])
    expect(answer.data['first']?.errors).toEqual([])
    expect(answer.data['again']).toMatchObject({
      product: null,
      errors: [{ field: 'sku', code: 'ALREADY_EXISTS' }],
    })
    expect(faults(answer.data['variant'] as Payload)).toEqual([
      ['sku', 'ALREADY_EXISTS'],
      ['productId', 'NOT_FOUND'],
    ])
  })

  test('is refused as a whole, before anything runs, if one of its fields lacks a permission', async () => {
    const catalogKey = await gateway.createKey({ permissions: ['products:read', 'products:write'] })
    const sku = newSku()
    const text = `mutation { createProduct(input: { name: "Shirt", sku: "${sku}", price: 1, currency: "EUR" }) { product { id } }
      deleteCustomer(id: "${fixtureId('customer', 1, 1)}") { success } }`
    const answer = await send(gateway, catalogKey, text)
    expect([answer.status, answer.data, answer.errors[0]?.extensions.id]).toEqual([
      403,
      undefined,
      'SVC_AUTH_003',
    ])
    expect(await gateway.shop.sql(`SELECT id FROM catalog.product WHERE sku = '${sku}'`)).toEqual([])
  })

  test('needs the permission to read what it selects, and no others', async () => {
    const writeOnly = await gateway.createKey({ permissions: ['products:write'] })
    const create = (selection: string) =>
      send(
        gateway,
        writeOnly,
        `mutation { createProduct(input: { name: "Shirt", sku: "${newSku()}", price: 1, currency: "EUR" }) { ${selection} } }`,
      )
    const refused = await create('product { id more: inventory { available } }')
    expect([refused.status, refused.data]).toEqual([403, undefined])
    expect(refused.errors).toMatchObject([
      {
        path: ['createProduct', 'product'],
        extensions: {
          id: 'SVC_AUTH_003',
          details: { field: 'CreateProductPayload.product', permission: 'products:read' },
        },
      },
      {
        path: ['createProduct', 'product', 'more'],
        extensions: { details: { field: 'Product.inventory', permission: 'inventory:read' } },
      },
    ])
    expect((await create('errors { code }')).data).toEqual({ createProduct: { errors: [] } })
  })

  test('selects with aliases, fragments, directives and variables, also inside the record', async () => {
    const text = `mutation ($yes: Boolean!, $no: Boolean!, $n: Int) {
      __typename
      made: createCustomer(input: { email: "frag@example.com", name: "Fragment" }) {
        ...Made kind: __typename ... on CreateCustomerPayload @include(if: $no) { phone }
      } }
      fragment Made on CreateCustomerPayload {
        mail: email again: email @skip(if: $yes)
        who: customer { called: name orders(first: $n) { totalCount edges { cursor } } }
        problems: errors { what: code }
      }`
    const answer = await send(gateway, key, text, { yes: true, no: false, n: 2 })
    expect(answer.text).toBe(
      '{"data":{"__typename":"Mutation","made":{"mail":"frag@example.com","who":{"called":"Fragment","orders":{"totalCount":0,"edges":[]}},"problems":[],"kind":"CreateCustomerPayload"}}}',
    )
  })
})

describe('a record with references', () => {
  test('can’t be deleted, and the error says why', async () => {
    expect(await mutate(`deleteCategory(id: "${category(1)}") { success ${errors} }`)).toMatchObject({
      success: false,
      errors: [{ field: 'id', code: 'INVALID_VALUE', message: 'The category has subcategories' }],
    })
  })
})

describe('the IP allow-list', () => {
  const add = (ip: string): Promise<Payload> =>
    mutate(`addIPWhitelist(ip: $ip) { success ipAddress ${errors} }`, { ip }, '($ip: String!)')

  test.each([
    ['198.51.100.7', '198.51.100.7/32'],
    ['198.51.100.0/25', '198.51.100.0/25'],
    ['2001:db8::/32', '2001:db8::/32'],
    [' 2001:DB8::1 ', '2001:db8::1/128'],
  ])('accepts %s', async (ip, stored) => {
    expect(await add(ip)).toEqual({ success: true, ipAddress: stored, errors: [] })
  })

  test.each([
    '',
    'office',
    '198.51.100.7/24',
    '198.51.100.0/33',
    '1.2.3',
    '0x7f.0.0.1',
    '::1%eth0',
    '10.0.0.0/8/8',
  ])('refuses %j', async (ip) => {
    expect(await add(ip)).toMatchObject({ success: false, ipAddress: null, errors: [{ field: 'ip' }] })
  })

  test('has each network once', async () => {
    expect(faults(await add('203.0.113.0/24'))).toEqual([['ip', 'ALREADY_EXISTS']])
  })
})

test('none of these tests caused an internal error', () => {
  expect(gateway.log).toEqual([])
})
