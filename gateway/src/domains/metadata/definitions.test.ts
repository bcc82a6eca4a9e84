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

async function mutate(document: string, variables: object, by = key): Promise<Payload> {
  const { data, errors } = await send(gateway, by, document, variables as Record<string, unknown>)
  expect(errors).toEqual([])
  return Object.values(data as Record<string, Payload>)[0] as Payload
}

const define = (input: object, by = key) =>
  mutate(
    `mutation ($input: CreateMetadataDefinitionInput!) { createMetadataDefinition(input: $input) {
       metadataDefinition { id ownerType private namespace key type name choices min max isAttribute } errors { field code message } } }`,
    { input: { ownerType: 'PRODUCT', namespace: 'spec', name: 'A key', ...input } },
    by,
  )
const redefine = (id: unknown, input: object) =>
  mutate(
    `mutation ($id: ID!, $input: UpdateMetadataDefinitionInput!) { updateMetadataDefinition(id: $id, input: $input) {
       metadataDefinition { id } errors { field code message } } }`,
    { id, input },
  )
let made = 0
const create = (input: object) =>
  mutate(
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { product { id } errors { field code message } } }',
    { input: { name: 'Fleece', sku: `DEFINED-${(made += 1)}`, price: 100, currency: 'USD', ...input } },
  )
const codesOf = ({ errors }: Payload) => errors.map(({ field, code }) => [field, code])
const writes = async (value: unknown, name: string) =>
  codesOf(await create({ metadata: { spec: { [name]: value } } }))

describe('a value of a defined key', () => {
  test.each([
    ['TEXT', ['', 'warm'], [1, true, ['x'], {}]],
    ['INTEGER', [0, -3, 1e3], [1.5, '1', true]],
    ['DECIMAL', [0, 1.25], ['1.25', [1]]],
    ['BOOLEAN', [true, false], ['true', 0]],
    ['DATE', ['2024-02-29'], ['2023-02-29', '2024-2-9', '29.02.2024', 20240229]],
    [
      'DATE_TIME',
      ['2024-02-29T09:30:00Z', '2024-02-29T09:30+01:00'],
      ['2024-02-29', '2024-02-29T25:00:00Z', '2024-02-30T09:30:00Z', '2024-02-29T09:30:00'],
    ],
    [
      'URL',
      ['https://example.com/a?b#c', 'http://x.test'],
      ['example.com', 'ftp://x.test', 'https://u@x.test', 1],
    ],
    ['JSON', [1, 'x', [1], { a: null }], []],
    ['LIST_OF_TEXT', [[], ['a', 'b']], ['a', [1], [['a']], {}]],
  ])('has the type %s', async (type, good, bad) => {
    const name = type.toLowerCase()
    expect((await define({ key: name, type })).errors).toEqual([])
    for (const value of good) expect(await writes(value, name), JSON.stringify(value)).toEqual([])
    for (const value of bad)
      expect(await writes(value, name), JSON.stringify(value)).toEqual([
        [`metadata.spec.${name}`, 'INVALID_FORMAT'],
      ])
  })

  test('has its choices and ends', async () => {
    await define({ key: 'size', type: 'TEXT', choices: ['S', 'M'] })
    await define({ key: 'sizes', type: 'LIST_OF_TEXT', choices: ['S', 'M'], min: 1, max: 2 })
    await define({ key: 'grams', type: 'INTEGER', min: 1, max: 99 })
    await define({ key: 'ratio', type: 'DECIMAL', min: 0.5 })
    await define({ key: 'code', type: 'TEXT', max: 3 })
    for (const [name, value, code] of [
      ['size', 'M', null],
      ['size', 'L', 'INVALID_FORMAT'],
      ['sizes', ['S'], null],
      ['sizes', ['L'], 'INVALID_FORMAT'],
      ['sizes', [], 'INVALID_VALUE'],
      ['sizes', ['S', 'M', 'S'], 'INVALID_VALUE'],
      ['grams', 99, null],
      ['grams', 100, 'INVALID_VALUE'],
      ['ratio', 0.4, 'INVALID_VALUE'],
      ['code', 'äöü', null],
      ['code', 'abcd', 'INVALID_VALUE'],
    ] as const)
      expect(await writes(value, name), `${name} ${JSON.stringify(value)}`).toEqual(
        code === null ? [] : [[`metadata.spec.${name}`, code]],
      )
  })

  test('is checked in SQL, for private keys and of its own merchant and owner alone', async () => {
    await define({ key: 'margin', type: 'INTEGER', private: true })
    expect(codesOf(await create({ privateMetadata: { spec: { margin: 'high' } } }))).toEqual([
      ['privateMetadata.spec.margin', 'INVALID_FORMAT'],
    ])
    expect(codesOf(await create({ metadata: { spec: { margin: 'high' } } }))).toEqual([])
    expect(
      codesOf(
        await create({ variants: [{ sku: 'DEFINED-V', privateMetadata: { spec: { margin: 'high' } } }] }),
      ),
    ).toEqual([])
    const insert = (merchant: 1 | 2) =>
      gateway.shop.sql(
        `INSERT INTO catalog.product (merchant_id, name, sku, price, currency, private_metadata)
         VALUES ('${fixtureId('merchant', merchant, 0)}', 'Rope', 'DEFINED-SQL', 1, 'USD', '{"spec": {"margin": "high"}}')`,
      )
    await expect(insert(1)).rejects.toThrow('Field privateMetadata.spec.margin: expected whole number')
    await insert(2)
  })

  test('stays when it was written before its definition, until it is written', async () => {
    const { product } = await create({ metadata: { spec: { late: 'text' } } })
    const { id } = product as { id: string }
    const { metadataDefinition } = await define({ key: 'late', type: 'INTEGER' })
    const change = (metadata: object) =>
      mutate(
        'mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { product { id } errors { field code message } } }',
        { id, input: { metadata } },
      )
    expect(codesOf(await change({ spec: { other: 1, late: 'text' } }))).toEqual([])
    expect(codesOf(await change({ spec: { late: 'texts' } }))).toEqual([
      ['metadata.spec.late', 'INVALID_FORMAT'],
    ])
    expect(codesOf(await change({ spec: { late: null } }))).toEqual([])
    await mutate('mutation ($id: ID!) { deleteMetadataDefinition(id: $id) { success errors { field } } }', {
      id: (metadataDefinition as { id: string }).id,
    })
    expect(codesOf(await change({ spec: { late: 'texts' } }))).toEqual([])
  })
})

