import type { Principal } from '@commerce-graph/auth-webhook'
import { createHttpDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projections } from '../projection/projections.ts'
import { contract, queryData, runQuery } from '../testing/run.ts'
import { isVisible, selectEverything } from '../testing/select-everything.ts'
import type { QueryResult } from './execute-query.ts'
import { customerPrincipal, fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchant = keyPrincipal(1)
const shopper = customerPrincipal(1)
const get = (text: string, variables?: Readonly<Record<string, unknown>>) =>
  queryData(shop, merchant, text, variables)

/** All except those of federation, which entities.test.ts covers. */
const queries = Object.values(contract.schema.getQueryType()?.getFields() ?? {}).filter(
  ({ name }) => !name.startsWith('_'),
)

const hoursAhead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** Arguments that find the first merchant's record of the fixture. */
const found: Readonly<Record<string, string>> = {
  product: `(id: "${fixtureId('product', 1, 1)}")`,
  category: `(id: "${fixtureId('category', 1, 1)}")`,
  order: `(id: "${fixtureId('order', 1, 1)}")`,
  cart: `(id: "${fixtureId('cart', 1, 1)}")`,
  inventory: '(skus: ["SKU-1", "SKU-2", "SKU-1-1"])',
  warehouse: `(id: "${fixtureId('warehouse', 1, 1)}")`,
  transfer: `(id: "${fixtureId('transfer', 1, 1)}")`,
  incomingStock: `(id: "${fixtureId('incoming', 1, 1)}")`,
  reservation: `(id: "${fixtureId('reservation', 1, 1)}")`,
  customer: `(id: "${fixtureId('customer', 1, 1)}")`,
  payment: `(id: "${fixtureId('payment', 1, 2)}")`,
  promotion: `(id: "${fixtureId('promotion', 1, 1)}")`,
  promotionCampaign: `(id: "${fixtureId('campaign', 1, 1)}")`,
  bookingService: `(id: "${fixtureId('service', 1, 1)}")`,
  user: `(id: "${fixtureId('user', 1, 1)}")`,
  role: `(id: "${fixtureId('role', 1, 1)}")`,
  staffMember: `(id: "${fixtureId('staff', 1, 1)}")`,
  resource: `(id: "${fixtureId('resource', 1, 1)}")`,
  appointment: `(id: "${fixtureId('appointment', 1, 1)}")`,
  report: '(metrics: [ORDERS], startDate: "2026-01-01", endDate: "2026-01-31")',
  emailTemplate: `(id: "${fixtureId('email_template', 1, 1)}")`,
  emailCampaign: `(id: "${fixtureId('email_campaign', 1, 1)}")`,
  emailDelivery: `(id: "${fixtureId('email_delivery', 1, 1)}")`,
  notification: `(id: "${fixtureId('notification', 1, 1)}")`,
  pushDelivery: `(id: "${fixtureId('push', 1, 1)}")`,
  node: `(id: "${fixtureId('order', 1, 1)}")`,
  nodes: `(ids: ["${fixtureId('product', 1, 1)}", "${fixtureId('customer', 1, 1)}"])`,
  search: '(query: "product")',
  searchSuggestions: '(query: "pro")',
  availability: `(serviceId: "${fixtureId('service', 1, 1)}", from: "${hoursAhead(24)}", to: "${hoursAhead(48)}")`,
}

/** A look-up without a record in the fixture is tested with an unknown id. */
const argumentsOf = (name: string): string =>
  found[name] ??
  (projections.queries.get(name)?.kind === 'lookup' ? `(id: "${fixtureId('nothing', 1, 1)}")` : '')

describe.each([
  ['key', 'merchant', merchant],
  ['shopper’s token', 'customer', shopper],
] as const)('with a %s', (_, role, principal) => {
  const isShown = isVisible(contract, role)
  const shown = queries.filter(({ name }) => isShown('Query', name))

  test.each(shown.map(({ name, type }) => [name, type] as const))(
    'everything under %s is one operation, and complete',
    async (name, type) => {
      const text = `{ ${name}${argumentsOf(name)} ${selectEverything(type, { depth: 5, include: isShown })} }`
      shop.takeCount()
      const result = await runQuery(shop, principal, text)
      expect(result).toMatchObject({ kind: 'data', errors: [], defects: [] })
      expect(shop.takeCount()).toBe(name === 'viewer' ? 0 : 1)
      const times = JSON.stringify('data' in result && result.data).match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? []
      expect(times.filter((time) => !/^"[-\d]{10}T[:\d]{8}\.\d{3}Z"$/.test(time))).toEqual([])
    },
    60_000,
  )

  test('all root fields together are one operation', async () => {
    const selections = shown.map(
      ({ name, type }) =>
        `${name}${argumentsOf(name)} ${selectEverything(type, { depth: 2, include: isShown })}`,
    )
    shop.takeCount()
    const data = await queryData(shop, principal, `{ ${selections.join(' ')} }`)
    expect(shop.takeCount()).toBe(1)
    expect(Object.keys(data)).toEqual(shown.map(({ name }) => name))
  })

  test('no query shows another merchant’s records', async () => {
    const selections = shown.map(({ name, type }) => {
      const args = argumentsOf(name).replace(/"[0-9a-f-]{36}"/, otherMerchants)
      return `${name}${args} ${selectEverything(type, { depth: 3, include: isShown })}`
    })
    const text = JSON.stringify(await queryData(shop, principal, `{ ${selections.join(' ')} }`))
    const rows = await shop.sql(`
      SELECT id::text FROM catalog.product WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM ordering.order WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM crm.customer WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM cart.cart WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM promotion.promotion WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM payment.payment WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM inventory.warehouse WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM identity.user WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM identity.role WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM booking.service WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM booking.staff_member WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM booking.resource WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM booking.appointment WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM email.template WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM email.campaign WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM email.delivery WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM notification.notification WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT id::text FROM notification.device WHERE merchant_id = '${fixtureId('merchant', 2, 0)}'
      UNION ALL SELECT '${fixtureId('merchant', 2, 0)}'`)
    expect(rows.map(({ id }) => String(id)).filter((id) => text.includes(id))).toEqual([])
  })
})

/** The second merchant's id for a record of the first. */
function otherMerchants(quoted: string): string {
  const kinds = ['product', 'category', 'order', 'cart', 'warehouse', 'reservation', 'customer', 'payment']
  const kind = kinds.find((name) => [1, 2].some((n) => `"${fixtureId(name, 1, n)}"` === quoted)) ?? 'product'
  return `"${fixtureId(kind, 2, 1)}"`
}

describe('values', () => {
  test('come from the columns that the projections name', async () => {
    const id = fixtureId('order', 1, 1)
    expect(
      await get(
        `query ($id: ID) { order(id: $id) {
          orderNumber itemCount total tags
          items { quantity subtotal productName product { name } variant { sku options { name value } } }
          customer { name totalSpent orderCount averageOrderValue defaultAddress { line1 isDefault } }
          shippingAddress { city isDefault } billingAddress { city }
          payment { status refundedAmount refunds { amount reason status } }
          coupon { code discountAmount expiresAt promotion { name status conditions { minPurchaseAmount productIds firstOrderOnly } } }
          fulfillment { status orderId }
        } }`,
        { id },
      ),
    ).toEqual({
      order: {
        orderNumber: '1001',
        itemCount: 3,
        total: 3700,
        tags: [],
        items: [
          {
            quantity: 2,
            subtotal: 2000,
            productName: 'Then',
            product: { name: 'Product 01' },
            variant: { sku: 'SKU-1-1', options: [{ name: 'size', value: 'S1' }] },
          },
          // This product was deleted later, but is still on the order.
          {
            quantity: 1,
            subtotal: 1000,
            productName: 'Then',
            product: { name: 'Product 30' },
            variant: null,
          },
        ],
        customer: {
          name: 'Customer 1',
          totalSpent: 3700 - 700 + 3800,
          orderCount: 2,
          averageOrderValue: 3400,
          defaultAddress: { line1: '1 Main St', isDefault: true },
        },
        shippingAddress: { city: 'Springfield', isDefault: false },
        billingAddress: null,
        payment: {
          status: 'PARTIALLY_REFUNDED',
          refundedAmount: 700,
          refunds: [{ amount: 700, reason: 'Damaged', status: 'SUCCEEDED' }],
        },
        coupon: {
          code: 'NEW',
          discountAmount: 100,
          expiresAt: '2099-01-01T00:00:00.000Z',
          promotion: {
            name: 'New year',
            status: 'ACTIVE',
            conditions: { minPurchaseAmount: 500, productIds: null, firstOrderOnly: false },
          },
        },
        fulfillment: { status: 'UNFULFILLED', orderId: id },
      },
    })
  })

  test('of a product and its categories', async () => {
    expect(
      await get(
        `{ product(sku: "SKU-1") {
          name hasVariants totalSold tags images(limit: 2) { order url } categories { name }
          variants { sku price inventory { available variantId warehouses { available warehouse { code } } } }
          inventory { available reserved isLowStock variantId }
          recentOrders(limit: 2) { orderNumber }
          reviews { totalCount averageRating edges { node { rating } } }
        } category(slug: "category-1") { level image { url alt } parent { name } children { name level parent { name } image { url } } productCount } }`,
      ),
    ).toEqual({
      product: {
        name: 'Product 01',
        hasVariants: true,
        totalSold: 4,
        tags: ['all'],
        images: [1, 2].map((order) => ({ order, url: `https://img.example.com/1-${order}.png` })),
        categories: [{ name: 'Category 1' }, { name: 'Category 3' }],
        variants: [1, 2].map((variant) => ({
          sku: `SKU-1-${variant}`,
          price: 1100 + variant,
          inventory: {
            available: 20,
            variantId: fixtureId('variant', 1, variant),
            warehouses: ['W1', 'W2'].map((code) => ({ available: 10, warehouse: { code } })),
          },
        })),
        inventory: { available: 40, reserved: 4, isLowStock: false, variantId: null },
        recentOrders: [{ orderNumber: '1003' }, { orderNumber: '1002' }],
        reviews: {
          totalCount: 3,
          averageRating: 3,
          edges: [{ node: { rating: 4 } }, { node: { rating: 3 } }, { node: { rating: 2 } }],
        },
      },
      category: {
        level: 0,
        image: { url: 'https://img.example.com/category.png', alt: null },
        parent: null,
        children: [2, 3].map((n) => ({
          name: `Category ${n}`,
          level: 1,
          parent: { name: 'Category 1' },
          image: null,
        })),
        productCount: 29,
      },
    })
  })

  test('of a cart are live', async () => {
    expect(
      await get(
        `query ($id: ID!) { cart(id: $id) { itemCount subtotal tax total coupon { code } items { quantity available maxQuantity product { sku } } } }`,
        { id: fixtureId('cart', 1, 1) },
      ),
    ).toEqual({
      cart: {
        itemCount: 4,
        subtotal: 5000,
        tax: 500,
        total: 5500,
        coupon: null,
        items: expect.arrayContaining([
          { quantity: 2, available: false, maxQuantity: 0, product: { sku: 'SKU-2' } },
          { quantity: 2, available: true, maxQuantity: 20, product: { sku: 'SKU-3' } },
        ]) as unknown,
      },
    })
  })

  test('of inventory(skus) omit unknown SKUs', async () => {
    expect(
      await get(
        '{ inventory(skus: ["SKU-2", "nothing", "SKU-1-1"]) { sku available reserved incoming { quantity expectedDate } } }',
      ),
    ).toEqual({
      inventory: [
        { sku: 'SKU-1-1', available: 20, reserved: 2, incoming: [] },
        { sku: 'SKU-2', available: 0, reserved: 2, incoming: [{ quantity: 7, expectedDate: '2026-02-01' }] },
      ],
    })
  })

  test('of viewer need no operation', async () => {
    shop.takeCount()
    expect(
      await get('{ me: viewer { __typename id role merchant { id plan features } } __typename }'),
    ).toEqual({
      me: {
        __typename: 'Viewer',
        id: fixtureId('key', 1, 1),
        role: 'merchant',
        merchant: { id: fixtureId('merchant', 1, 0), plan: 'PRO', features: ['catalog'] },
      },
      __typename: 'Query',
    })
    expect(shop.takeCount()).toBe(0)
  })
})

describe('documents', () => {
  test('answer aliases, fragments on interfaces, @skip and @include in the order of the document', async () => {
    const text = `
      query ($id: ID!, $yes: Boolean!, $no: Boolean!) {
        kind: __typename
        a: product(id: $id) { ...Named sku @skip(if: $yes) price @include(if: $no) ... on Node { key: id } }
        b: product(sku: "SKU-2") { ...Named ... on Timestamped @include(if: $no) { createdAt } ... @skip(if: $no) { sku } }
        none: product(id: "no uuid") { ...Named }
      }
      fragment Named on Product { title: name __typename c: categories { name } c: categories { slug } }
    `
    const c = (...names: number[]) => names.map((n) => ({ name: `Category ${n}`, slug: `category-${n}` }))
    const data = await get(text, { id: fixtureId('product', 1, 1), yes: true, no: false })
    expect(data).toEqual({
      kind: 'Query',
      a: { title: 'Product 01', __typename: 'Product', c: c(1, 3), key: fixtureId('product', 1, 1) },
      b: { title: 'Product 02', __typename: 'Product', c: c(1), sku: 'SKU-2' },
      none: null,
    })
    expect(Object.keys(data)).toEqual(['kind', 'a', 'b', 'none'])
    expect(Object.keys(data['a'] as object)).toEqual(['title', '__typename', 'c', 'key'])
  })

  test('may select edges and nodes more than once with aliases', async () => {
    expect(
      await get(`{ products(first: 1, sortBy: NAME, sortOrder: ASC) {
        x: edges { m: node { name } n: node { sku categories { name } reviews { totalCount } } }
        y: edges { node { name hasVariants } cursor }
        n: totalCount m: totalCount
      } }`),
    ).toEqual({
      products: {
        x: [
          {
            m: { name: 'Product 01' },
            n: {
              sku: 'SKU-1',
              categories: [{ name: 'Category 1' }, { name: 'Category 3' }],
              reviews: { totalCount: 3 },
            },
          },
        ],
        y: [{ node: { name: 'Product 01', hasVariants: true }, cursor: expect.any(String) as unknown }],
        n: 29,
        m: 29,
      },
    })
  })

  test('may use aliases that look like the plan’s own keys', async () => {
    expect(
      await get(
        '{ h0: products(first: 1) { h1: totalCount h2: edges { h3: cursor h4: node { h5: sku } } } }',
      ),
    ).toMatchObject({ h0: { h1: 29, h2: [{ h4: { h5: 'SKU-29' } }] } })
  })

  test('can mix introspection and data', async () => {
    const data = await get(
      `query ($type: String!) { viewer { role } __type(name: $type) { fields { name } } s: __schema { queryType { name } } }`,
      { type: 'PageInfo' },
    )
    expect(data).toEqual({
      viewer: { role: 'merchant' },
      __type: {
        fields: ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'].map((name) => ({ name })),
      },
      s: { queryType: { name: 'Query' } },
    })
  })
})

describe('permissions', () => {
  /** Each error's path, field, and permission or reason. */
  const refusedIn = ({ errors }: Pick<QueryResult, 'errors'>) =>
    errors.map(({ id, status, path, details }) => {
      expect([id, status]).toEqual(['SVC_AUTH_003', 403])
      return [path?.join('.'), details.field, details['permission'] ?? details.reason]
    })

  test('a missing one for a nullable field is an error at its path, and the other fields are answered', async () => {
    const text = `{ product(sku: "SKU-1") { name cost: costPerItem inventory { available } }
      products(first: 2) { edges { node { id inventory { available } } } } viewer { kind } }`
    const result = await runQuery(shop, keyPrincipal(1, ['products:read']), text)
    expect(refusedIn(result)).toEqual([
      ['product.inventory', 'Product.inventory', 'inventory:read'],
      ['products.edges.0.node.inventory', 'Product.inventory', 'inventory:read'],
      ['products.edges.1.node.inventory', 'Product.inventory', 'inventory:read'],
    ])
    const whole = await get(text)
    expect(JSON.parse(JSON.stringify('data' in result && result.data))).toEqual({
      ...whole,
      product: { ...(whole['product'] as object), inventory: null },
      products: {
        edges: (whole['products'] as { edges: { node: object }[] }).edges.map(({ node }) => ({
          node: { ...node, inventory: null },
        })),
      },
    })
  })

  test('a refused field is not sent to Hasura', async () => {
    const asked: string[] = []
    const dataLayer: DataLayer = {
      ...shop.dataLayer,
      execute: (operation, ...rest) => {
        asked.push(operation.query)
        return shop.dataLayer.execute(operation, ...rest)
      },
    }
    const text =
      '{ product(sku: "SKU-1") { name a: costPerItem b: orders { totalCount } } c: user(id: "x") { email } }'
    const result = await runQuery({ ...shop, dataLayer }, shopper, text)
    expect(refusedIn(result).map(([path]) => path)).toEqual(['product.a', 'product.b', 'c'])
    expect(asked).toHaveLength(1)
    expect(asked[0]).not.toMatch(/costPerItem|orders|users|email/i)
  })

  test('a missing one for a required field refuses the request before anything runs', async () => {
    shop.takeCount()
    const result = await runQuery(
      shop,
      keyPrincipal(1, ['products:read']),
      '{ products { edges { node { name sold: totalSold inventory { available } recentOrders { total } } } } }',
    )
    expect(result.kind).toBe('refused')
    expect(refusedIn(result)).toEqual([
      ['products.edges.node.sold', 'Product.totalSold', 'orders:read'],
      ['products.edges.node.inventory', 'Product.inventory', 'inventory:read'],
      ['products.edges.node.recentOrders', 'Product.recentOrders', 'orders:read'],
    ])
    expect(shop.takeCount()).toBe(0)
  })

  test('of a type, a connection without nodes, a filter and an entity are needed', async () => {
    const lacking = async (text: string, variables?: Readonly<Record<string, unknown>>) =>
      refusedIn(await runQuery(shop, keyPrincipal(1, ['products:read', 'customers:read']), text, variables))
    expect(await lacking('{ products { totalCount } }')).toEqual([])
    expect(await lacking('{ orders { totalCount } }')).toEqual([['orders', 'Query.orders', 'orders:read']])
    expect(await lacking('{ customers(first: 1) { edges { node { orders { totalCount } } } } }')).toEqual([
      ['customers.edges.node.orders', 'Customer.orders', 'orders:read'],
    ])
    const filtered = 'query ($by: ProductFilters) { products(filters: $by) { totalCount } }'
    expect(await lacking(filtered, { by: { inStock: true } })).toEqual([
      ['products', 'ProductFilters.inStock', 'inventory:read'],
    ])
    expect(await lacking(filtered, { by: {} })).toEqual([])
    expect(
      await lacking(
        `{ _entities(representations: [{ __typename: "Order", id: "x" }, { __typename: "Category", id: "x" }]) {
             ... on Order { total } ... on Category { name } } }`,
      ),
    ).toEqual([['_entities.0', 'Order', 'orders:read']])
    expect(
      await lacking('{ products { edges { node { inventory @skip(if: true) { available } } } } }'),
    ).toEqual([])
  })

  test('for a merchant’s field: a shopper gets an error that says that the field is for staff', async () => {
    const staff = (of: string) => `${of} is for the merchant's staff and keys, not for shoppers`
    for (const [text, path, of] of [
      ['{ product(sku: "SKU-1") { costPerItem } }', 'product.costPerItem', 'Product.costPerItem'],
      ['{ orders { edges { node { tags } } } }', 'orders.edges.node.tags', 'Order.tags'],
      ['{ warehouses { totalCount } }', 'warehouses', 'Query.warehouses'],
      [
        '{ merchantAccount { subscription { plan } } }',
        'merchantAccount.subscription',
        'MerchantAccount.subscription',
      ],
    ] as const)
      expect(refusedIn(await runQuery(shop, shopper, text))).toEqual([[path, of, staff(of)]])
  })

  test('one plan serves all callers who lack the same permissions, and no others', async () => {
    const text = '{ product(sku: "SKU-1") { costPerItem inventory { available } } }'
    const paths = async (principal: Principal) =>
      refusedIn(await runQuery(shop, principal, text)).map(([path]) => path)
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await paths(merchant)).toEqual([])
      expect(await paths(keyPrincipal(1, ['products:read']))).toEqual(['product.inventory'])
      expect(await paths(shopper)).toEqual(['product.costPerItem'])
      expect(await paths(keyPrincipal(1, []))).toEqual(['product'])
    }
  })

  test('each refused field has an error, but not at each of very many paths', async () => {
    const result = await runQuery(
      shop,
      shopper,
      `{ a: products(first: 20) { edges { node { ${Array.from({ length: 8 }, (_, i) => `c${i}: costPerItem`).join(' ')} } } }
         user(id: "x") { id } product(sku: "SKU-1") { costPerItem } }`,
    )
    expect(result.errors).toHaveLength(102)
    expect(result).toMatchObject({ omitted: 60 })
    expect(refusedIn(result).map(([path]) => path)).toContain('product.costPerItem')
  })

  test('shoppers see products on sale, and those that they bought in any case', async () => {
    const data = await queryData(
      shop,
      shopper,
      `{ products(first: 100) { totalCount edges { node { status } } }
         draft: product(sku: "SKU-28") { name } deleted: product(id: "${fixtureId('product', 1, 30)}") { name }
         orders { totalCount edges { node { items { product { name } } } } } customers { totalCount }
         product(sku: "SKU-1") { reviews { totalCount } } }`,
    )
    expect(data).toMatchObject({
      products: { totalCount: 27 },
      draft: null,
      deleted: null,
      orders: {
        totalCount: 3,
        edges: Array(3).fill({
          node: { items: [{ product: { name: 'Product 01' } }, { product: { name: 'Product 30' } }] },
        }) as unknown[],
      },
      customers: { totalCount: 1 },
      product: { reviews: { totalCount: 2 } },
    })
    expect(JSON.stringify(data)).not.toMatch(/DRAFT|ARCHIVED/)
  })
})

