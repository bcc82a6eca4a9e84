import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { type ShopAddress, serveStorefront, type Storefront } from '@commerce-graph/demo-storefront'
import { browserIsMissing, hasBrowser, openBrowser } from '@commerce-graph/gateway/testing/browser'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { newEncryptionKey } from '@commerce-graph/secret-box'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Payload } from './support/guest.ts'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { longTests } from './support/long-tests.ts'
import { followOpenAShop, type OpenedShop, openShop } from './support/opened-shop.ts'
import { createStockedProduct, payload, type StockedProduct, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const encryptionKeys = [newEncryptionKey()]

const missing = longTests ? browserIsMissing : 'npm run test:long runs it'
const skipped = hasBrowser && longTests ? '' : ` (skipped: ${missing})`

describe.skipIf(!hasBrowser || !longTests)(`a storefront in a browser${skipped}`, { timeout: 60_000 }, () => {
  let catcher: MailCatcher
  let platform: TestPlatform
  let storefront: Storefront
  let browser: Browser
  let opened: OpenedShop
  let owner: Client
  let product: StockedProduct

  beforeAll(async () => {
    catcher = await startMailCatcher()
    // All visitors of the test come from one address, so they count as one shopper.
    const rates = ratesFrom({
      LIMIT_RATE_FREE: '1000000/1000000/1000000',
      LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '1000000',
    })
    platform = await startTestPlatform({ encryptionKeys, smtpUrl: catcher.url, rates })
    // The key is bound to the origin of the pages, which is known once they are served.
    const shop: { -readonly [Name in keyof ShopAddress]: ShopAddress[Name] } = {
      url: platform.graphqlUrl,
      key: '',
    }
    storefront = await serveStorefront(shop, 0)
    opened = await openShop({ databaseUrl: platform.databaseUrl, encryptionKeys, origin: storefront.url })
    shop.key = opened.publishableKey
    owner = createClient(platform.graphqlUrl, bearer(opened.liveKey))
    await followOpenAShop(owner)
    product = await createStockedProduct(owner, 10)
    payload(
      await owner<Record<string, Payload>>(
        'mutation ($input: SetEmailLinkInput!) { setEmailLink(input: $input) { errors { field message code } } }',
        { input: { kind: 'GUEST_ORDER', url: `${storefront.url}/#/guest-order/{token}` } },
      ),
    )
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await storefront.close()
    await platform.stop()
    await catcher.close()
  })

  /** At its end, no secret key may have been in its traffic. */
  interface Visit extends AsyncDisposable {
    readonly page: Page
    /** The texts of all requests, answers and WebSocket frames, with the requests' headers. */
    readonly traffic: string[]
  }

  async function visit(url = storefront.url): Promise<Visit> {
    const context = await browser.newContext()
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const traffic: string[] = []
    page.on('request', (request) => {
      traffic.push(JSON.stringify(request.headers()), request.postData() ?? '')
    })
    page.on('response', (response) => {
      void response.text().then(
        (text) => traffic.push(text),
        () => undefined,
      )
    })
    page.on('websocket', (socket) => {
      const keep = ({ payload }: { payload: string | Buffer }) => void traffic.push(payload.toString())
      socket.on('framesent', keep).on('framereceived', keep)
    })
    await page.goto(url)
    return {
      page,
      traffic,
      async [Symbol.asyncDispose]() {
        await context.close()
        expect(traffic.join('\n')).not.toMatch(/cg_(live|test|op)_/)
      },
    }
  }

  /** From the search to the order's page, as a visitor who has never been there. */
  async function order(page: Page, email: string): Promise<void> {
    await page.getByRole('searchbox').fill(product.sku)
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('link', { name: product.sku }).click()
    await page.getByText('In stock').waitFor()
    await page.getByLabel('Quantity').fill('2')
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('link', { name: 'Check out' }).click()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Street').fill('1 Harbour Street')
    await page.getByLabel('City').fill('Portland')
    await page.getByLabel('State').fill('ME')
    await page.getByLabel('Postal code').fill('04101')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('$47.18').waitFor()
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.getByRole('heading', { name: /^Order / }).waitFor()
  }

  async function pay(page: Page, card: string): Promise<void> {
    await page.getByLabel('Card').selectOption({ label: card })
    await page.getByRole('button', { name: 'Pay' }).click()
  }

  const soldTo = async (email: string) => {
    const { orders } = succeeded(
      await owner<{ orders: { edges: { node: { status: string; total: number; customer: object } }[] } }>(
        `{ orders { edges { node { status total customer { email hasAccount } } } } }`,
      ),
    )
    return orders.edges
      .map(({ node: { customer, ...sold } }) => ({ ...sold, ...customer }))
      .filter((sold) => 'email' in sold && sold.email === email)
  }

  test('sells to a guest whose first card is declined, with only the publishable key in the page', async () => {
    await using visitor = await visit()
    const { page, traffic } = visitor
    await order(page, 'grace@example.com')
    await pay(page, 'A card that is declined')
    await page.getByRole('alert').getByText('another card').waitFor()
    await page.getByLabel('Status').getByText('PENDING').waitFor()
    await pay(page, 'A card that is good')
    await page.getByText('Your order is paid').waitFor()
    await page.getByLabel('Status').getByText('CONFIRMED').waitFor()
    expect(await soldTo('grace@example.com')).toEqual([
      { status: 'CONFIRMED', total: 4718, email: 'grace@example.com', hasAccount: false },
    ])
    expect(traffic.join('\n')).toContain(opened.publishableKey)
  })

  test('sells with 3-D Secure over the page of the bank, after a first attempt that the bank refuses', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await order(page, 'ada@example.com')
    await pay(page, 'A card whose bank asks its holder')
    await page.getByRole('button', { name: /fail/i }).click()
    await page.getByRole('alert').getByText('try again').waitFor()
    await pay(page, 'A card whose bank asks its holder')
    await page.getByRole('button', { name: /complete/i }).click()
    await page.getByText('Your order is paid').waitFor()
    expect(await soldTo('ada@example.com')).toMatchObject([{ status: 'CONFIRMED' }])
  })

  test('shows an order to the bearer of the link in its mail, in another browser, as its status changes', async () => {
    const email = 'mary@example.com'
    await using buying = await visit()
    await order(buying.page, email)
    await pay(buying.page, 'A card that is good')
    await buying.page.getByText('Your order is paid').waitFor()
    const link = () =>
      catcher.mails
        .filter(({ to }) => to.includes(email))
        .map(({ source }) => /http:\/\/localhost:\d+\/#\/guest-order\/[\w.-]+/.exec(decoded(source))?.[0])
        .find((url) => url !== undefined)
    await expect.poll(link, { timeout: 20_000 }).toBeDefined()
    await using reading = await visit(link())
    await reading.page.getByLabel('Status').getByText('CONFIRMED').waitFor()
    const { orders } = succeeded(
      await owner<{ orders: { edges: { node: { id: string } }[] } }>(
        '{ orders(first: 1) { edges { node { id } } } }',
      ),
    )
    payload(
      await owner<Record<string, Payload>>(
        'mutation ($id: ID!) { cancelOrder(id: $id, reason: "Sold out") { errors { field message code } } }',
        { id: orders.edges[0]?.node.id },
      ),
    )
    await reading.page
      .getByLabel('Status')
      .getByText(/CANCELLED|REFUNDED/)
      .waitFor()
  })

  /** The page of a visitor who buys nothing. */
  const anyPage = once(async () => (await visit()).page)

  /** Sends a request with the page's key, as any script of the page could. */
  const askFrom = async (page: Page, query: string): Promise<unknown> =>
    JSON.parse(
      await page.evaluate(
        async ([url, key, text]) => {
          const response = await fetch(url, {
            method: 'POST',
            headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ query: text }),
          })
          return response.text()
        },
        [platform.graphqlUrl, opened.publishableKey, query] as const,
      ),
    )

  const someId = '01a1f000-0000-7000-8000-000000000001'
  const address = '{ line1: "x", city: "x", state: "x", postalCode: "x", country: "US" }'

  test.each([
    ['lists the carts of the shop', '{ carts(first: 20) { edges { node { id } } } }'],
    ['lists orders', '{ orders { edges { node { id } } } }'],
    ['lists customers', '{ customers { edges { node { id } } } }'],
    ['reads purchase prices', '{ products { edges { node { costPerItem } } } }'],
    ['reads the customers of reviews', '{ reviews { edges { node { customerId } } } }'],
    ['reads movements of stock', '{ stockMovements { totalCount } }'],
    ['reads low stock', '{ lowStock { totalCount } }'],
    ['reads warehouses', '{ warehouses { totalCount } }'],
    ['deletes a cart', `mutation { deleteCart(id: "${someId}") { errors { code } } }`],
    [
      'changes a product',
      `mutation { updateProduct(id: "${someId}", input: { price: 1 }) { errors { code } } }`,
    ],
    [
      'makes a cart an order',
      `mutation { checkoutCart(id: "${someId}", input: { customerId: "${someId}", shippingAddress: ${address} }) { errors { code } } }`,
    ],
    [
      'orders in the name of a customer',
      `mutation { createOrder(input: { customerId: "${someId}", items: [], shippingAddress: ${address} }) { errors { code } } }`,
    ],
  ])('refuses a page that %s', async (_what, query) => {
    const { errors } = refusalSchema.parse(await askFrom(await anyPage(), query))
    expect(new Set(errors.map(({ extensions }) => extensions.id))).toEqual(new Set(['SVC_AUTH_003']))
  })

  test('refuses a page that opens a cart for a customer', async () => {
    const query = `mutation { createCart(input: { customerId: "${someId}" }) { cart { id } errors { field } } }`
    expect(await askFrom(await anyPage(), query)).toMatchObject({
      data: { createCart: { cart: null, errors: [{ field: 'customerId' }] } },
    })
  })

  test('does not show another visitor’s cart, a draft product, or a review that waits for moderation', async () => {
    await using buyer = await visit(`${storefront.url}/#/product/${product.id}`)
    await buyer.page.getByRole('button', { name: 'Add to cart' }).click()
    await buyer.page.getByRole('heading', { name: 'Your cart' }).waitFor()
    const { cartId } = z
      .object({ cartId: z.string() })
      .parse(JSON.parse((await buyer.page.evaluate(() => localStorage.getItem('storefront'))) ?? ''))
    const { createProduct: draft } = succeeded(
      await owner<{ createProduct: { product: { id: string } } }>(
        `mutation {
          createProduct(input: { name: "Unreleased", sku: "DRAFT-1", price: 100, currency: "USD", status: DRAFT }) { product { id } }
          createReview(input: { productId: "${product.id}", rating: 1, authorName: "Waiting", status: PENDING }) { review { id } }
        }`,
      ),
    )
    const lists = `
      drafts: products(filters: { status: DRAFT }) { edges { node { name } } }
      reviews(filters: { status: PENDING }) { edges { node { authorName } } }`
    expect(succeeded(await owner(`{ ${lists} }`))).toEqual({
      drafts: { edges: [{ node: { name: 'Unreleased' } }] },
      reviews: { edges: [{ node: { authorName: 'Waiting' } }] },
    })

    const page = await anyPage()
    const item = `{ productId: "${product.id}", quantity: 1 }`
    expect(
      await askFrom(page, `mutation { addCartItem(cartId: "${cartId}", item: ${item}) { errors { code } } }`),
    ).toMatchObject({ data: { addCartItem: { errors: [{ code: 'NOT_FOUND' }] } } })
    const unseen = `{ cart(id: "${cartId}") { id } product(id: "${draft.product.id}") { id } ${lists} }`
    expect(await askFrom(page, unseen)).toEqual({
      data: { cart: null, product: null, drafts: { edges: [] }, reviews: { edges: [] } },
    })
  })

  test('is refused on the pages of another origin, and says so', async () => {
    const shop = { url: platform.graphqlUrl, key: opened.publishableKey }
    const foreign = await serveStorefront(shop, 0)
    try {
      await using visitor = await visit(foreign.url)
      await visitor.page.getByRole('alert').waitFor()
      expect(await visitor.page.getByRole('listitem').count()).toBe(0)
      expect(await askFrom(visitor.page, '{ products { totalCount } }')).toMatchObject({
        errors: [{ extensions: { id: 'SVC_AUTH_003' } }],
      })
    } finally {
      await foreign.close()
    }
  })
})

const refusalSchema = z.object({
  errors: z.array(z.object({ extensions: z.object({ id: z.string() }) })).min(1),
})

/** The text of a mail in quoted-printable. */
const decoded = (source: string) =>
  source
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/** A function that makes its value when it is first called. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
