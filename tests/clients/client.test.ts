import {
  createClient,
  paginate,
  tokensInMemory,
  unwrap,
  type Fetch,
  type Tokens,
} from '@commerce-graph/client'
import { createSubscriptions } from '@commerce-graph/client/subscriptions'
import type { CreateProductInput } from '@commerce-graph/client/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts'
import { bearer, createClient as createPlainClient } from '../support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import {
  AddItemDocument,
  CartOfDocument,
  CartStateDocument,
  MakeCartDocument,
  MakeProductDocument,
  NewOrdersDocument,
  ProductNamesDocument,
  StartGuestCheckoutDocument,
} from './generated/shop.ts'

/** `@commerce-graph/client` on the platform itself. Failures that can't be had on request are in client/src. */

let platform: TestPlatform
let proxy: CuttableProxy
beforeAll(async () => {
  platform = await startTestPlatform()
  proxy = await startCuttableProxy(Number(new URL(platform.graphqlUrl).port))
}, 120_000)
afterAll(async () => {
  await proxy.close()
  await platform.stop()
})

const retryPolicy = { firstDelayMs: 10 }

/** A merchant's program; `fetch` for one whose network loses something. */
const merchant = (fetch?: Fetch) =>
  createClient({
    url: platform.graphqlUrl,
    key: platform.liveKey,
    retryPolicy,
    ...(fetch !== undefined && { fetch }),
  })

/** A network that loses the first answer to each request whose body has the text. */
function losing(text: string): Fetch {
  const seen = new Set<string>()
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!init.body.includes(text) || seen.has(init.body)) return response
    seen.add(init.body)
    await response.text()
    throw new TypeError('the answer was lost')
  }
}

const newProduct = (sku: string): CreateProductInput => ({
  name: 'Lantern',
  sku,
  price: 4_900,
  currency: 'USD',
})

describe('a mutation', () => {
  test('whose answer was lost is executed once, and has the record’s id', async () => {
    const made = await merchant(losing('LOST-1')).mutate(MakeProductDocument, { input: newProduct('LOST-1') })
    expect(unwrap(made).createProduct).toMatchObject({ product: { sku: 'LOST-1', price: 4_900 }, errors: [] })
  })

  test('that is refused has all that is wrong with its input', async () => {
    const result = await merchant().mutate(MakeProductDocument, { input: { ...newProduct(''), price: 0 } })
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'refused' },
      data: { createProduct: { product: null } },
    })
    const fields =
      result.ok || result.error.kind !== 'refused' ? [] : result.error.userErrors.map(({ field }) => field)
    expect(fields.toSorted()).toEqual(['price', 'sku'])
  })

  test('is sent again by another process under the same Idempotency-Key, without a second effect', async () => {
    const options = { idempotencyKey: 'order-import-17' }
    const made = await Promise.all(
      [1, 2].map(() => merchant().mutate(MakeProductDocument, { input: newProduct('ONCE-1') }, options)),
    )
    const ids = made.map((result) => unwrap(result).createProduct.product?.id)
    expect(ids[0]).toBe(ids[1])
    const other = await merchant().mutate(MakeProductDocument, { input: newProduct('ONCE-2') }, options)
    expect(other).toMatchObject({ ok: false, error: { kind: 'conflict', id: 'SVC_VAL_004' } })
  })
})

test('errors of the platform have their kind, field and request', async () => {
  const stranger = createClient({ url: platform.graphqlUrl, key: 'cg_live_main_none', retryPolicy })
  expect(await stranger.query(ProductNamesDocument)).toMatchObject({
    error: { kind: 'unauthenticated', id: 'SVC_AUTH_001', requestId: expect.stringMatching(/./) as string },
  })
  expect(await merchant().query(ProductNamesDocument, { first: 1_000 })).toMatchObject({
    error: { kind: 'invalid', id: 'SVC_VAL_003', field: 'first' },
  })
  const page = createClient({
    url: platform.graphqlUrl,
    publishableKey: platform.publishableKey,
    retryPolicy,
  })
  expect(await page.query('{ customers { totalCount } }')).toMatchObject({ error: { kind: 'forbidden' } })
  const elsewhere = createClient({ url: `${platform.graphqlUrl}x`, key: platform.liveKey, retryPolicy })
  expect(await elsewhere.query(ProductNamesDocument)).toMatchObject({ ok: false, error: { statusCode: 404 } })
})