describe('input', () => {
  const errorsOf = async (text: string, variables?: Readonly<Record<string, unknown>>) => {
    const result = await runQuery(shop, merchant, text, variables)
    return result.kind === 'refused'
      ? result.errors.map(({ id, details }) => [id, details.field])
      : result.defects
  }

  test.each([
    ['{ products(first: 1000) { totalCount } }', 'SVC_VAL_003', 'first'],
    ['{ products(last: 0) { totalCount } }', 'SVC_VAL_003', 'last'],
    ['{ products(limit: -1) { totalCount } }', 'SVC_VAL_003', 'limit'],
    ['{ products(first: 1, last: 1) { totalCount } }', 'SVC_VAL_002', 'last'],
    ['{ products(first: 1, limit: 1) { totalCount } }', 'SVC_VAL_002', 'limit'],
    ['{ products(after: "x") { totalCount } }', 'SVC_VAL_002', 'after'],
    ['{ products(before: "WzFd") { edges { cursor } } }', 'SVC_VAL_002', 'before'],
    ['{ products(searchQuery: "x") { totalCount } }', 'SVC_VAL_003', 'searchQuery'],
    [
      String.raw`{ products(filters: { searchQuery: "a\u0000b" }) { totalCount } }`,
      'SVC_VAL_002',
      'filters.searchQuery',
    ],
    [String.raw`{ product(sku: "\u0000") { name } }`, 'SVC_VAL_002', 'sku'],
    ['{ product { name } }', 'SVC_VAL_001', 'id'],
    ['{ product(id: "1", sku: "2") { name } }', 'SVC_VAL_002', 'sku'],
    ['{ inventory(skus: []) { sku } }', 'SVC_VAL_003', 'skus'],
    ['{ product(sku: "SKU-1") { images(limit: 0) { url } } }', 'SVC_VAL_003', 'limit'],
    ['{ product(sku: "SKU-1") { orders(first: 101) { totalCount } } }', 'SVC_VAL_003', 'first'],
  ])('%s is refused with %s', async (text, id, field) => {
    shop.takeCount()
    expect(await errorsOf(text)).toEqual([[id, field]])
    expect(shop.takeCount()).toBe(0)
  })

  test('a cursor of another list or order is refused, and one with invalid values too', async () => {
    const { products } = (await get('{ products(first: 1) { pageInfo { endCursor } } }')) as {
      products: { pageInfo: { endCursor: string } }
    }
    const after = products.pageInfo.endCursor
    const text =
      'query ($after: String, $sortBy: ProductSortField) { products(after: $after, sortBy: $sortBy) { edges { cursor } } }'
    expect(await errorsOf(text, { after, sortBy: 'PRICE' })).toEqual([['SVC_VAL_002', 'after']])
    expect(
      await errorsOf('query ($after: String) { orders(after: $after) { edges { cursor } } }', { after }),
    ).toEqual([['SVC_VAL_002', 'after']])
    const forged = (value: unknown, id: unknown) =>
      Buffer.from(JSON.stringify([1, 'Product.PRICE', value, id])).toString('base64url')
    for (const cursor of [
      forged('x', fixtureId('product', 1, 1)),
      forged(1, "'"),
      forged(1.5, fixtureId('product', 1, 1)),
      forged({}, 1),
    ])
      expect(await errorsOf(text, { after: cursor, sortBy: 'PRICE' })).toEqual([['SVC_VAL_002', 'after']])
    expect(await errorsOf(text, { after, sortBy: null })).toEqual([])
  })

  test('an invalid id is not found, and matches nothing', async () => {
    expect(
      await get(
        '{ product(id: "1") { name } order(id: "") { id } products(filters: { categoryId: "x" }) { totalCount } orders(filters: { customerId: "x" }) { totalCount } }',
      ),
    ).toEqual({ product: null, order: null, products: { totalCount: 0 }, orders: { totalCount: 0 } })
  })
})

