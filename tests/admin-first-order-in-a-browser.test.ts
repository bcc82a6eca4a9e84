import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdminBrowser, openAdminBrowser, skipsAdmin, whySkipped } from './support/admin-browser.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import { createGuestCart, type Payload, visitor } from './support/guest.ts'
import { payload, shippingAddress, succeeded } from './support/shop.ts'
import type { TestPlatform } from './support/test-platform.ts'

/** What a merchant does by hand, counted. A choice from a list is two clicks. */
class Hands {
  clicks = 0
  fills = 0

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.fills += 1
    await target.fill(text)
  }
}

interface PlacedOrder {
  readonly id: string
  readonly orderNumber: string
}

/** A guest orders two units, and pays with a card of the sandbox. */
async function buy({ graphqlUrl, publishableKey }: TestPlatform, product: string): Promise<PlacedOrder> {
  const pages = { key: publishableKey, origin: 'http://localhost:3000' }
  const { product: found } = succeeded(
    await visitor(graphqlUrl, pages)<{ product: { id: string } | null }>(
      'query ($sku: String!) { product(sku: $sku) { id } }',
      { sku: product },
    ),
  )
  if (found === null) throw new Error('shoppers do not see the product')
  const cart = await createGuestCart(visitor(graphqlUrl, pages), found.id, 2)
  const started = payload(
    await visitor(
      graphqlUrl,
      pages,
      cart.secret,
    )<Record<string, Payload & { accessToken: string }>>(
      `mutation ($input: StartGuestCheckoutInput!) {
        startGuestCheckout(input: $input) { accessToken errors { field message code } }
      }`,
      { input: { email: 'first.shopper@mail.example', cartId: cart.id } },
    ),
  )
  const shopper = createClient(graphqlUrl, bearer(started.accessToken))
  const { order } = payload(
    await shopper<Record<string, Payload & { order: PlacedOrder }>>(
      `mutation ($id: ID!, $address: AddressInput!) {
        checkoutCart(id: $id, input: { shippingAddress: $address }) {
          order { id orderNumber } errors { field message code }
        }
      }`,
      { id: cart.id, address: shippingAddress },
    ),
  )
  payload(
    await shopper<Record<string, Payload>>(
      'mutation ($input: PaymentInput!) { processPayment(input: $input) { errors { field message code } } }',
      { input: { orderId: order.id, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
    ),
  )
  return order
}

describe.skipIf(skipsAdmin)(`the first order in /admin${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  let secondsToOpen: string

  beforeAll(async () => {
    const began = performance.now()
    admin = await openAdminBrowser()
    secondsToOpen = secondsSince(began)
  }, 600_000)
  afterAll(() => admin.stop())

  test('is sold, paid, seen and sent with what a new merchant finds in the pages', async () => {
    await using visit = await admin.visit()
    const { page } = visit
    const began = performance.now()
    const hands = new Hands()
    await signIn(page, hands, admin.platform)
    await offer(page, hands)
    const order = await buy(admin.platform, sku)
    await send(page, hands, order)
    const seconds = secondsSince(began)

    const { order: sold } = succeeded(
      await admin.owner<{ order: object }>(
        `query ($id: ID!) {
          order(id: $id) {
            status items { sku quantity } payments { status method } shipments { status items { quantity } }
          }
        }`,
        { id: order.id },
      ),
    )
    expect(sold).toEqual({
      status: 'SHIPPED',
      items: [{ sku, quantity: 2 }],
      payments: [{ status: 'SUCCEEDED', method: 'CARD' }],
      shipments: [{ status: 'SHIPPED', items: [{ quantity: 2 }] }],
    })
    console.log(
      `${hands.clicks} clicks and ${hands.fills} filled fields in ${seconds} s, after ${secondsToOpen} s for the start and the build of the pages`,
    )
  })
})

const sku = 'FIRST-1'

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1)

async function signIn(page: Page, hands: Hands, { userEmail, userPassword }: TestPlatform): Promise<void> {
  await hands.fill(page.getByLabel('E-mail'), userEmail)
  await hands.fill(page.getByLabel('Password'), userPassword)
  await hands.click(page.getByRole('button', { name: 'Sign in' }))
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

/** Puts a product with a price and stock up for sale. */
async function offer(page: Page, hands: Hands): Promise<void> {
  await hands.click(menu(page, 'Products'))
  await hands.click(page.getByRole('link', { name: 'New product' }))
  await hands.fill(page.getByLabel('Name'), 'Rye flour, 2 kg')
  await hands.fill(page.getByLabel('SKU'), sku)
  await hands.fill(page.getByRole('textbox', { name: 'Price' }), '12.99')
  await hands.click(page.getByRole('button', { name: 'Create the draft' }))
  await page.getByRole('heading', { name: 'Rye flour, 2 kg', level: 1 }).waitFor()

  await hands.click(page.getByRole('button', { name: 'Adjust the stock' }))
  const dialog = page.getByRole('dialog')
  await hands.fill(dialog.getByRole('textbox', { name: 'Change' }), '40')
  await hands.fill(dialog.getByLabel('Reason'), 'First delivery')
  await hands.click(dialog.getByRole('button', { name: 'Adjust', exact: true }))
  await page.getByText(`${sku}: 40 available`).waitFor()

  await hands.click(page.getByRole('button', { name: /Status/ }))
  await hands.click(page.getByRole('option', { name: 'For sale' }))
  await hands.click(page.getByRole('button', { name: 'Save' }))
  await page.getByText('Saved', { exact: true }).waitFor()
}

/** Finds the order, sees that it is paid, and sends it whole. */
async function send(page: Page, hands: Hands, { orderNumber }: PlacedOrder): Promise<void> {
  await hands.click(menu(page, 'Orders'))
  await hands.click(page.getByRole('table', { name: 'Orders' }).getByRole('link', { name: orderNumber }))
  const payments = page.getByRole('region', { name: 'Payments' })
  await payments.getByText('Paid', { exact: true }).waitFor()
  await payments.getByText('•••• 4242').waitFor()
  await hands.click(page.getByRole('button', { name: 'Send', exact: true }))
  await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Send 2 units' }))
  await page.getByText('2 units are on their way').waitFor()
}

const menu = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
