import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuestCart, type Page, type Payload, visitor } from './support/guest.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import {
  createCustomer,
  createStockedProduct,
  payload,
  shippingAddress,
  type StockedProduct,
  succeeded,
} from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const local = 'http://localhost:3000'

let platform: TestPlatform
let sql: postgres.Sql
let owner: Client
let page: Page
let product: StockedProduct

beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  owner = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  page = { key: (await createKey([])).key, origin: local }
  product = await createStockedProduct(owner, 1_000)
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

const guest = (cartSecret?: string) => visitor(platform.graphqlUrl, page, cartSecret)
const hasura = (cartSecret?: string) => visitor(`${platform.hasuraUrl}/v1/graphql`, page, cartSecret)

const createKey = async (origins: readonly string[]) =>
  payload(
    await owner<Record<string, Payload & { key: string; apiKey: { id: string; origins: string[] } }>>(
      `mutation ($origins: [String!]) {
        createPublishableKey(input: { name: "Pages", origins: $origins }) {
          key apiKey { id origins } errors { field message code }
        }
      }`,
      { origins },
    ),
  )

describe('a publishable key', () => {
  test('is listed with its value and origins, can get other origins, and ends when it is revoked', async () => {
    const { key, apiKey } = await createKey(['https://Shop.example/', 'https://shop.example'])
    expect(apiKey.origins).toEqual(['https://shop.example'])
    const { merchantAccount } = succeeded(
      await owner<{ merchantAccount: { apiKeys: Readonly<Record<string, unknown>>[] } }>(
        '{ merchantAccount { apiKeys { id kind publishableKey origins permissions } } }',
      ),
    )
    expect(merchantAccount.apiKeys).toContainEqual({
      id: apiKey.id,
      kind: 'PUBLISHABLE',
      publishableKey: key,
      origins: ['https://shop.example'],
      permissions: [],
    })
    expect(
      merchantAccount.apiKeys
        .filter(({ kind }) => kind === 'SECRET')
        .every((each) => each['publishableKey'] === null),
    ).toBe(true)
    const shown = async (origin: string) =>
      (await visitor(platform.graphqlUrl, { key, origin })('{ viewer { kind role } }')).status
    expect(await shown('https://shop.example')).toBe(200)
    payload(
      await owner<Record<string, Payload>>(
        `mutation ($id: ID!) {
          setPublishableKeyOrigins(id: $id, origins: ["https://other.example"]) { apiKey { origins } errors { field message } }
        }`,
        { id: apiKey.id },
      ),
    )
    await expect.poll(() => shown('https://shop.example')).toBe(403)
    expect(await shown('https://other.example')).toBe(200)
    payload(
      await owner<Record<string, Payload>>(
        `mutation ($id: ID!) { revokeApiKey(id: $id) { errors { field message } } }`,
        {
          id: apiKey.id,
        },
      ),
    )
    await expect.poll(() => shown('https://other.example')).toBe(401)
  })

  test.each(['shop.example', 'https://shop.example/path', 'ftp://shop.example', 'https://a b', '*', ''])(
    'can’t have the origin %j, which is invalid',
    async (origin) => {
      const answer = await owner<Record<string, Payload>>(
        `mutation ($origins: [String!]) {
          createPublishableKey(input: { name: "Pages", origins: $origins }) { errors { field code } }
        }`,
        { origins: [origin] },
      )
      expect(answer.data?.['createPublishableKey']?.errors).toEqual([
        { field: 'origins.0', code: 'INVALID_FORMAT' },
      ])
    },
  )

  test('used by a page of another origin is refused at both APIs, and the error names the origin', async () => {
    const stranger = { ...page, origin: 'https://evil.example' }
    const answer = await visitor(platform.graphqlUrl, stranger)('{ viewer { kind } }')
    expect(answer).toMatchObject({ status: 403, errors: [{ extensions: { id: 'SVC_AUTH_003' } }] })
    expect(answer.errors[0]?.extensions.details).toMatchObject({ field: 'Origin' })
    expect(answer.errors[0]?.extensions.details['reason']).toContain('https://evil.example is not allowed')
    expect(
      (await visitor(`${platform.hasuraUrl}/v1/graphql`, stranger)('{ catalog_product { id } }')).text,
    ).toContain('access-denied')
  })
})

