import { createClient, unwrap } from '@commerce-graph/client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { bearer, createClient as createPlainClient } from './support/graphql-client.ts'
import { createStockedProduct } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

/** The cart of `examples/storefront` on the platform itself, without a browser: what it keeps of a visit, and sends. */

interface CartModule {
  loadCart(): Promise<{ readonly itemCount: number } | null>
  addToCart(form: FormData): Promise<{ readonly ok: boolean }>
}

/** The example is no workspace, and its types are those of a page. */
const moduleOf = async <Module>(name: string): Promise<Module> =>
  (await import(new URL(`../examples/storefront/app/${name}`, import.meta.url).href)) as Module

let platform: TestPlatform
let cart: CartModule
let form: FormData
const kept = new Map<string, string>()

beforeAll(async () => {
  platform = await startTestPlatform()
  const owner = createPlainClient(platform.graphqlUrl, bearer(platform.liveKey))
  const { id } = await createStockedProduct(owner, 10)
  form = new FormData()
  form.set('productId', id)
  const contents: Readonly<Record<string, string>> = {
    'meta[name="shop-url"]': platform.graphqlUrl,
    'meta[name="shop-key"]': platform.publishableKey,
  }
  vi.stubGlobal('document', {
    querySelector: (selector: string) => ({ getAttribute: () => contents[selector] ?? null }),
  })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
  cart = await moduleOf<CartModule>('cart/cart.ts')
}, 120_000)
afterAll(async () => {
  vi.unstubAllGlobals()
  await platform.stop()
})
beforeEach(() => kept.clear())

const visit = () => JSON.parse(kept.get('storefront-visit') ?? '{}') as Record<string, unknown>
const keep = (visited: object) => kept.set('storefront-visit', JSON.stringify(visited))

test.each([
  ['was found ended', false],
  ['ends with this request', true],
])(
  'a customer whose session %s buys on as a visitor, and takes the cart along on signing in',
  async (_, hasTokens) => {
    keep({ caller: 'customer', customerId: 'c1', email: 'ann@example.com' })
    if (hasTokens)
      kept.set('commerce-graph-tokens', JSON.stringify({ accessToken: 'ended', refreshToken: 'ended' }))
    expect(await cart.addToCart(form)).toEqual({ ok: true })
    const { caller, customerId, cartId, cartSecret } = visit()
    expect([caller, customerId]).toEqual([undefined, undefined])
    expect(await cart.loadCart()).toMatchObject({ itemCount: 1 })
    const client = createClient({
      url: platform.graphqlUrl,
      publishableKey: platform.publishableKey,
      cartSecret: String(cartSecret),
    })
    const registered = await client.mutate<{ registerCustomer: { cartId: string } }>(
      'mutation ($input: RegisterCustomerInput!) { registerCustomer(input: $input) { cartId errors { field message code } } }',
      {
        input: {
          email: `ann-${String(hasTokens)}@example.com`,
          name: 'Ann',
          password: 'a long enough password',
          cartId,
        },
      },
    )
    expect(unwrap(registered).registerCustomer.cartId).toBe(cartId)
  },
)

test('a cart that was opened after the session had ended is a visitor’s as soon as it is shown', async () => {
  await cart.addToCart(form)
  keep({ ...visit(), caller: 'customer', customerId: 'c1' })
  expect(await cart.loadCart()).toMatchObject({ itemCount: 1 })
  expect(visit()).not.toHaveProperty('caller')
  expect(visit()).not.toHaveProperty('customerId')
})
