import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { fixtureId } from '../../testing/shop.ts'

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

async function ask<Data>(document: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
  const answer = await send(gateway, key, document, variables)
  expect(answer.errors).toEqual([])
  return answer.data as Data
}

const errors = 'errors { field code message }'
const faults = (payload: Payload) => payload.errors.map(({ field, code }) => [field, code])
const promotionFields = `id name code discountType discountValue status usageCount usageLimit campaign { name }
  conditions { minPurchaseAmount maxDiscountAmount productIds categoryIds customerIds firstOrderOnly }`

async function create(input: object): Promise<Payload> {
  const data = await ask<{ createPromotion: Payload }>(
    `mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { promotion { ${promotionFields} } ${errors} } }`,
    { input },
  )
  return data.createPromotion
}

async function update(id: string, input: object): Promise<Payload> {
  const data = await ask<{ updatePromotion: Payload }>(
    `mutation ($id: ID!, $input: UpdatePromotionInput!) {
      updatePromotion(id: $id, input: $input) { promotion { ${promotionFields} } ${errors} }
    }`,
    { id, input },
  )
  return data.updatePromotion
}

async function remove(id: string): Promise<Payload> {
  const data = await ask<{ deletePromotion: Payload }>(
    `mutation ($id: ID!) { deletePromotion(id: $id) { success ${errors} } }`,
    { id },
  )
  return data.deletePromotion
}

const idOf = ({ promotion }: Payload): string => (promotion as { id: string }).id
const period = { startDate: '2026-01-01T00:00:00Z', endDate: '2098-01-01T00:00:00Z' }
const tenPercent = { name: 'Ten', discountType: 'PERCENTAGE', discountValue: 10, ...period }