describe('a guest', () => {
  test('sees what the shop publishes, in both APIs', async () => {
    const answer = succeeded(
      await guest()<{
        viewer: unknown
        products: { totalCount: number }
        merchantAccount: { settings: object }
      }>(`{
        viewer { kind role }
        products(first: 1) { totalCount edges { node { name price images { url } variants { sku } categories { name } } } }
        categories(first: 1) { edges { node { name } } }
        reviews(first: 1) { edges { node { rating body authorName } } }
        articles(first: 1) { edges { node { title } } }
        merchantAccount { name settings { currency shippingZones { countries methods { name price } } } }
        search(query: "tent") { totalCount }
      }`),
    )
    expect(answer.viewer).toEqual({ kind: 'GUEST', role: 'guest' })
    expect(answer.products.totalCount).toBeGreaterThan(0)
    const rows = succeeded(
      await hasura()<{ catalog_product: { status: string }[] }>('{ catalog_product { status } }'),
    )
    expect(new Set(rows.catalog_product.map(({ status }) => status))).toEqual(new Set(['ACTIVE']))
  })

  test.each([
    ['all carts', '{ carts(first: 20) { edges { node { id } } } }'],
    ['costs', '{ products { edges { node { costPerItem } } } }'],
    ['stock', '{ inventory(skus: ["x"]) { available } }'],
    ['stock by product', '{ products { edges { node { inventory { available } } } } }'],
    ['stock movements', '{ stockMovements { totalCount } }'],
    ['low stock', '{ lowStock { totalCount } }'],
    ['warehouses', '{ warehouses { totalCount } }'],
    ['who wrote reviews', '{ reviews { edges { node { customerId } } } }'],
    [
      'reviews of a customer',
      '{ reviews(filters: { customerId: "01a1f000-0014-7000-8000-000000000001" }) { totalCount } }',
    ],
    ['customers', '{ customers { totalCount } }'],
    ['a customer', '{ customer(id: "01a1f000-0014-7000-8000-000000000001") { email } }'],
    ['orders', '{ orders { totalCount } }'],
    ['payments', '{ payments { totalCount } }'],
    ['users', '{ users { totalCount } }'],
    ['keys', '{ merchantAccount { apiKeys { publishableKey } } }'],
    ['promotions', '{ promotions { totalCount } }'],
    ['entities', '{ _entities(representations: []) { __typename } }'],
  ])('is refused %s', async (_, query) => {
    const { errors } = await guest()(query)
    expect(errors.map(({ extensions }) => extensions.id)).toContain('SVC_AUTH_003')
  })

  test('sees of stock what the merchant shows: whether there is any, how much up to a bound, or how much', async () => {
    const { id } = await createStockedProduct(owner, 25)
    const shown = async () =>
      succeeded(
        await guest()<{ product: { availability: unknown } }>(
          'query ($id: ID!) { product(id: $id) { availability { inStock quantity } } }',
          { id },
        ),
      ).product.availability
    const set = async (input: object) =>
      payload(
        await owner<Record<string, Payload>>(
          'mutation ($input: UpdateMerchantSettingsInput!) { updateMerchantSettings(input: $input) { errors { field message } } }',
          { input },
        ),
      )
    expect(await shown()).toEqual({ inStock: true, quantity: null })
    await set({ stockVisibility: 'UP_TO_BOUND', stockVisibilityBound: 20 })
    expect(await shown()).toEqual({ inStock: true, quantity: 20 })
    await set({ stockVisibility: 'EXACT' })
    expect(await shown()).toEqual({ inStock: true, quantity: 25 })
    await set({ stockVisibility: 'IN_STOCK_ONLY' })
    const wanted = await guest()(
      'mutation ($items: [CartItemInput!]) { createCart(input: { items: $items }) { errors { message } } }',
      { items: [{ productId: id, quantity: 26 }] },
    )
    const [refused] = wanted.errors
    expect(refused).toMatchObject({ message: 'Insufficient inventory. Requested: 26' })
    const shortage = { field: 'items.0.quantity', sku: expect.any(String) as string, requested: 26 }
    expect(refused?.extensions).toMatchObject({ id: 'SVC_BIZ_001' })
    // No `available`: the number in stock stays hidden.
    expect(refused?.extensions['details']).toEqual({
      ...shortage,
      reason: 'Insufficient inventory. Requested: 26',
      shortages: [shortage],
    })
    const none = await createStockedProduct(owner, 0)
    const counted = await guest()<{ all: { totalCount: number }; some: { totalCount: number } }>(
      '{ all: products { totalCount } some: products(filters: { inStock: true }) { totalCount } }',
    )
    const { all, some } = succeeded(counted)
    expect(some.totalCount).toBeLessThan(all.totalCount)
    expect(none.id).not.toBe(id)
  })

  test('sees no draft in any API', async () => {
    const [draft] = await sql<{ id: string }[]>`
      UPDATE catalog.product SET status = 'DRAFT' WHERE merchant_id = ${platform.merchantId} AND id <> ${product.id}
        AND id = (SELECT min(id::text)::uuid FROM catalog.product WHERE merchant_id = ${platform.merchantId} AND status = 'ACTIVE')
      RETURNING id`
    const asked = `($id: ID!) { product(id: $id) { id } products(filters: { status: DRAFT }) { totalCount } }`
    expect(succeeded(await guest()(`query ${asked}`, { id: draft?.id }))).toEqual({
      product: null,
      products: { totalCount: 0 },
    })
    const answer = await hasura()<{ rows: unknown[] }>(
      `query ($id: uuid!) { rows: catalog_product(where: { id: { _eq: $id } }) { id } }`,
      { id: draft?.id },
    )
    expect(succeeded(answer).rows).toEqual([])
    expect((await hasura()('{ catalog_product { cost_per_item } }')).text).toContain('cost_per_item')
  })

  test('can’t change other carts, orders or customers', async () => {
    const customerId = await createCustomer(owner)
    const made = await guest()<Record<string, Payload>>(
      `mutation ($id: ID!) { createCart(input: { customerId: $id }) { cart { id } errors { field message code } } }`,
      { id: customerId },
    )
    expect(made.data?.['createCart']?.errors).toMatchObject([{ field: 'customerId', code: 'INVALID_VALUE' }])
    for (const mutation of [
      `mutation { deleteCart(id: "01a1f000-0014-7000-8000-000000000001") { success } }`,
      `mutation { checkoutCart(id: "01a1f000-0014-7000-8000-000000000001", input: { customerId: "${customerId}" }) { errors { field } } }`,
      `mutation ($address: AddressInput!) { createOrder(input: { customerId: "${customerId}", items: [], shippingAddress: $address }) { errors { field } } }`,
      `mutation { updateCustomer(id: "${customerId}", input: { name: "X" }) { errors { field } } }`,
      `mutation { createCustomerAccessToken(customerId: "${customerId}") { accessToken } }`,
      `mutation { signInUser(input: { email: "a@b.example", password: "x" }) { accessToken } }`,
      `mutation { createReview(input: { productId: "${product.id}", rating: 1, authorName: "X" }) { errors { field } } }`,
    ]) {
      const { errors } = await guest()(
        mutation,
        mutation.includes('$address') ? { address: shippingAddress } : {},
      )
      expect(
        errors.map(({ extensions }) => extensions.id),
        mutation,
      ).toEqual(['SVC_AUTH_003'])
    }
    expect((await hasura()('mutation { delete_cart_cart(where: {}) { affected_rows } }')).text).toContain(
      'not found in type',
    )
  })
})