describe('filters', () => {
  const count = async (filters: string) => {
    const { products } = (await get(`{ products(filters: { ${filters} }) { totalCount } }`)) as {
      products: { totalCount: number }
    }
    return products.totalCount
  }

  test.each([
    ['status: ACTIVE', 27],
    ['status: DRAFT', 1],
    ['categorySlug: "category-2"', 9],
    ['searchQuery: "product 0"', 9],
    ['searchQuery: "sku-1"', 11],
    ['searchQuery: "%_"', 0],
    ['priceMin: 1100, priceMax: 1200', 12],
    ['featured: true', 2],
    ['tags: ["all", "even"]', 14],
    ['tags: ["nothing"]', 0],
    ['inStock: false', 1],
    ['inStock: true', 28],
    ['inStock: true, status: ACTIVE, featured: true', 2],
  ])('%s leaves %i products', async (filters, expected) => {
    expect(await count(filters)).toBe(expected)
  })

  test('work as arguments of the list as well, and as variables of any shape', async () => {
    const text = `query ($filters: ProductFilters, $status: ProductStatus, $featured: Boolean) {
      products(filters: $filters, status: $status, featured: $featured) { totalCount }
    }`
    const total = async (variables: Readonly<Record<string, unknown>>) =>
      ((await get(text, variables)) as { products: { totalCount: number } }).products.totalCount
    expect(await total({})).toBe(29)
    expect(await total({ filters: null, status: 'ACTIVE' })).toBe(27)
    expect(await total({ filters: { status: 'DRAFT' }, status: null })).toBe(1)
    expect(await total({ filters: { status: 'DRAFT' }, status: 'ACTIVE' })).toBe(0)
    expect(await total({ featured: false, filters: { priceMin: 1400 } })).toBe(6)
  })
})