test('all products are read in pages, forward and backward', async () => {
  const read = async (direction: 'forward' | 'backward') => {
    const names: string[] = []
    const products = paginate(
      merchant(),
      ProductNamesDocument,
      {},
      { connection: (data) => data.products, pageSize: 7, direction },
    )
    for await (const { name } of products) names.push(name)
    return names
  }
  const names = await read('forward')
  expect(names.length).toBe(unwrap(await merchant().query(ProductNamesDocument)).products.totalCount)
  expect((await read('backward')).toReversed()).toEqual(names)
})

describe('a guest', () => {
  async function startCheckout(fetch?: Fetch) {
    const store = tokensInMemory()
    let cartSecret: string | null = null
    const client = createClient({
      url: platform.graphqlUrl,
      publishableKey: platform.publishableKey,
      cartSecret: () => cartSecret,
      tokens: store,
      retryPolicy,
      ...(fetch !== undefined && { fetch }),
    })
    const { id: productId } = await createStockedProduct(
      createPlainClient(platform.graphqlUrl, bearer(platform.liveKey)),
      5,
    )
    const input = { items: [{ productId, quantity: 2 }] }
    const { cart, secret } = unwrap(await client.mutate(MakeCartDocument, { input })).createCart
    const cartId = cart?.id ?? ''
    cartSecret = secret ?? null
    expect(unwrap(await client.query(CartOfDocument, { id: cartId })).cart).toMatchObject({ itemCount: 2 })
    const started = await client.mutate(StartGuestCheckoutDocument, {
      input: { email: 'guest@example.com', cartId },
    })
    const { accessToken, refreshToken } = unwrap(started).startGuestCheckout
    await store.write({ accessToken, refreshToken } as Tokens)
    cartSecret = null
    return { client, store, cartId }
  }

  /** As the access token is after 15 minutes: refused. */
  async function expire(store: ReturnType<typeof tokensInMemory>): Promise<void> {
    const tokens = await store.read()
    if (tokens !== null) await store.write({ ...tokens, accessToken: `${tokens.accessToken}x` })
  }

  test('opens its cart by the secret, and then as a shopper, with tokens that the client renews', async () => {
    const { client, store, cartId } = await startCheckout()
    const read = () => client.query(CartOfDocument, { id: cartId })
    await expire(store)
    for (const result of await Promise.all([read(), read(), read()]))
      expect(result).toMatchObject({ ok: true, data: { cart: { itemCount: 2 } } })
    await expire(store)
    expect(await read()).toMatchObject({ ok: true })
  })

  test('stays signed in when the answer of a refresh is lost', async () => {
    const { client, store, cartId } = await startCheckout(losing('refreshSession'))
    await expire(store)
    expect(await client.query(CartOfDocument, { id: cartId })).toMatchObject({ ok: true })
    await expire(store)
    expect(await client.query(CartOfDocument, { id: cartId })).toMatchObject({ ok: true })
  })

  test('is signed out when the session has ended', async () => {
    const { client, store, cartId } = await startCheckout()
    const { refreshToken } = (await store.read()) ?? {}
    await client.mutate(
      'mutation ($token: String!) { signOut(refreshToken: $token) { success errors { field message code } } }',
      { token: refreshToken },
    )
    await expire(store)
    expect(await client.query(CartOfDocument, { id: cartId })).toMatchObject({
      error: { kind: 'unauthenticated' },
    })
    expect(await store.read()).toBeNull()
  })

  test('sees its cart live, also after the access token has expired', async () => {
    const { client, store, cartId } = await startCheckout()
    await expire(store)
    const leaving = new AbortController()
    const seen: (number | undefined)[] = []
    const watching = (async () => {
      const live = createSubscriptions(client)
      for await (const { cart } of live.subscribe(
        CartStateDocument,
        { id: cartId },
        { signal: leaving.signal },
      ))
        seen.push(cart?.itemCount)
    })()
    await vi.waitFor(() => expect(seen).toEqual([2]), { timeout: 10_000 })
    const { products } = unwrap(await client.query(ProductNamesDocument, { first: 20 }))
    const { node } = products.edges.find(({ node: { hasVariants } }) => !hasVariants) ?? {}
    unwrap(await client.mutate(AddItemDocument, { cartId, item: { productId: node?.id ?? '', quantity: 1 } }))
    await vi.waitFor(() => expect(seen).toEqual([2, 3]), { timeout: 10_000 })
    leaving.abort()
    await watching
  })
})