describe('a definition', () => {
  test('is refused with the field at fault', async () => {
    const refused = async (input: object) => codesOf(await define(input))
    expect(await refused({ key: 'a b', type: 'TEXT' })).toEqual([['key', 'INVALID_FORMAT']])
    expect(await refused({ key: 'x', type: 'INTEGER', choices: ['a'] })).toEqual([
      ['choices', 'INVALID_VALUE'],
    ])
    expect(await refused({ key: 'x', type: 'DATE', min: 1 })).toEqual([['min', 'INVALID_VALUE']])
    expect(await refused({ key: 'x', type: 'INTEGER', min: 2, max: 1 })).toEqual([['max', 'INVALID_VALUE']])
    expect(await refused({ key: 'x', type: 'JSON', isAttribute: true })).toEqual([
      ['isAttribute', 'INVALID_VALUE'],
    ])
    expect(await refused({ key: 'x', type: 'TEXT', private: true, isAttribute: true })).toEqual([
      ['isAttribute', 'INVALID_VALUE'],
    ])
    expect(await refused({ ownerType: 'ORDER', key: 'x', type: 'TEXT', isAttribute: true })).toEqual([
      ['isAttribute', 'INVALID_VALUE'],
    ])
    const { metadataDefinition } = await define({ key: 'twice', type: 'INTEGER', min: 1 })
    expect(await refused({ key: 'twice', type: 'TEXT' })).toEqual([['key', 'ALREADY_EXISTS']])
    const { id } = metadataDefinition as { id: string }
    expect(codesOf(await redefine(id, { max: 0 }))).toEqual([['max', 'INVALID_VALUE']])
    expect(codesOf(await redefine(id, { max: 2, name: 'Two', isAttribute: true }))).toEqual([])
  })

  test('is one of at most 200 for a type of owner, however many are made at once', async () => {
    const stranger = await gateway.createKey({ merchant: 2, permissions: everyPermission })
    await gateway.shop.sql(
      `INSERT INTO metadata.definition (merchant_id, owner_type, namespace, key, type, name)
       SELECT '${fixtureId('merchant', 2, 0)}', 'CART', 'n', 'k' || i, 'TEXT', 'N' FROM generate_series(1, 198) i`,
    )
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        define({ ownerType: 'CART', namespace: 'race', key: `k${index}`, type: 'TEXT' }, stranger),
      ),
    )
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(2)
    expect(answers.flatMap(codesOf)).toEqual(Array.from({ length: 4 }, () => ['ownerType', 'INVALID_VALUE']))
  })

  test('of a public key is read by shoppers', async () => {
    await define({ key: 'shown', type: 'TEXT', isAttribute: true, name: 'Shown' })
    await define({ key: 'hidden', type: 'TEXT', private: true, name: 'Hidden' })
    const { metadataDefinitions } = await queryData(
      gateway.shop,
      customerPrincipal(1),
      '{ metadataDefinitions(first: 100) { nodes { name private } } }',
    )
    const { nodes } = metadataDefinitions as { nodes: readonly { name: string; private: boolean }[] }
    expect(nodes.map(({ name }) => name)).toContain('Shown')
    expect(nodes.filter((node) => node.private)).toEqual([])
    const found = await send(
      gateway,
      key,
      '{ metadataDefinitions(filters: { private: true, key: "hidden", ownerType: PRODUCT }) { nodes { name } } }',
    )
    expect(found.data).toEqual({ metadataDefinitions: { nodes: [{ name: 'Hidden' }] } })
  })
})