describe('internal faults', () => {
  test('a null for a required value empties the smallest possible part of the answer, and is reported', async () => {
    const id = fixtureId('cart', 2, 1)
    const settings = `merchant_id = '${fixtureId('merchant', 2, 0)}'`
    const text = `{ cart(id: "${id}") { id subtotal } carts { edges { node { subtotal } } } viewer { role } }`
    const alone = `{ cart(id: "${id}") { id subtotal } viewer { role } }`
    await shop.sql(`CREATE TABLE kept AS SELECT * FROM merchant.settings WHERE ${settings}`)
    // Replica mode, because the database refuses to delete settings.
    await shop.sql(
      `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM merchant.settings WHERE ${settings}; COMMIT`,
    )
    const [whole, part] = [
      await runQuery(shop, keyPrincipal(2), text),
      await runQuery(shop, keyPrincipal(2), alone),
    ]
    await shop.sql('INSERT INTO merchant.settings SELECT * FROM kept')
    expect(part).toMatchObject({
      data: { cart: null, viewer: { role: 'merchant' } },
      errors: [{ id: 'SVC_SRV_001', path: ['cart', 'subtotal'] }],
      defects: [{ kind: 'null', violations: [{ path: ['cart', 'subtotal'], field: 'Cart.subtotal' }] }],
    })
    expect(whole).toMatchObject({
      data: null,
      errors: [
        { id: 'SVC_SRV_001', path: ['cart', 'subtotal'] },
        { id: 'SVC_SRV_001', path: ['carts', 'edges', 0, 'node', 'subtotal'] },
      ],
    })
  })

  test('put the engine’s messages into the log, not into the answer', async () => {
    const unknownRole = { ...merchant, sessionVariables: { 'x-hasura-role': 'unknownRole' } }
    const result = await runQuery(shop, unknownRole, '{ products { totalCount } }')
    expect(result).toMatchObject({
      data: null,
      errors: [{ id: 'SVC_SRV_001', status: 500 }],
      defects: [{ kind: 'engine', answer: { kind: 'errors' } }],
    })
    expect(JSON.stringify(result.kind === 'data' && result.errors)).not.toMatch(
      /productsAggregate|query_root/,
    )
  })

  test('give 503 if the data layer is unavailable', async () => {
    const away = createHttpDataLayer({ url: 'http://127.0.0.1:9', adminSecret: 'secret' })
    const result = await runQuery({ ...shop, dataLayer: away }, merchant, '{ products { totalCount } }')
    away.close()
    expect(result).toMatchObject({ data: null, errors: [{ id: 'SVC_SRV_001', status: 503 }] })
  })
})
