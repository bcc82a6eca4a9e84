import pg from 'pg'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessible,
  type AdminBrowser,
  lookAgainUntil,
  looks,
  openAdminBrowser,
  picture,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'
import { succeeded } from './support/shop.ts'

const places = [
  '',
  'products',
  'stock',
  'stock/ledger',
  'customers',
  'settings/users',
  'settings/keys',
  'settings/webhooks',
  'settings/audit',
]

describe.skipIf(skipsAdmin)(`/admin in a browser${whySkipped}`, { timeout: 90_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  const visit = (options?: BrowserContextOptions) => admin.visit(options)

  async function signIn(page: Page, password = admin.platform.userPassword): Promise<void> {
    await page.getByLabel('E-mail').fill(admin.platform.userEmail)
    await page.getByLabel('Password').fill(password)
    await page.getByLabel('Password').press('Enter')
  }

  /** Signs in, and opens the list of orders. */
  async function enter(page: Page): Promise<void> {
    await signIn(page)
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await page.goto(`${admin.address}/orders`)
    await page.getByRole('table', { name: 'Orders' }).waitFor()
  }

  async function openOrder(page: Page, orderNumber: string): Promise<void> {
    await page.getByRole('link', { name: orderNumber }).click()
    await page.getByRole('heading', { name: orderNumber, level: 1 }).waitFor()
    await page.getByText('Order placed').waitFor()
  }

  test('says at the field that the password is wrong, and takes the right one at once', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await signIn(page, 'not the password')
    const fault = page.getByText('The e-mail address or the password is wrong')
    await fault.waitFor()
    await accessible(page)
    await page.getByLabel('Password').fill(admin.platform.userPassword)
    expect(await fault.count()).toBe(0)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })

  test('stays signed in when the page is loaded again, holds no key, and signs out in every tab', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    const other = await page.context().newPage()
    await Promise.all([page.reload(), other.goto(`${admin.address}/orders`)])
    for (const tab of [page, other]) await tab.getByRole('table', { name: 'Orders' }).waitFor()
    const kept = await page.evaluate('JSON.stringify(localStorage) + document.cookie')
    expect(kept).not.toMatch(/cg_|eyJ|commerce_admin/)
    await page.getByRole('button', { name: /Mara Alder/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [page, other]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('says that the server has no answer, when the page is opened and when somebody signs out, and goes on when it has', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    await page.route('**/admin/session/*', (route) => route.fulfill({ status: 503 }))
    await page.getByRole('button', { name: /Mara Alder/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').waitFor()
    await accessible(page)
    await page.reload()
    await page.getByRole('heading', { name: 'The server has no answer' }).waitFor()
    await accessible(page)
    await page.unroute('**/admin/session/*')
    await page.getByRole('table', { name: 'Orders' }).waitFor()
  })

  test('sends a part of an order by keyboard alone, and shows the rest as open', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    await page.getByRole('link', { name: 'ORD-00001009' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'ORD-00001008', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await accessible(page)
    const units = page.getByRole('textbox', { name: 'Units of Polaris Headlamp' })
    await units.focus()
    for (let left = 6; left > 2; left -= 1) await page.keyboard.press('ArrowDown')
    await page.getByLabel('Carrier').focus()
    await page.keyboard.type('Parcel Post')
    await page.keyboard.press('Enter')
    await page.getByText('2 units are on their way').waitFor()
    await page.getByText('4 to send').waitFor()
    const { order } = succeeded(
      await admin.owner<{ order: { shipments: unknown[] } }>(
        '{ order(orderNumber: "ORD-00001008") { shipments { status carrier items { quantity } } } }',
      ),
    )
    expect(order.shipments).toEqual([{ status: 'SHIPPED', carrier: 'Parcel Post', items: [{ quantity: 2 }] }])
  })

  test('refunds exactly the sum that it has shown', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    await openOrder(page, 'ORD-00001007')
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('button', { name: /^Increase/ })
      .first()
      .click()
    await dialog.getByText('Refund the shipping, too').click()
    await accessible(page)
    await dialog.getByLabel('Reason').fill('Arrived too late')
    const shown = (await dialog.getByRole('status').innerText()).split('\n').at(-1) ?? ''
    await dialog.getByRole('button', { name: `Refund ${shown}` }).click()
    await page.getByText(`${shown} is refunded`).waitFor()
    const { order } = succeeded(
      await admin.owner<{ order: { payments: { refunds: { amount: number }[] }[] } }>(
        '{ order(orderNumber: "ORD-00001007") { payments { refunds { amount } } } }',
      ),
    )
    const [refund] = order.payments.flatMap(({ refunds }) => refunds)
    expect(`$${((refund?.amount ?? 0) / 100).toFixed(2)}`).toBe(shown)
  })

  test('tells that somebody else was quicker, and shows the order as it is now', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    await openOrder(page, 'ORD-00001006')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const { order } = succeeded(
      await admin.owner<{ order: { id: string } }>('{ order(orderNumber: "ORD-00001006") { id } }'),
    )
    succeeded(
      await admin.owner('mutation ($id: ID!) { fulfillOrder(id: $id, input: {}) { errors { message } } }', {
        id: order.id,
      }),
    )
    await page.getByRole('button', { name: /^Send \d+ units$/ }).click()
    await page
      .getByRole('dialog')
      .getByText(/left|packed|status|sent/i)
      .last()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Shipment 1', { exact: true }).waitFor()
  })

  test('teaches what an empty list is about, and leads back from filters that match nothing', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    await page.getByRole('searchbox').fill('no such order anywhere')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    expect(page.url()).toContain('q=no+such+order')
    await accessible(page)
    await page.getByRole('link', { name: 'Clear the filters' }).click()
    await page.getByRole('link', { name: 'ORD-00001008' }).waitFor()
  })

  test('speaks German, money and dates included', async () => {
    await using visitor = await visit({ ...looks.light, locale: 'de-DE' })
    const { page } = visitor
    await page.getByLabel('E-Mail').fill(admin.platform.userEmail)
    await page.getByLabel('Passwort').fill(admin.platform.userPassword)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('link', { name: 'Bestellungen', exact: true }).click()
    await page.getByRole('table', { name: 'Bestellungen' }).waitFor()
    await page.getByText('440,63 $').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (look, options) => {
    await using visitor = await visit(options)
    const { page } = visitor
    await accessible(page)
    await enter(page)
    await accessible(page)
    await picture(page, look === 'light' ? 'admin-orders' : `admin-orders-${look}`)
    await page.getByRole('link', { name: 'ORD-00001005' }).click()
    await page.getByText('Order placed').waitFor()
    await accessible(page)
    await picture(page, `admin-order-${look}`)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    for (const place of places) {
      await page.goto(`${admin.address}/${place}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      await accessible(page)
      await picture(page, `admin-${place === '' ? 'home' : place.replaceAll('/', '-')}-${look}`)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
  })

  test('saves a price in the currency’s smallest unit, and keeps what is typed when somebody else was quicker', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await enter(page)
    await page.goto(`${admin.address}/products`)
    await page.getByRole('link', { name: 'Baseplate Compass' }).click()
    const price = page.getByRole('textbox', { name: 'Price', exact: true })
    await price.fill('41.50')
    await price.blur()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const read = async () =>
      succeeded(
        await admin.owner<{ product: { id: string; price: number } }>(
          '{ product(slug: "baseplate-compass") { id price } }',
        ),
      ).product
    const { id, price: stored } = await read()
    expect(stored).toBe(4_150)
    expect(await page.getByText('Somebody else has changed this product').count()).toBe(0)

    await page.getByLabel('Name').fill('Baseplate Compass II')
    succeeded(
      await admin.owner(
        'mutation ($id: ID!) { updateProduct(id: $id, input: { price: 4200 }) { errors { message } } }',
        {
          id,
        },
      ),
    )
    const notice = page.getByText('Somebody else has changed this product')
    await lookAgainUntil(page, async () => (await notice.count()) === 1)
    expect(await page.getByLabel('Name').inputValue()).toBe('Baseplate Compass II')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Baseplate Compass II', level: 1 }).waitFor()
    expect((await read()).price).toBe(4_200)
  })

  /** A user of the demo shop who may pack, but sees neither payments nor customers. With the owner's password. */
  async function becomeWarehouseOnly(email: string): Promise<void> {
    const sql = new pg.Client({ connectionString: admin.platform.databaseUrl })
    await sql.connect()
    try {
      await sql.query(
        `INSERT INTO identity.credential (merchant_id, user_id, password_hash)
         SELECT c.merchant_id, u.id, c.password_hash
         FROM identity.credential c JOIN identity.user o ON (o.merchant_id, o.id) = (c.merchant_id, c.user_id)
         JOIN identity.user u ON u.merchant_id = c.merchant_id AND u.email = $1 WHERE o.email = $2`,
        [email, admin.platform.userEmail],
      )
      await sql.query(
        `DELETE FROM identity.user_role ur USING identity.user u, identity.role r
         WHERE (ur.merchant_id, ur.user_id, ur.role_id) = (u.merchant_id, u.id, r.id) AND u.email = $1 AND r.name <> 'Warehouse'`,
        [email],
      )
    } finally {
      await sql.end()
    }
  }

  test('shows a person of the warehouse what to pack, without the payments and customers that the role lacks', async () => {
    await becomeWarehouseOnly('dev@alderandpine.example')
    await using visitor = await visit()
    const { page } = visitor
    await page.getByLabel('E-mail').fill('dev@alderandpine.example')
    await page.getByLabel('Password').fill(admin.platform.userPassword)
    await page.getByLabel('Password').press('Enter')
    const menu = page.getByRole('navigation', { name: 'Main' })
    await menu.getByRole('link', { name: 'Orders' }).click()
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Home', 'Orders', 'Products', 'Stock'])
    await openOrder(page, 'ORD-00001004')
    await page.getByText('Shipment 1', { exact: true }).waitFor()
    expect(await page.getByRole('region', { name: 'Payments' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0)
    expect(await page.getByText('ada.whitcombe@mail.example').count()).toBe(0)
    await accessible(page)
  })
})
