import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { queryData } from '../../testing/run.ts'
import { customerPrincipal, fixtureId, keyPrincipal } from '../../testing/shop.ts'

let gateway: TestGateway
let key: string

const merchantId = (merchant: 1 | 2) => fixtureId('merchant', merchant, 0)

/** The same products in both merchants' shops. */
const goods = (merchant: 1 | 2) => `
  INSERT INTO catalog.product (merchant_id, name, description, sku, price, currency, status, tags) VALUES
    ('${merchantId(merchant)}', 'Sneakers', NULL, 'SN-1', 5000, 'USD', 'ACTIVE', '{shoes}'),
    ('${merchantId(merchant)}', 'Red Sneakers', NULL, 'SN-2', 6000, 'USD', 'ACTIVE', '{shoes,red}'),
    ('${merchantId(merchant)}', 'Laces', 'For sneakers of any kind, red ones too', 'LA-1', 300, 'USD', 'ACTIVE', '{}'),
    ('${merchantId(merchant)}', 'Sneakers of tomorrow', NULL, 'SN-9', 9000, 'USD', 'DRAFT', '{shoes}'),
    ('${merchantId(merchant)}', 'Crème Brûlée Torch', NULL, 'TO-100%_X', 2500, 'USD', 'ACTIVE', ARRAY['kitchen', 'a "b", {c\\d}, NULL']);
  INSERT INTO catalog.category (merchant_id, name) VALUES ('${merchantId(merchant)}', 'Sneakers and more');
  INSERT INTO search.article (merchant_id, name, body, status) VALUES
    ('${merchantId(merchant)}', 'How to wash sneakers', 'Gently.', 'PUBLISHED'),
    ('${merchantId(merchant)}', 'Sneakers we will sell', 'Secret.', 'DRAFT')`