describe('a filter by metadata', () => {
  const skusOf = async (filters: object, by = key) => {
    const { data, errors } = await send<{ products: { nodes: readonly { sku: string }[] } }>(
      gateway,
      by,
      'query ($filters: ProductFilters) { products(sortBy: NAME, sortOrder: ASC, filters: $filters) { nodes { sku } } }',
      { filters },
    )
    expect(errors).toEqual([])
    return data.products.nodes.map(({ sku }) => sku)
  }

  test('finds the records that have all of the values', async () => {
    const metadata = { look: { colour: 'red', tags: ['a', 'b'], size: { eu: 40, us: 7 } } }
    await create({
      name: 'Filter 1',
      sku: 'FILTER-1',
      metadata,
      privateMetadata: { look: { colour: 'blue' } },
    })
    await create({ name: 'Filter 2', sku: 'FILTER-2', metadata: { look: { colour: 'red', tags: ['b'] } } })
    const look = (name: string, value: unknown) => ({ namespace: 'look', key: name, value })
    expect(await skusOf({ metadata: [look('colour', 'red')] })).toEqual(['FILTER-1', 'FILTER-2'])
    expect(await skusOf({ metadata: look('tags', ['a']) })).toEqual(['FILTER-1'])
    expect(await skusOf({ metadata: [look('colour', 'red'), look('size', { eu: 40 })] })).toEqual([
      'FILTER-1',
    ])
    expect(await skusOf({ metadata: [look('colour', 'blue')] })).toEqual([])
    expect(await skusOf({ privateMetadata: [look('colour', 'blue')] })).toEqual(['FILTER-1'])
    const stranger = await gateway.createKey({ merchant: 2, permissions: everyPermission })
    expect(await skusOf({ metadata: [look('colour', 'red')] }, stranger)).toEqual([])
  })

  test('is refused with the entry at fault', async () => {
    const refused = async (metadata: object) => {
      const { errors } = await send(
        gateway,
        key,
        'query ($filters: ProductFilters) { products(filters: $filters) { totalCount } }',
        { filters: { metadata } },
      )
      return errors.map(({ extensions }) => extensions.details['field'])
    }
    const entry = { namespace: 'look', key: 'colour', value: 'red' }
    expect(await refused([entry, { ...entry, key: '__proto__', value: 1 }])).toEqual([])
    expect(await refused([entry, entry])).toEqual(['filters.metadata.1.key'])
    expect(await refused([{ ...entry, namespace: 'a.b' }])).toEqual(['filters.metadata.0'])
    expect(await refused([{ ...entry, value: 'a\0b' }])).toEqual(['filters.metadata.0'])
    expect(await refused(Array.from({ length: 21 }, (_, index) => ({ ...entry, key: `k${index}` })))).toEqual(
      ['filters.metadata'],
    )
  })
})