describe('a promotion', () => {
  test('is created with all its conditions, changed in some, cleared of them, and deleted', async () => {
    const conditions = {
      minPurchaseAmount: 9007199254740991,
      maxDiscountAmount: 300,
      productIds: [fixtureId('product', 1, 1)],
      categoryIds: [fixtureId('category', 1, 2)],
      customerIds: [fixtureId('customer', 1, 3)],
      firstOrderOnly: true,
    }
    const created = await create({
      ...tenPercent,
      code: 'Spring-10',
      usageLimit: 5,
      conditions,
      campaignId: fixtureId('campaign', 1, 1),
    })
    expect(created.errors).toEqual([])
    expect(created['promotion']).toMatchObject({
      code: 'Spring-10',
      status: 'ACTIVE',
      usageCount: 0,
      usageLimit: 5,
      conditions,
      campaign: { name: 'Winter' },
    })
    const id = idOf(created)
    const changed = await update(id, {
      discountType: 'FREE_SHIPPING',
      usageLimit: null,
      conditions: { productIds: null, maxDiscountAmount: 400 },
    })
    expect(changed['promotion']).toMatchObject({
      discountType: 'FREE_SHIPPING',
      usageLimit: null,
      conditions: { ...conditions, productIds: null, maxDiscountAmount: 400 },
    })
    const freed = await update(id, { conditions: null, campaignId: null, disabled: true })
    expect(freed['promotion']).toMatchObject({ status: 'DISABLED', conditions: null, campaign: null })
    expect(await remove(id)).toEqual({ success: true, errors: [] })
    expect(faults(await remove(id))).toEqual([['id', 'NOT_FOUND']])
  })

  test('is changed in one condition when what another one names is deleted', async () => {
    const product = await ask<{ createProduct: { product: { id: string } } }>(
      `mutation { createProduct(input: { name: "Lamp", price: 1, sku: "PROMO-LAMP", currency: "USD" }) { product { id } ${errors} } }`,
    )
    const category = await ask<{ createCategory: { category: { id: string } } }>(
      `mutation { createCategory(input: { name: "Lamps" }) { category { id } ${errors} } }`,
    )
    const productId = product.createProduct.product.id
    const categoryId = category.createCategory.category.id
    const created = await create({
      ...tenPercent,
      conditions: { productIds: [productId], categoryIds: [categoryId] },
    })
    await ask(
      `mutation { deleteProduct(id: "${productId}") { ${errors} } deleteCategory(id: "${categoryId}") { ${errors} } }`,
    )
    const customerIds = [fixtureId('customer', 1, 3)]
    const changed = await update(idOf(created), { conditions: { customerIds } })
    expect(changed).toMatchObject({
      errors: [],
      promotion: { conditions: { productIds: [productId], categoryIds: [categoryId], customerIds } },
    })
    const freed = await update(idOf(created), { conditions: { productIds: null } })
    expect(freed).toMatchObject({ errors: [], promotion: { conditions: { productIds: null, customerIds } } })
    expect(await remove(idOf(created))).toEqual({ success: true, errors: [] })
  })

  test('with many errors gets all of them, including those of the database, and nothing is written', async () => {
    const payload = await create({
      name: ' ',
      code: 'NEW',
      discountType: 'PERCENTAGE',
      discountValue: 101,
      startDate: period.endDate,
      endDate: period.startDate,
      usageLimit: 0,
      campaignId: fixtureId('campaign', 2, 1),
      conditions: {
        minPurchaseAmount: -1,
        maxDiscountAmount: 0,
        productIds: [fixtureId('product', 1, 1), fixtureId('product', 2, 1), 'no-id'],
        categoryIds: [],
        customerIds: [fixtureId('customer', 2, 1)],
      },
    })
    expect(payload['promotion']).toBeNull()
    expect(faults(payload)).toEqual([
      ['name', 'REQUIRED_FIELD'],
      ['usageLimit', 'OUT_OF_RANGE'],
      ['conditions.minPurchaseAmount', 'OUT_OF_RANGE'],
      ['conditions.maxDiscountAmount', 'INVALID_VALUE'],
      ['conditions.categoryIds', 'OUT_OF_RANGE'],
      ['discountValue', 'OUT_OF_RANGE'],
      ['endDate', 'INVALID_VALUE'],
      ['code', 'ALREADY_EXISTS'],
      ['campaignId', 'NOT_FOUND'],
      ['conditions.productIds.1', 'NOT_FOUND'],
      ['conditions.productIds.2', 'NOT_FOUND'],
      ['conditions.customerIds.0', 'NOT_FOUND'],
    ])
  })

  test.each([
    [
      'another merchant’s product',
      { conditions: { productIds: [fixtureId('product', 2, 1)] } },
      'conditions.productIds.0',
      'NOT_FOUND',
    ],
    [
      'a deleted product',
      { conditions: { productIds: [fixtureId('product', 1, 30)] } },
      'conditions.productIds.0',
      'NOT_FOUND',
    ],
    [
      'another merchant’s category',
      { conditions: { categoryIds: [fixtureId('category', 2, 1)] } },
      'conditions.categoryIds.0',
      'NOT_FOUND',
    ],
    [
      'another merchant’s customer',
      { conditions: { customerIds: [fixtureId('customer', 2, 1)] } },
      'conditions.customerIds.0',
      'NOT_FOUND',
    ],
    ['another merchant’s campaign', { campaignId: fixtureId('campaign', 2, 1) }, 'campaignId', 'NOT_FOUND'],
    ['a code that is taken, in any case', { code: 'new' }, 'code', 'ALREADY_EXISTS'],
    ['a code with spaces', { code: 'a b' }, 'code', 'INVALID_FORMAT'],
    ['no value', { discountValue: undefined }, 'discountValue', 'REQUIRED_FIELD'],
    [
      'an amount of nothing',
      { discountType: 'FIXED_AMOUNT', discountValue: 0 },
      'discountValue',
      'OUT_OF_RANGE',
    ],
  ])('with only %s is refused', async (_what, fields, field, code) => {
    expect(faults(await create({ ...tenPercent, ...fields }))).toEqual([[field, code]])
  })

  test.each([
    ['PERCENTAGE', 1],
    ['PERCENTAGE', 100],
    ['FIXED_AMOUNT', 1],
  ])('a %s of %i is within the bounds', async (discountType, discountValue) => {
    const { errors } = await create({ ...tenPercent, discountType, discountValue })
    expect(errors).toEqual([])
  })

  test('checks changed fields against stored ones', async () => {
    const id = idOf(await create({ ...tenPercent, discountType: 'FIXED_AMOUNT', discountValue: 500 }))
    expect(faults(await update(id, { discountType: 'PERCENTAGE' }))).toEqual([
      ['discountValue', 'INVALID_VALUE'],
    ])
    expect(faults(await update(id, { endDate: '2025-01-01T00:00:00Z' }))).toEqual([
      ['endDate', 'INVALID_VALUE'],
    ])
    expect(faults(await update(id, { name: null }))).toEqual([['name', 'REQUIRED_FIELD']])
  })

  test('with orders can’t be deleted, or limited below its use', async () => {
    const used = fixtureId('promotion', 1, 1)
    expect((await remove(used)).errors).toEqual([
      { field: 'id', code: 'INVALID_VALUE', message: 'Orders were placed with it; disable it instead' },
    ])
    await gateway.shop.sql(`UPDATE promotion.promotion SET usage_count = 3 WHERE id = '${used}'`)
    expect(faults(await update(used, { usageLimit: 2 }))).toEqual([['usageLimit', 'INVALID_VALUE']])
    await gateway.shop.sql(`UPDATE promotion.promotion SET usage_count = 1 WHERE id = '${used}'`)
  })

  test('of another merchant can’t be seen, changed or deleted', async () => {
    const theirs = fixtureId('promotion', 2, 1)
    expect(faults(await update(theirs, { disabled: true }))).toEqual([['id', 'NOT_FOUND']])
    expect(faults(await remove(theirs))).toEqual([['id', 'NOT_FOUND']])
    expect(await ask('query ($id: ID!) { promotion(id: $id) { id } }', { id: theirs })).toEqual({
      promotion: null,
    })
  })

  test('can be changed only with promotions:write', async () => {
    const reader = await gateway.createKey({ permissions: ['promotions:read'] })
    const text = `mutation ($id: ID!) { deletePromotion(id: $id) { success } }`
    const answer = await send(gateway, reader, text, { id: fixtureId('promotion', 1, 1) })
    expect(answer.status).toBe(403)
  })
})