beforeAll(async () => {
  gateway = await openTestGateway()
  await gateway.shop.sql(goods(1))
  await gateway.shop.sql(goods(2))
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const selection = `results { __typename ... on Product { id name } ... on Category { title: name } ... on Article { heading: title } }
  totalCount facets { name optionName value label count min max }`

interface Found {
  readonly results: readonly Readonly<Record<string, string>>[]
  readonly totalCount: number
  readonly facets: readonly {
    readonly name: string
    readonly optionName: string | null
    readonly value: string
    readonly count: number
    readonly min: number | null
    readonly max: number | null
  }[]
}

async function find(query: string, more: object = {}, as = keyPrincipal(1)): Promise<Found> {
  const data = await queryData(
    gateway.shop,
    as,
    `query ($query: String!, $filters: SearchFilters, $first: Int, $offset: Int) {
      search(query: $query, filters: $filters, first: $first, offset: $offset) { ${selection} }
    }`,
    { query, ...more },
  )
  return data['search'] as Found
}

const titles = ({ results }: Found) => results.map(({ name, title, heading }) => name ?? title ?? heading)

describe('search', () => {
  test('filters by tags with any characters, and finds nothing for an unknown tag', async () => {
    const tag = String.raw`50% "off", {now} \o/`
    await gateway.shop.sql(
      `UPDATE catalog.product SET tags = tags || '${tag}'::text WHERE merchant_id = '${merchantId(1)}' AND sku = 'LA-1'`,
    )
    expect(titles(await find('laces', { filters: { tags: [tag] } }))).toEqual(['Laces'])
    expect(titles(await find('laces', { filters: { tags: ['50%'] } }))).toEqual([])
    expect(titles(await find('laces', { filters: { tags: [] } }))).toContain('Laces')
    await gateway.shop.sql(
      `UPDATE catalog.product SET tags = '{}' WHERE merchant_id = '${merchantId(1)}' AND sku = 'LA-1'`,
    )
  })

  test('finds all kinds of records in one operation, exact names first and mentions last', async () => {
    gateway.shop.takeCount()
    const found = await find('sneakers')
    expect(gateway.shop.takeCount()).toBe(1)
    expect(titles(found)[0]).toBe('Sneakers')
    expect(titles(found).at(-1)).toBe('Laces')
    expect(new Set(found.results.map((result) => result['__typename']))).toEqual(
      new Set(['Product', 'Category', 'Article']),
    )
    expect(found.totalCount).toBe(found.results.length)
    expect(titles(found)).toEqual(
      expect.arrayContaining(['Sneakers of tomorrow', 'How to wash sneakers', 'Sneakers we will sell']),
    )
  })

  test.each([
    ['snekaers', 'Sneakers'],
    ['sneekers', 'Sneakers'],
    ['Sneker', 'Sneakers'],
    ['red sneakers', 'Red Sneakers'],
    ['sneakers red', 'Red Sneakers'],
    ['snea re', 'Red Sneakers'],
    ['creme brulee', 'Crème Brûlée Torch'],
    ['CRÈME', 'Crème Brûlée Torch'],
    ['brulee crme', 'Crème Brûlée Torch'],
    ['TO-100%_X', 'Crème Brûlée Torch'],
    ['kitchen', 'Crème Brûlée Torch'],
  ])('corrects %s', async (query, title) => {
    expect(titles(await find(query))[0]).toBe(title)
  })

  test.each(['%%', '__', "' | '", 'sneakers & !red <-> (', ':*', '\\\\', 'zzzzqqqq', "a'b\\c:*"])(
    'treats %s as text only',
    async (query) => {
      const { totalCount, results } = await find(query)
      expect(results.length).toBe(totalCount)
    },
  )

  test('finds nothing for punctuation, and a word only where it occurs', async () => {
    expect((await find('%_')).totalCount).toBe(0)
    expect((await find('xylophone')).totalCount).toBe(0)
  })

  test('shows a shopper what is on sale and published, a key what its permissions cover, and no other merchant’s records', async () => {
    const shopper = titles(await find('sneakers', {}, customerPrincipal(1)))
    expect(shopper).toContain('How to wash sneakers')
    expect(shopper).not.toContain('Sneakers of tomorrow')
    expect(shopper).not.toContain('Sneakers we will sell')
    const noArticles = await find('sneakers', {}, keyPrincipal(1, ['products:read']))
    expect(noArticles.results.map((result) => result['__typename'])).not.toContain('Article')
    expect(noArticles.totalCount).toBe(noArticles.results.length)
    const nothing = await find('sneakers', {}, keyPrincipal(1, ['orders:read']))
    expect(nothing).toEqual({ results: [], totalCount: 0, facets: [] })
    const [own, foreign] = [await find('sneakers'), await find('sneakers', {}, keyPrincipal(2))]
    const ids = ({ results }: Found) => results.flatMap(({ id }) => id ?? [])
    expect(ids(own).filter((id) => ids(foreign).includes(id))).toEqual([])
  })

  test('counts the results of each facet under the other facets’ filters, for shoppers as well', async () => {
    for (const as of [keyPrincipal(1), customerPrincipal(1)]) {
      for (const query of ['sneakers', 'product', 'torch']) {
        const { facets } = await find(query, {}, as)
        expect(new Set(facets.map(({ name }) => name)).has('STATUS')).toBe(as.kind === 'key')
        for (const { name, optionName, value, count, min, max } of facets) {
          const filters = {
            TYPE: { types: [value] },
            CATEGORY: { categoryId: value },
            TAG: { tags: [value] },
            OPTION: { options: [{ name: optionName, values: [value] }] },
            PRICE: { priceMin: min, priceMax: max },
            IN_STOCK: { inStock: value === 'true' },
            STATUS: { status: value },
          }[name]
          expect([name, value, (await find(query, { filters }, as)).totalCount]).toEqual([name, value, count])
        }
      }
    }
  })

  test('shows the same stock as products do', async () => {
    const inStock = async (wanted: boolean) => {
      const data = await queryData(
        gateway.shop,
        keyPrincipal(1),
        `query ($wanted: Boolean!) {
          products(first: 100, filters: { inStock: $wanted, searchQuery: "product" }) { totalCount }
          search(query: "product", filters: { inStock: $wanted }) { totalCount }
        }`,
        { wanted },
      )
      return [data['products'], data['search']] as { totalCount: number }[]
    }
    for (const wanted of [true, false]) {
      const [list, found] = await inStock(wanted)
      expect(found).toEqual(list)
    }
  })

  test('pages within bounds, with every result once', async () => {
    const all = titles(await find('product', { first: 100 }))
    const paged: unknown[] = []
    for (let offset = 0; offset < all.length; offset += 7)
      paged.push(...titles(await find('product', { first: 7, offset })))
    expect(paged).toEqual(all)
    const refusals = [
      [{ query: 'x' }, 'query'],
      [{ query: 'x'.repeat(101) }, 'query'],
      [{ query: 'shoes', first: 101 }, 'first'],
      [{ query: 'shoes', first: 0 }, 'first'],
      [{ query: 'shoes', offset: 1001 }, 'offset'],
      [{ query: 'shoes', offset: -1 }, 'offset'],
      [{ query: 'sho\0es' }, 'query'],
    ] as const
    for (const [variables, field] of refusals) {
      const answer = await send(
        gateway,
        key,
        'query ($query: String!, $first: Int, $offset: Int) { search(query: $query, first: $first, offset: $offset) { totalCount } }',
        variables,
      )
      expect([answer.status, answer.errors[0]?.extensions.details['field']]).toEqual([400, field])
    }
  })

  test('finds a SKU whose beginning reads as a number with an exponent, whole and as one types', async () => {
    const product = fixtureId('product', 1, 6)
    await gateway.shop.sql(
      `INSERT INTO catalog.product_variant (merchant_id, product_id, sku) VALUES ('${merchantId(1)}', '${product}', 'C9AF-04E7FF91')`,
    )
    for (const query of ['c9af-04e7ff91', '04E7FF91', '04e7f', '04e'])
      expect((await find(query)).results.map(({ id }) => id)).toEqual([product])
  })

  test('reflects changes immediately', async () => {
    const product = fixtureId('product', 1, 5)
    const count = async (query: string) => (await find(query)).totalCount
    expect(await count('zeppelin')).toBe(0)
    await gateway.shop.sql(`UPDATE catalog.product SET name = 'Zeppelin' WHERE id = '${product}'`)
    expect(await count('zepelin')).toBe(1)
    await gateway.shop.sql(
      `INSERT INTO catalog.product_variant (merchant_id, product_id, sku) VALUES ('${merchantId(1)}', '${product}', 'GIANT-7')`,
    )
    expect(await count('giant-7')).toBe(1)
    await gateway.shop.sql(`UPDATE catalog.product SET deleted_at = now() WHERE id = '${product}'`)
    expect(await count('zeppelin')).toBe(0)
  })
})

test('suggestions complete the typed text, correct typing errors, and show a shopper nothing hidden', async () => {
  const suggest = async (query: string, as = keyPrincipal(1)) => {
    const data = await queryData(
      gateway.shop,
      as,
      'query ($query: String!) { searchSuggestions(query: $query, first: 20) { text type } }',
      { query },
    )
    return (data['searchSuggestions'] as { text: string; type: string }[]).map(({ text }) => text)
  }
  expect((await suggest('sne'))[0]).toBe('Sneakers')
  expect(await suggest('snekaers')).toContain('Red Sneakers')
  expect(await suggest('sneakers', customerPrincipal(1))).not.toContain('Sneakers of tomorrow')
  expect(await suggest('laces fo')).toEqual([])
})

test('an article gets a slug from its title, follows its status, and can be changed and deleted', async () => {
  const ask = async (document: string, variables: object) => {
    const answer = await send<Record<string, Readonly<Record<string, unknown>>>>(gateway, key, document, {
      ...variables,
    })
    expect(answer.errors).toEqual([])
    return Object.values(answer.data)[0] ?? {}
  }
  const create = `mutation ($input: CreateArticleInput!) {
    createArticle(input: $input) { article { id slug status publishedAt body } errors { field code } } }`
  const created = await ask(create, { input: { title: 'Été à Paris', body: 'Warm.' } })
  expect(created).toMatchObject({
    article: { slug: 'ete-a-paris', status: 'DRAFT', publishedAt: null },
    errors: [],
  })
  expect(await ask(create, { input: { title: 'Again', slug: 'ete-a-paris' } })).toMatchObject({
    errors: [{ field: 'slug', code: 'ALREADY_EXISTS' }],
  })
  const { id } = created['article'] as { id: string }
  const read = () =>
    queryData(gateway.shop, customerPrincipal(1), '{ article(slug: "ete-a-paris") { title body } }')
  expect(await read()).toEqual({ article: null })
  const published = await ask(
    `mutation ($id: ID!) { updateArticle(id: $id, input: { status: PUBLISHED }) { article { publishedAt } errors { field } } }`,
    { id },
  )
  expect(published).toMatchObject({ article: { publishedAt: expect.any(String) as string } })
  expect(await read()).toEqual({ article: { title: 'Été à Paris', body: 'Warm.' } })
  expect((await find('paris')).totalCount).toBe(1)
  await ask('mutation ($id: ID!) { deleteArticle(id: $id) { success errors { field } } }', { id })
  expect((await find('paris')).totalCount).toBe(0)
})

test('a merchant’s synonyms find each other in any form, its stop words are passed over, and another merchant has its own', async () => {
  await gateway.shop.sql(`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status)
    SELECT m.id::uuid, p.name, p.sku, 100, 'USD', 'ACTIVE'
    FROM (VALUES ('Blue Sofa', 'SYN-1'), ('Couch of velvet', 'SYN-2'), ('Tee', 'SYN-3')) p (name, sku),
      (VALUES ('${merchantId(1)}'), ('${merchantId(2)}')) m (id)`)
  const change = async (input: object) => {
    const { errors, data } = await send<Record<string, { errors: readonly { field: string }[] }>>(
      gateway,
      key,
      `mutation ($input: UpdateMerchantSettingsInput!) {
        updateMerchantSettings(input: $input) { settings { searchSynonyms searchStopWords } errors { field } } }`,
      { input },
    )
    expect(errors).toEqual([])
    return data['updateMerchantSettings']
  }
  expect(titles(await find('sofas'))).toEqual(['Blue Sofa'])
  const settings = { searchSynonyms: ['sofa, couch, settee', 't-shirt,Tee'], searchStopWords: ['for', 'the'] }
  expect(await change(settings)).toEqual({ settings, errors: [] })
  for (const query of ['sofas', 'couch', 'Settee', 'for the settee'])
    expect([query, titles(await find(query)).toSorted()]).toEqual([query, ['Blue Sofa', 'Couch of velvet']])
  expect(titles(await find('blue couches'))).toEqual(['Blue Sofa'])
  expect(titles(await find('t shirts'))).toEqual(['Tee'])
  expect(titles(await find('couch', {}, keyPrincipal(2)))).toEqual(['Couch of velvet'])
  expect(titles(await find('for'))).toContain('Laces')
  expect(
    (await find('sofa', { filters: { types: ['PRODUCT'] } })).facets.find(({ name }) => name === 'TYPE')
      ?.count,
  ).toBe(2)
  for (const [input, field] of [
    [{ searchSynonyms: ['sofa'] }, 'searchSynonyms'],
    [{ searchSynonyms: ['sofa, '] }, 'searchSynonyms'],
    [{ searchSynonyms: Array.from({ length: 201 }, (_, n) => `a${n},b`) }, 'searchSynonyms'],
    [{ searchStopWords: ['two words'] }, 'searchStopWords'],
    [{ searchStopWords: [' '] }, 'searchStopWords.0'],
  ] as const)
    expect((await change(input))?.errors.map((error) => error.field)).toEqual([field])
  await change({ searchSynonyms: [], searchStopWords: [] })
  expect(titles(await find('sofa'))).toEqual(['Blue Sofa'])
})