describe('a subscription', () => {
  const plain = () => createPlainClient(platform.graphqlUrl, bearer(platform.liveKey))

  async function placeOrder(): Promise<void> {
    const { id: productId } = await createStockedProduct(plain(), 1)
    await createOrder(plain(), await createCustomer(plain()), [{ productId, quantity: 1 }])
  }

  const overProxy = () =>
    createClient({ url: `http://127.0.0.1:${proxy.port}/graphql`, key: platform.liveKey, retryPolicy })

  test('misses no order and repeats none when its connection is cut, and when it goes silent', async () => {
    const live = createSubscriptions(overProxy(), { keepAliveMs: 1_000 })
    const numbers: string[] = []
    const lost: string[] = []
    const leaving = new AbortController()
    const watching = (async () => {
      const options = {
        signal: leaving.signal,
        resume: ({ orderCreated }: { orderCreated: { orderNumber: string } }) => ({
          after: orderCreated.orderNumber,
        }),
        onInterrupted: ({ kind }: { kind: string }) => void lost.push(kind),
      }
      for await (const { orderCreated } of live.subscribe(NewOrdersDocument, {}, options))
        numbers.push(orderCreated.orderNumber)
    })()
    // Orders that are placed before the subscription begins are not its own.
    await vi.waitFor(
      async () => {
        if (numbers.length === 0) await placeOrder()
        expect(numbers.length).toBeGreaterThan(0)
      },
      { timeout: 15_000, interval: 500 },
    )
    for (const interrupt of [() => proxy.cut(), () => proxy.silence()]) {
      const before = numbers.length
      interrupt()
      await placeOrder()
      await vi.waitFor(() => expect(numbers.length).toBeGreaterThan(before), { timeout: 15_000 })
    }
    leaving.abort()
    await watching
    const { orders } = unwrap(
      await merchant().query<{ orders: { edges: { node: { orderNumber: string } }[] } }>(
        '{ orders(first: 100) { edges { node { orderNumber } } } }',
      ),
    )
    const placed = orders.edges
      .map(({ node }) => node.orderNumber)
      .filter((number) => number >= (numbers[0] ?? ''))
    expect(numbers).toEqual(placed.toSorted())
    expect(lost).toEqual(['unavailable', 'unavailable'])
  }, 60_000)

  test('that is refused throws why, and is not tried again', async () => {
    const stranger = createClient({ url: platform.graphqlUrl, key: 'cg_live_main_none' })
    for (const [client, kind] of [
      [stranger, 'unauthenticated'],
      [createClient({ url: platform.graphqlUrl, publishableKey: platform.publishableKey }), 'forbidden'],
    ] as const) {
      const reading = createSubscriptions(client).subscribe(NewOrdersDocument).next()
      await expect(reading).rejects.toMatchObject({ name: 'RequestFailed', error: { kind } })
    }
  })

  test('ends with its loop', async () => {
    const live = createSubscriptions(overProxy())
    const { id: productId } = await createStockedProduct(plain(), 5)
    const { cart } = unwrap(
      await merchant().mutate(MakeCartDocument, { input: { items: [{ productId, quantity: 1 }] } }),
    ).createCart
    for await (const { cart: state } of live.subscribe(CartStateDocument, { id: cart?.id ?? '' })) {
      expect(state?.itemCount).toBe(1)
      break
    }
  })
})
