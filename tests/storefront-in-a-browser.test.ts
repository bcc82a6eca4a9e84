import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { browserIsMissing, hasBrowser, openBrowser } from '@commerce-graph/gateway/testing/browser'
import { serveStorefront, type ShopAddress } from '@commerce-graph/platform/testing'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { newEncryptionKey } from '@commerce-graph/secret-box'
import axe from 'axe-core'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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

/** `STOREFRONT_PICTURES=docs/images` writes the pictures of the documentation there. */
const pictures = process.env['STOREFRONT_PICTURES']

/** WCAG 2.2 at the levels A and AA. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

const looks = {
  light: { colorScheme: 'light', viewport: { width: 1360, height: 850 } },
  dark: { colorScheme: 'dark', viewport: { width: 1360, height: 850 } },
  phone: { colorScheme: 'dark', viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
} as const satisfies Record<string, BrowserContextOptions>

/** A storefront that runs; all of a run share one folder, so it is built once. */
interface Storefront {
  readonly url: string
  close(): Promise<void>
}

async function startStorefront(shop: ShopAddress, folder: string, port: number): Promise<Storefront> {
  const stopping = new AbortController()
  const ended = serveStorefront({ shop, port, folder, say: () => undefined }, stopping.signal)
  const url = `http://localhost:${port}`
  const answers = vi.waitUntil(
    () =>
      fetch(`${url}/icon.svg`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeout: 300_000, interval: 100 },
  )
  await Promise.race([answers, ended])
  return {
    url,
    async close() {
      stopping.abort()
      await ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe.skipIf(!hasBrowser || !longTests)(`a storefront in a browser${skipped}`, { timeout: 60_000 }, () => {
  let catcher: MailCatcher
  let platform: TestPlatform
  let folder: string
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
      LIMIT_GUESSES_PER_MINUTE: '1000000',
    })
    platform = await startTestPlatform({ encryptionKeys, smtpUrl: catcher.url, rates })
    // The key is bound to the origin of the pages.
    const port = await freePort()
    const origin = `http://localhost:${port}`
    opened = await openShop({ databaseUrl: platform.databaseUrl, encryptionKeys, origin })
    owner = createClient(platform.graphqlUrl, bearer(opened.liveKey))
    await followOpenAShop(owner)
    product = await createStockedProduct(owner, 100)
    folder = await mkdtemp(path.join(tmpdir(), 'storefront-'))
    storefront = await startStorefront({ url: platform.graphqlUrl, key: opened.publishableKey }, folder, port)
    for (const [kind, at] of [
      ['GUEST_ORDER', 'guest-order'],
      ['CUSTOMER_PASSWORD_RESET', 'account/password'],
    ])
      payload(
        await owner<Record<string, Payload>>(
          'mutation ($input: SetEmailLinkInput!) { setEmailLink(input: $input) { errors { field message code } } }',
          { input: { kind, url: `${storefront.url}/${at ?? ''}#{token}` } },
        ),
      )
    browser = await openBrowser()
  }, 400_000)
  afterAll(async () => {
    await browser.close()
    await storefront.close()
    await platform.stop()
    await catcher.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** At its end, no secret key may have been in its traffic. */
  interface Visit extends AsyncDisposable {
    readonly page: Page
    /** The texts of all requests, answers and WebSocket frames, with the requests' headers. */
    readonly traffic: string[]
  }

  async function visit(url = storefront.url, options: BrowserContextOptions = looks.light): Promise<Visit> {
    const context = await browser.newContext({ locale: 'en-US', ...options })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const traffic: string[] = []
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (/Content Security Policy|hydrat/i.test(message.text())) faults.push(message.text())
    })
    const own = [storefront.url, platform.graphqlUrl, platform.paymentSandboxUrl, 'http://localhost']
    page.on('request', (request) => {
      if (
        !own.some((address) => address !== null && request.url().startsWith(address.replace('/graphql', '')))
      )
        faults.push(`asked for ${request.url()}`)
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
        expect(faults).toEqual([])
      },
    }
  }

  async function accessible(page: Page): Promise<void> {
    // The protocol of the browser's tools evaluates it outside of the page's policy.
    await page.evaluate(`${axe.source};0`)
    const found: unknown = await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
        violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + failureSummary) })))`,
    )
    expect(found).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (pictures === undefined) return
    await page.screenshot({
      path: path.resolve(import.meta.dirname, '..', pictures, `storefront-${name}.png`),
    })
  }

  /**
   * The page runs its scripts: until then a form would be sent by the browser itself. `waitForFunction` would evaluate in
   * the page from its second attempt on, which the page's policy forbids.
   */
  const alive = (page: Page) =>
    expect
      .poll(() =>
        page.evaluate(
          "'__reactRouterDataRouter' in window && document.querySelector('main[aria-busy=false]') !== null",
        ),
      )
      .toBe(true)

  /** Finds the product by typing, and puts two of it into the cart. */
  async function fillCart(page: Page): Promise<void> {
    await alive(page)
    await page.getByRole('searchbox').pressSequentially(product.sku)
    await page.getByRole('heading', { name: `Results for “${product.sku}”` }).waitFor()
    await page.locator('.grid').getByRole('link', { name: product.sku }).click()
    await page.locator('.in-stock').waitFor()
    await page.getByLabel('Quantity').fill('2')
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('link', { name: 'View the cart' }).click()
    await page.getByRole('heading', { name: 'Your cart' }).waitFor()
  }

  async function fillAddress(page: Page): Promise<void> {
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByLabel('Street').fill('1 Harbour Street')
    await page.getByLabel('City').fill('Portland')
    await page.getByLabel('State').fill('ME')
    await page.getByLabel('Postal code').fill('04101')
    await page.getByRole('button', { name: 'Continue' }).click()
  }

  /** From the search to the order's page, as a visitor who has never been there. */
  async function order(page: Page, email: string): Promise<void> {
    await fillCart(page)
    await page.getByRole('link', { name: 'Check out' }).click()
    await page.getByLabel('E-mail').fill(email)
    await fillAddress(page)
    await page.getByRole('button', { name: 'Place the order · $47.18' }).click()
    await page.getByRole('heading', { name: /^Order / }).waitFor()
  }

  async function pay(page: Page, card: string): Promise<void> {
    await page.getByLabel(card).check()
    await page.getByRole('button', { name: 'Pay $47.18' }).click()
  }

  const status = (page: Page, value: string) => page.locator(`output[data-status=${value}]`).waitFor()

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
    await status(page, 'PENDING')
    await pay(page, 'A card that is good')
    await page.getByText('Your order is paid').waitFor()
    await status(page, 'CONFIRMED')
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

  test('offers no second payment while the shop can’t say what the bank answered, and asks it again', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await order(page, 'joan@example.com')
    await pay(page, 'A card whose bank asks its holder')
    const toConfirm = (url: URL) => url.href.startsWith(platform.graphqlUrl)
    await page.route(toConfirm, (route) =>
      route.request().postData()?.includes('confirmPayment') === true
        ? route.abort('connectionrefused')
        : route.continue(),
    )
    await page.getByRole('button', { name: /complete/i }).click()
    await page.getByRole('alert').getByText('can’t be reached').waitFor()
    await status(page, 'PENDING')
    expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(0)
    await page.unroute(toConfirm)
    await page.reload()
    await page.getByText('Your order is paid').waitFor()
    expect(await soldTo('joan@example.com')).toMatchObject([{ status: 'CONFIRMED' }])
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
        .map(({ source }) => /http:\/\/localhost:\d+\/guest-order#[\w.-]+/.exec(decoded(source))?.[0])
        .find((url) => url !== undefined)
    await expect.poll(link, { timeout: 20_000 }).toBeDefined()
    await using reading = await visit(link())
    await status(reading.page, 'CONFIRMED')
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
      .getByText(/Cancelled|Refunded/)
      .waitFor()
  })

  /** The page of a visitor who buys nothing. */
  const anyPage = lazily(async () => (await visit()).page)

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
    await using buyer = await visit()
    await fillCart(buyer.page)
    const { cartId } = z
      .object({ cartId: z.string() })
      .parse(JSON.parse((await buyer.page.evaluate(() => localStorage.getItem('storefront-visit'))) ?? ''))
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
    const foreign = await startStorefront(shop, folder, await freePort())
    try {
      const context = await browser.newContext({ locale: 'en-US' })
      const page = await context.newPage()
      await page.goto(foreign.url)
      await page.getByRole('alert').getByText('does not take requests').waitFor()
      expect(await page.getByRole('listitem').count()).toBe(0)
      expect(await askFrom(page, '{ products { totalCount } }')).toMatchObject({
        errors: [{ extensions: { id: 'SVC_AUTH_003' } }],
      })
      await context.close()
    } finally {
      await foreign.close()
    }
  })

  test('finds as one types, keeps the text and the filters in the address, and goes back', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await alive(page)
    await page.getByRole('searchbox').pressSequentially(product.sku.slice(0, 4))
    await page.getByRole('heading', { name: /^Results for/ }).waitFor()
    expect(await page.evaluate('document.activeElement.name')).toBe('q')
    await page.getByText('1 product').waitFor()
    await page.getByLabel(/^In stock/).check()
    await page.waitForURL(/inStock=true/)
    await page.getByLabel('Sort by').selectOption({ label: 'Price, low to high' })
    await page.waitForURL(/sort=price/)
    await page.locator('.grid').getByRole('link', { name: product.sku }).click()
    await page.getByRole('heading', { level: 1, name: product.sku }).waitFor()
    await page.goBack()
    await page.waitForURL(/sort=price/)
    expect(await page.getByLabel(/^In stock/).isChecked()).toBe(true)
    await page.getByRole('link', { name: 'Clear the filters' }).click()
    await expect.poll(() => page.getByLabel(/^In stock/).isChecked()).toBe(false)
  })

  test('has the whole catalog without scripts', async () => {
    await using visitor = await visit(`${storefront.url}/search?q=${product.sku}`, {
      javaScriptEnabled: false,
    })
    await visitor.page.locator('.grid').getByRole('link', { name: product.sku }).click()
    await visitor.page.getByRole('heading', { level: 1, name: product.sku }).waitFor()
    await visitor.page.locator('.in-stock').waitFor()
  })

  test('registers a customer with the cart, who sees the order in the account, signs out, and sets a new password by mail', async () => {
    const email = 'edsger@example.com'
    await using visitor = await visit()
    const { page } = visitor
    await fillCart(page)
    await page.goto(`${storefront.url}/account?to=/checkout`)
    await alive(page)
    const form = page.getByRole('form', { name: 'Create an account' })
    await form.getByLabel('Name').fill('Edsger')
    await form.getByLabel('E-mail').fill(email)
    await form.getByLabel('Password').fill('short')
    await form.getByRole('button').click()
    await form.locator('[aria-invalid=true]').waitFor()
    await form.getByLabel('Password').fill('a long enough password')
    await form.getByRole('button').click()
    await page.waitForURL(`${storefront.url}/checkout`)
    await fillAddress(page)
    await page.getByRole('button', { name: 'Place the order · $47.18' }).click()
    await pay(page, 'A card that is good')
    await page.getByText('Your order is paid').waitFor()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByText(`Signed in as ${email}`).waitFor()
    expect(await page.locator('main').getByRole('link', { name: /^ORD-/ }).count()).toBe(1)
    await page.getByRole('button', { name: 'Sign out' }).click()

    const forgotten = page.getByRole('form', { name: 'I have forgotten my password' })
    await forgotten.getByLabel('E-mail').fill(email)
    await forgotten.getByRole('button').click()
    await page.getByText('a mail is on its way').waitFor()
    const link = () =>
      catcher.mails
        .filter(({ to }) => to.includes(email))
        .map(({ source }) => /http:\/\/localhost:\d+\/account\/password#[\w.-]+/.exec(decoded(source))?.[0])
        .find((url) => url !== undefined)
    await expect.poll(link, { timeout: 20_000 }).toBeDefined()
    await page.goto(link() ?? '')
    await alive(page)
    await page.getByLabel('New password').fill('another long password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    const signIn = page.getByRole('form', { name: 'Sign in' })
    await signIn.getByLabel('E-mail').fill(email)
    await signIn.getByLabel('Password').fill('a long enough password')
    await signIn.getByRole('button').click()
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await signIn.getByLabel('Password').fill('another long password')
    await signIn.getByRole('button').click()
    await page.getByText(`Signed in as ${email}`).waitFor()
  })

  test('buys by keyboard alone', async () => {
    await using visitor = await visit(`${storefront.url}/search?q=${product.sku}`)
    const { page } = visitor
    await alive(page)
    const enter = async (name: string | RegExp): Promise<void> => {
      for (let pressed = 0; pressed < 60; pressed += 1) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate(
          'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
        )
        if (
          typeof focused === 'string' &&
          (typeof name === 'string' ? focused.includes(name) : name.test(focused))
        ) {
          await page.keyboard.press('Enter')
          return
        }
      }
      throw new Error(`nothing that Tab reaches is called ${String(name)}`)
    }
    // First the suggestion of the same name, then the product.
    await enter(product.sku)
    await page.waitForURL(/q=Product/)
    await alive(page)
    await page.locator('.grid a').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add to cart' }).waitFor()
    await enter('Add to cart')
    await page.getByText('It is in your cart.').waitFor()
    await enter('View the cart')
    await page.getByRole('heading', { name: 'Your cart' }).waitFor()
    await enter(/^One more/)
    await page.locator('.steps span').getByText('2').waitFor()
    await enter('Check out')
    await page.getByRole('heading', { name: 'Where do we send it?' }).waitFor()
  })

  test('speaks German, and remembers it', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Gemacht für draußen' }).waitFor()
    await page.reload()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await alive(page)
    await page.getByRole('searchbox').pressSequentially(product.sku)
    await page.getByText('1 Produkt').waitFor()
    await page
      .getByText(/\d,\d\d\s\$/)
      .first()
      .waitFor()
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (look, options) => {
    await using visitor = await visit(storefront.url, options)
    const { page } = visitor
    await alive(page)
    await accessible(page)
    await fillCart(page)
    await accessible(page)
    await page.goBack()
    await page.getByRole('button', { name: 'Add to cart' }).waitFor()
    await accessible(page)
    await page.goBack()
    await page.getByRole('heading', { name: /^Results for/ }).waitFor()
    await accessible(page)
    await page.goto(`${storefront.url}/checkout`)
    await page.getByLabel('E-mail').fill(`${look}@example.com`)
    await accessible(page)
    await fillAddress(page)
    await page.getByRole('button', { name: /^Place the order/ }).waitFor()
    await accessible(page)
    await page.getByRole('button', { name: /^Place the order/ }).click()
    await page.getByRole('button', { name: /^Pay/ }).waitFor()
    await accessible(page)
    await picture(page, `order-${look}`)
    for (const place of ['account', 'account/password', 'nothing']) {
      await page.goto(`${storefront.url}/${place}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await accessible(page)
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
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