describe('a guest’s cart', () => {
  const read = `query ($id: ID!) { cart(id: $id) { id subtotal items { quantity product { name } } availableShippingMethods { name } } }`

  test('can be filled and read with its secret only', async () => {
    const { id, secret } = await createGuestCart(guest(), product.id)
    expect(secret).toMatch(/^cg_cart_main_[\w-]{43}$/)
    const own = guest(secret)
    payload(
      await own<Record<string, Payload>>(
        `mutation ($id: ID!, $item: CartItemInput!) { addCartItem(cartId: $id, item: $item) { cart { id } errors { field message } } }`,
        { id, item: { productId: product.id, quantity: 2 } },
      ),
    )
    payload(
      await own<Record<string, Payload>>(
        `mutation ($id: ID!, $address: AddressInput!) {
          setCartShippingAddress(cartId: $id, address: $address) { cart { id } errors { field message } }
        }`,
        { id, address: shippingAddress },
      ),
    )
    const { cart } = succeeded(await own<{ cart: { subtotal: number; items: unknown[] } }>(read, { id }))
    expect(cart).toMatchObject({ subtotal: 3 * 1999, items: [{ quantity: 3 }] })
    const rows = succeeded(await hasura(secret)<{ cart_cart: unknown[] }>('{ cart_cart { id } }'))
    expect(rows.cart_cart).toEqual([{ id }])
    const [stored] = await sql<
      { text: string }[]
    >`SELECT to_jsonb(c)::text AS text FROM cart.cart c WHERE id = ${id}`
    expect(stored?.text).not.toContain(secret.slice(8))
  })

  test('says neither whose it is nor how many units there are, each with an error at its place, and all else', async () => {
    const { id, secret } = await createGuestCart(guest(), product.id)
    const { data, errors } = await guest(secret)<{ cart: unknown }>(
      'query ($id: ID!) { cart(id: $id) { id customerId items { quantity maxQuantity } } }',
      { id },
    )
    expect(data?.cart).toEqual({ id, customerId: null, items: [{ quantity: 1, maxQuantity: null }] })
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.id])).toEqual([
      ['cart.customerId', 'SVC_AUTH_003'],
      ['cart.items.0.maxQuantity', 'SVC_AUTH_003'],
    ])
  })

  test('is not found for another guest who knows its id', async () => {
    const { id } = await createGuestCart(guest(), product.id)
    const other = await createGuestCart(guest(), product.id)
    for (const stranger of [guest(), guest(other.secret), guest(`cg_cart_${'A'.repeat(43)}`)]) {
      expect(succeeded(await stranger(read, { id }))).toEqual({ cart: null })
      const { data } = await stranger<Record<string, Payload>>(
        `mutation ($id: ID!, $item: CartItemInput!, $address: AddressInput!) {
          addCartItem(cartId: $id, item: $item) { cart { id } errors { field code } }
          setCartShippingAddress(cartId: $id, address: $address) { cart { id } errors { field code } }
          setCartShippingMethod(cartId: $id) { cart { id } errors { field code } }
          applyCoupon(cartId: $id, code: "WELCOME10") { cart { id } errors { field code } }
          removeCoupon(cartId: $id) { cart { id } errors { field code } }
          startGuestCheckout(input: { cartId: $id, email: "stranger@example.com" }) { accessToken errors { field code } }
        }`,
        { id, item: { productId: product.id, quantity: 1 }, address: shippingAddress },
      )
      for (const each of Object.values(data ?? {}))
        expect(each.errors).toEqual([{ field: 'cartId', code: 'NOT_FOUND' }])
      expect(
        succeeded(await hasura()('{ cart_cart { id } cart_cart_item { id } cart_cart_address { line1 } }')),
      ).toEqual({
        cart_cart: [],
        cart_cart_item: [],
        cart_cart_address: [],
      })
    }
  })

  test('moves to the customer who registers with its secret, and the secret ends', async () => {
    const { id, secret } = await createGuestCart(guest(), product.id)
    const register = async (client: Client, email: string) =>
      payload(
        await client<Record<string, Payload & { cartId: string | null; accessToken: string }>>(
          `mutation ($input: RegisterCustomerInput!) {
            registerCustomer(input: $input) { cartId accessToken errors { field message code } }
          }`,
          { input: { email, name: 'Grace', password: 'horses eat no cucumber', cartId: id } },
        ),
      )
    expect((await register(guest(), 'thief@example.com')).cartId).toBeNull()
    const { cartId, accessToken } = await register(guest(secret), 'grace@example.com')
    expect(cartId).toBe(id)
    expect(succeeded(await guest(secret)(read, { id }))).toEqual({ cart: null })
    const shopper = createClient(platform.graphqlUrl, bearer(accessToken))
    expect(succeeded(await shopper(read, { id }))).toMatchObject({ cart: { id, items: [{ quantity: 1 }] } })
  })

  test('is a new one for each visitor, with any Idempotency-Key', async () => {
    const create = async () =>
      payload(
        await createClient(platform.graphqlUrl, {
          ...bearer(page.key),
          origin: local,
          'idempotency-key': 'cart-1',
        })<Record<string, Payload & { secret: string; cart: { id: string } }>>(
          'mutation { createCart(input: {}) { secret cart { id } errors { field message code } } }',
        ),
      )
    const [one, other] = [await create(), await create()]
    expect(other.secret).not.toBe(one.secret)
    expect(other.cart.id).not.toBe(one.cart.id)
  })
})