describe('promotions', () => {
  test('can be found by id and code, and listed by state, kind, campaign and text, sorted, page by page', async () => {
    await create({
      ...tenPercent,
      name: 'Long ago',
      code: 'PAST',
      startDate: '2020-01-01T00:00:00Z',
      endDate: '2020-02-01T00:00:00Z',
    })
    await create({ ...tenPercent, name: 'Some day', code: 'FUTURE', startDate: '2090-01-01T00:00:00Z' })
    await create({ ...tenPercent, name: 'Never', code: 'OFF', disabled: true })
    expect(await ask('{ promotion(code: "fuTure") { name status } }')).toEqual({
      promotion: { name: 'Some day', status: 'SCHEDULED' },
    })
    const codes = async (args: string) => {
      const { promotions } = await ask<{ promotions: { edges: { node: { code: string } }[] } }>(
        `{ promotions(${args}) { edges { node { code } } } }`,
      )
      return promotions.edges.map(({ node }) => node.code)
    }
    expect(await codes('status: EXPIRED')).toEqual(['PAST'])
    expect(await codes('filters: { status: SCHEDULED }')).toEqual(['FUTURE'])
    expect(await codes('filters: { status: DISABLED }, limit: 1')).toEqual(['OFF'])
    expect(await codes('filters: { discountType: FIXED_AMOUNT, searchQuery: "new" }')).toEqual(['NEW'])
    expect(await codes(`filters: { campaignId: "${fixtureId('campaign', 1, 1)}" }`)).toEqual(['NEW'])
    for (const sortBy of ['NAME', 'START_DATE', 'END_DATE', 'USAGE_COUNT', 'CREATED_AT', 'UPDATED_AT']) {
      const all = await codes(`first: 100, sortBy: ${sortBy}, sortOrder: ASC`)
      const paged: string[] = []
      let after: string | null = null
      do {
        const page: {
          promotions: {
            edges: { node: { code: string } }[]
            pageInfo: { hasNextPage: boolean; endCursor: string }
          }
        } = await ask(
          `query ($after: String) { promotions(first: 2, after: $after, sortBy: ${sortBy}, sortOrder: ASC) {
            edges { node { code } } pageInfo { hasNextPage endCursor } } }`,
          { after },
        )
        paged.push(...page.promotions.edges.map(({ node }) => node.code))
        after = page.promotions.pageInfo.hasNextPage ? page.promotions.pageInfo.endCursor : null
      } while (after !== null)
      expect(paged).toEqual(all)
      expect(all.length).toBeGreaterThan(3)
    }
  })
})

describe('a campaign', () => {
  test('groups promotions and adds up their use; promotions survive its deletion', async () => {
    const { createPromotionCampaign: created } = await ask<{ createPromotionCampaign: Payload }>(
      `mutation { createPromotionCampaign(input: { name: "Summer" }) { campaign { id usageCount } ${errors} } }`,
    )
    expect(created).toMatchObject({ campaign: { usageCount: 0 }, errors: [] })
    const { id } = created['campaign'] as { id: string }
    const promotion = idOf(await create({ ...tenPercent, campaignId: id }))
    const { updatePromotionCampaign: renamed } = await ask<{ updatePromotionCampaign: Payload }>(
      `mutation ($id: ID!) { updatePromotionCampaign(id: $id, input: { name: "Late summer", description: "Until it is gone" }) {
        campaign { name description promotions { totalCount edges { node { id } } } } ${errors} } }`,
      { id },
    )
    expect(renamed['campaign']).toEqual({
      name: 'Late summer',
      description: 'Until it is gone',
      promotions: { totalCount: 1, edges: [{ node: { id: promotion } }] },
    })
    const { updatePromotionCampaign: taken } = await ask<{ updatePromotionCampaign: Payload }>(
      `mutation ($id: ID!) { updatePromotionCampaign(id: $id, input: { name: "Winter" }) { ${errors} } }`,
      { id },
    )
    expect(faults(taken)).toEqual([['name', 'ALREADY_EXISTS']])
    expect(
      await ask(
        `{ promotionCampaigns(sortBy: NAME, sortOrder: ASC) { edges { node { name usageCount } } } }`,
      ),
    ).toEqual({
      promotionCampaigns: {
        edges: [
          { node: { name: 'Late summer', usageCount: 0 } },
          { node: { name: 'Winter', usageCount: 1 } },
        ],
      },
    })
    await ask(`mutation ($id: ID!) { deletePromotionCampaign(id: $id) { success ${errors} } }`, { id })
    expect(
      await ask('query ($id: ID!) { promotion(id: $id) { campaign { id } campaignId } }', { id: promotion }),
    ).toEqual({ promotion: { campaign: null, campaignId: null } })
  })
})
