import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { queryData } from '../../testing/run.ts'
import { customerPrincipal, fixtureId, keyPrincipal } from '../../testing/shop.ts'

let gateway: TestGateway
const merchantId = fixtureId('merchant', 1, 0)

beforeAll(async () => {
  gateway = await openTestGateway()
  // By triggers: the definitions are there before the products. Every value is in several products.
  await gateway.shop.sql(`
    INSERT INTO metadata.definition (merchant_id, owner_type, namespace, key, type, name, is_attribute) VALUES
      ('${merchantId}', 'PRODUCT', 'spec', 'material', 'TEXT', 'Material', TRUE),
      ('${merchantId}', 'PRODUCT', 'spec', 'weight', 'DECIMAL', 'Weight', TRUE),
      ('${merchantId}', 'PRODUCT', 'spec', 'seasons', 'LIST_OF_TEXT', 'Seasons', TRUE),
      ('${merchantId}', 'PRODUCT', 'spec', 'hidden', 'TEXT', 'No attribute', FALSE),
      ('${merchantId}', 'PRODUCT_VARIANT', 'spec', 'lined', 'BOOLEAN', 'Lined', TRUE);
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status, tags, metadata)
    SELECT '${merchantId}', 'Tent ' || n, 'ATTR-' || n, 1000, 'USD', 'ACTIVE', '{attr}', jsonb_build_object('spec', jsonb_build_object(
      'material', (ARRAY['Cotton', 'Nylon', 'Wool, "fine"'])[1 + n % 3], 'weight', (ARRAY[1.5, 1.50, 2, 10])[1 + n % 4],
      'seasons', (ARRAY['["summer"]', '["summer", "winter"]']::jsonb[])[1 + n % 2], 'hidden', 'x'))
    FROM generate_series(1, 24) n;
    INSERT INTO catalog.product_variant (merchant_id, product_id, sku, metadata)
    SELECT p.merchant_id, p.id, p.sku || '-V', jsonb_build_object('spec', jsonb_build_object('lined', p.sku LIKE '%5'))
    FROM catalog.product p WHERE p.merchant_id = '${merchantId}' AND p.sku LIKE 'ATTR-%' AND p.sku < 'ATTR-20'`)
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface AttributeFilter {
  readonly namespace: string
  readonly key: string
  readonly values?: readonly string[]
  readonly min?: number
  readonly max?: number
}

const document = `query ($filters: SearchFilters) {
  search(filters: $filters) { totalCount facets { name namespace key attributeName value count } } }`

async function find(attributes: readonly AttributeFilter[], as = keyPrincipal(1)) {
  const { search } = await queryData(gateway.shop, as, document, {
    filters: { tags: ['attr'], attributes },
  })
  const { totalCount, facets } = search as {
    readonly totalCount: number
    readonly facets: readonly (Readonly<
      Record<'name' | 'namespace' | 'key' | 'attributeName' | 'value', string>
    > & {
      readonly count: number
    })[]
  }
  return { totalCount, facets: facets.filter(({ name }) => name === 'ATTRIBUTE') }
}

const spec = (key: string, ...values: readonly string[]): AttributeFilter => ({
  namespace: 'spec',
  key,
  values,
})

const countOf = async (key: string, value: string) =>
  (await find([])).facets.find((facet) => facet.key === key && facet.value === value)?.count ?? 0

test('each value of an attribute counts what its filter leaves, whatever other attributes are filtered by', async () => {
  const { facets } = await find([])
  expect(facets.map(({ attributeName, key, value, count }) => [attributeName, key, value, count])).toEqual([
    ['Lined', 'lined', 'false', 11],
    ['Lined', 'lined', 'true', 1],
    ['Material', 'material', 'Cotton', 8],
    ['Material', 'material', 'Nylon', 8],
    ['Material', 'material', 'Wool, "fine"', 8],
    ['Seasons', 'seasons', 'summer', 24],
    ['Seasons', 'seasons', 'winter', 12],
    ['Weight', 'weight', '1.5', 12],
    ['Weight', 'weight', '10', 6],
    ['Weight', 'weight', '2', 6],
  ])
  for (const as of [keyPrincipal(1), customerPrincipal(1)])
    for (const filters of [
      [],
      [spec('material', 'Nylon')],
      [spec('material', 'Nylon', 'Cotton'), spec('seasons', 'winter')],
      [{ namespace: 'spec', key: 'weight', min: 1.6, max: 10 }],
    ]) {
      const found = await find(filters, as)
      expect(found.totalCount).toBeGreaterThan(0)
      for (const { key, value, count } of found.facets) {
        const others = filters.filter((filter) => filter.key !== key)
        expect([key, value, (await find([...others, spec(key, value)], as)).totalCount]).toEqual([
          key,
          value,
          count,
        ])
      }
    }
})

test('numbers are found by their value and by a range, and a value that no product has finds nothing', async () => {
  const weight = (range: object) => find([{ namespace: 'spec', key: 'weight', ...range }])
  expect((await find([spec('weight', '1.500')])).totalCount).toBe(12)
  expect((await weight({ min: 2 })).totalCount).toBe(12)
  expect((await weight({ max: 1.9 })).totalCount).toBe(12)
  expect((await weight({ min: 2.5, max: 9 })).totalCount).toBe(0)
  expect((await find([spec('material', 'Gold')])).totalCount).toBe(0)
  expect((await find([spec('hidden', 'x')])).totalCount).toBe(0)
})

test('attributes follow products and variants at once, and definitions by the job', async () => {
  await gateway.shop.sql(`
    UPDATE catalog.product SET metadata = '{"spec": {"material": "Silk"}}' WHERE merchant_id = '${merchantId}' AND sku IN ('ATTR-1', 'ATTR-2');
    UPDATE catalog.product_variant SET metadata = '{"spec": {"lined": true}}' WHERE merchant_id = '${merchantId}' AND sku = 'ATTR-1-V'`)
  expect(await countOf('material', 'Silk')).toBe(2)
  expect(await countOf('lined', 'true')).toBe(2)
  await gateway.shop.sql(
    `UPDATE catalog.product_variant SET deleted_at = now() WHERE merchant_id = '${merchantId}' AND sku = 'ATTR-1-V'`,
  )
  expect(await countOf('lined', 'true')).toBe(1)
  const rewritten = async () => {
    await gateway.shop.sql('SELECT search.rewrite_attributes(7)')
    return gateway.shop.sql('SELECT 1 FROM search.changed_attributes')
  }
  await gateway.shop.sql(
    `UPDATE metadata.definition SET is_attribute = key = 'hidden' WHERE merchant_id = '${merchantId}' AND key IN ('hidden', 'material')`,
  )
  expect(await countOf('material', 'Silk')).toBe(0)
  await expect.poll(rewritten, { timeout: 20_000, interval: 1 }).toEqual([])
  expect((await find([spec('hidden', 'x')])).totalCount).toBe(24)
  expect(await countOf('hidden', 'x')).toBe(24)
  expect((await find([spec('material', 'Silk')])).totalCount).toBe(0)
})

test('the job on a changed definition ends, although a product is added before each of its steps', async () => {
  await gateway.shop.sql(
    `UPDATE metadata.definition SET is_attribute = NOT is_attribute WHERE merchant_id = '${merchantId}' AND key = 'hidden'`,
  )
  let added = 0
  const step = async () => {
    added += 1
    await gateway.shop.sql(
      `INSERT INTO catalog.product (merchant_id, name, sku, price, currency) VALUES ('${merchantId}', 'Later', 'LATER-${added}', 100, 'USD')`,
    )
    await gateway.shop.sql('SELECT search.rewrite_attributes(7)')
    return gateway.shop.sql('SELECT 1 FROM search.changed_attributes')
  }
  // Its first step waits for the transactions of other tests.
  await expect.poll(step, { timeout: 20_000, interval: 20 }).toEqual([])
  await gateway.shop.sql(
    `DELETE FROM catalog.product WHERE merchant_id = '${merchantId}' AND name = 'Later';
     UPDATE metadata.definition SET is_attribute = NOT is_attribute WHERE merchant_id = '${merchantId}' AND key = 'hidden'`,
  )
})

test('a filter that says too little or too much is refused with its field', async () => {
  const key = await gateway.createKey({ permissions: everyPermission })
  const long = Array.from({ length: 51 }, String)
  for (const [attributes, field] of [
    [[{ namespace: 'spec', key: 'weight' }], 'filters.attributes.0.values'],
    [[{ namespace: 'spec', key: 'weight', values: ['1'], min: 1 }], 'filters.attributes.0.values'],
    [[spec('weight')], 'filters.attributes.0.values'],
    [[spec('weight', ...long)], 'filters.attributes.0.values'],
    [[{ namespace: 'spec', key: 'weight', min: 2, max: 1 }], 'filters.attributes.0.max'],
    [[spec('weight', '1'), spec('weight', '2')], 'filters.attributes.1.key'],
    [[spec('we\0ight', '1')], 'filters.attributes.0'],
    [long.slice(0, 21).map((name) => spec(name, '1')), 'filters.attributes'],
  ] as const) {
    const answer = await send(gateway, key, document, { filters: { attributes } })
    expect([answer.status, answer.errors[0]?.extensions.details['field']]).toEqual([400, field])
  }
})
