import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessible,
  accessiblePlaces,
  type AdminBrowser,
  looks,
  openAdminBrowser,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import { inviteUser } from './support/invited-user.ts'
import { succeeded } from './support/shop.ts'

const places = [
  'shop',
  'shipping',
  'payments',
  'sender',
  'users',
  'roles',
  'keys',
  'webhooks',
  'access',
  'audit',
  'plan',
  'account',
].map((tab) => `settings/${tab}`)

describe.skipIf(skipsAdmin)(`settings of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let catcher: MailCatcher
  let admin: AdminBrowser
  beforeAll(async () => {
    catcher = await startMailCatcher()
    admin = await openAdminBrowser({ smtpUrl: catcher.url })
  }, 600_000)
  afterAll(async () => {
    await admin.stop()
    await catcher.close()
  })

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))
  const dialog = (page: Page) => page.getByRole('dialog')

  /** The secret that a dialog shows once. */
  const shownSecret = async (page: Page): Promise<string> => {
    const shown = dialog(page).locator('.secret')
    await shown.waitFor()
    return (await shown.textContent()) ?? ''
  }

  test('makes a key with the permissions that are ticked, shows it once, replaces and revokes it', async () => {
    await using visitor = await admin.enter('settings/keys')
    const { page } = visitor
    await page.getByRole('button', { name: 'New secret key' }).click()
    await dialog(page).getByLabel('Name').fill('Warehouse')
    const products = dialog(page).getByRole('group', { name: 'Products', exact: true })
    await products.getByText('See', { exact: true }).click()
    await accessible(page)
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = await shownSecret(page)
    await accessible(page)
    const client = createClient(admin.platform.graphqlUrl, bearer(key))
    expect((await client('{ products(first: 1) { totalCount } }')).errors).toEqual([])
    expect((await client('{ orders(first: 1) { totalCount } }')).errors[0]?.extensions.id).toBe(
      'SVC_AUTH_003',
    )
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await page.getByText(key).count()).toBe(0)

    const row = page.getByRole('listitem').filter({ hasText: 'Warehouse' }).first()
    await row.getByRole('button', { name: 'Replace' }).click()
    await dialog(page)
      .getByRole('button', { name: /goes on working/ })
      .click()
    await page.getByRole('option', { name: 'Not at all' }).click()
    await dialog(page).getByRole('button', { name: 'Replace' }).click()
    const next = await shownSecret(page)
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(async () => (await client('{ products { totalCount } }')).status).toBe(401)
    const renewed = createClient(admin.platform.graphqlUrl, bearer(next))
    expect((await renewed('{ products { totalCount } }')).errors).toEqual([])

    await page
      .getByRole('listitem')
      .filter({ hasText: 'Warehouse' })
      .first()
      .getByRole('button', { name: 'Revoke' })
      .click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Warehouse is revoked').waitFor()
    await expect.poll(async () => (await renewed('{ products { totalCount } }')).status).toBe(401)
  })

  test('makes a role in words, invites a person with it, and takes it from another', async () => {
    await using visitor = await admin.enter('settings/roles')
    const { page } = visitor
    await page.getByRole('button', { name: 'New role' }).click()
    await dialog(page).getByLabel('Name').fill('Packers')
    const orders = dialog(page).getByRole('group', { name: 'Orders', exact: true })
    await orders.getByText('See', { exact: true }).click()
    await orders.getByText('Change', { exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Packers is saved').waitFor()
    await page.getByText('Orders (see and change)', { exact: true }).waitFor()

    await page.goto(`${admin.address}/settings/users`)
    await page.getByRole('button', { name: 'Invite a user' }).click()
    await dialog(page).getByLabel('E-mail').fill('not an address')
    await dialog(page).getByText('Packers').click()
    await dialog(page).getByLabel('E-mail').fill('pat@packers.example')
    await dialog(page).getByLabel('Name').fill('Pat Packer')
    await accessible(page)
    await dialog(page).getByRole('button', { name: 'Invite' }).click()
    await page.getByText('pat@packers.example is invited').waitFor()
    const users = () =>
      stored<{ users: { nodes: { status: string; roles: { name: string }[] }[] } }>(
        '{ users(filters: { searchQuery: "pat@packers.example" }) { nodes { status roles { name } } } }',
      ).then((found) => found.users.nodes)
    expect((await users())[0]?.roles).toEqual([{ name: 'Packers' }])

    await page.getByRole('button', { name: 'Pat Packer' }).click()
    await dialog(page)
      .getByRole('checkbox', { name: /^Packers/, checked: true })
      .waitFor()
    await accessible(page)
    await dialog(page)
      .getByText(/^Support/)
      .click()
    await expect
      .poll(async () => (await users())[0]?.roles.map(({ name }) => name).sort())
      .toEqual(['Packers', 'Support'])
    await dialog(page).getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('Pat Packer is suspended').waitFor()
    expect((await users())[0]?.status).toBe('SUSPENDED')
  })

  test('tells an endpoint of orders, sends it a test, and shows what the server has against an address', async () => {
    await using visitor = await admin.enter('settings/webhooks')
    const { page } = visitor
    await page.getByRole('button', { name: 'New endpoint' }).click()
    await dialog(page).getByLabel('Address').fill('http://127.0.0.1:9/hook')
    await dialog(page).getByLabel('Topics').fill('order.unknown')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog(page).locator('.fault').first().waitFor()
    await accessible(page)
    await dialog(page).getByLabel('Topics').fill('order.*')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await shownSecret(page)).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test is sent').waitFor()
    await page.getByText('webhook.test').first().waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The endpoint is deleted').waitFor()
  })

  test('changes the tax, the shipping and who may call', async () => {
    await using visitor = await admin.enter('settings/shop')
    const { page } = visitor
    const tax = page.getByRole('textbox', { name: 'Tax', exact: true })
    await tax.fill('8.875%')
    await tax.blur()
    const selling = page.getByRole('region', { name: 'Selling' })
    await selling.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    const shop = async () =>
      (
        await stored<{ merchantAccount: { country: string | null; settings: { taxRate: number } } }>(
          '{ merchantAccount { country settings { taxRate } } }',
        )
      ).merchantAccount
    expect((await shop()).settings.taxRate).toBe(0.08875)
    expect(await tax.inputValue()).toBe('8.875%')

    const theShop = page.getByRole('region', { name: 'Shop', exact: true })
    const country = theShop.getByLabel('Country')
    await country.fill('AT')
    await theShop.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await shop()).country).toBe('AT')
    await country.fill('')
    await theShop.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await shop()).country).toBe(null)

    await page.goto(`${admin.address}/settings/shipping`)
    await page.getByRole('button', { name: 'New zone' }).click()
    await dialog(page).getByLabel('Name').fill('Alps')
    await dialog(page).getByLabel('Countries').fill('AT, XX')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog(page).locator('.fault').first().waitFor()
    await dialog(page).getByLabel('Countries').fill('AT, CH')
    await page.getByRole('button', { name: 'Save' }).click()
    const zone = page.getByRole('region', { name: 'Alps' })
    await zone.getByText('Austria, Switzerland').waitFor()
    await zone.getByRole('button', { name: 'New way to ship' }).click()
    await dialog(page).getByLabel('Name').fill('Parcel')
    const price = dialog(page).getByRole('textbox', { name: 'Price' })
    await price.fill('12.50')
    await price.blur()
    await page.getByRole('button', { name: 'Save' }).click()
    await zone.getByText('$12.50').waitFor()
    await zone.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page).getByText('All its ways to ship go with it').waitFor()
    await accessible(page)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await zone.getByRole('button', { name: 'Delete Parcel' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Parcel is deleted').waitFor()
    await zone.waitFor()
    await zone.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Alps is deleted').waitFor()
    await zone.waitFor({ state: 'detached' })

    await page.goto(`${admin.address}/settings/access`)
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('somewhere')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.locator('.fault').first().waitFor()
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('203.0.113.0/24')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('203.0.113.0/24', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove 203.0.113.0/24' }).click()
    await page.getByText('203.0.113.0/24 is removed').waitFor()
  })

  test('offers ways to pay for certain purchases, in an order, and shows at its field what the server has against it', async () => {
    await using visitor = await admin.enter('settings/payments')
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Ways to pay' })
    const row = (name: string) =>
      card.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
    const field = (label: string) => dialog(page).getByRole('textbox', { name: label })
    const fault = (label: string) => dialog(page).locator('.field', { hasText: label }).locator('.fault')
    const add = () => card.getByRole('button', { name: 'New way to pay' }).click()
    const save = () => dialog(page).getByRole('button', { name: 'Save' }).click()
    const options = () =>
      stored<{ paymentOptions: Record<string, unknown>[] }>(
        '{ paymentOptions { method name instructions enabled currencies countries minAmount maxAmount paymentMinutes } }',
      ).then(({ paymentOptions }) => paymentOptions)
    const methods = async () => (await options()).map(({ method }) => method)
    await card.getByText('Nothing is chosen yet').waitFor()
    await add()
    await dialog(page)
      .getByRole('button', { name: /Way to pay/ })
      .click()
    await page.getByRole('option', { name: 'Invoice' }).click()
    expect(await field('Name').inputValue()).toBe('Invoice')
    await field('Instructions').fill('Pay within 14 days.')
    await field('Currencies').fill('euro')
    await field('Countries').fill('de, at')
    await field('Minutes to wait').fill('20160')
    await save()
    await fault('Currencies').waitFor()
    await accessible(page)
    await field('Currencies').fill('eur')
    await field('Smallest total').fill('300')
    await field('Largest total').fill('200')
    await save()
    await fault('Largest total').waitFor()
    await field('Smallest total').fill('10.50')
    await save()
    await page.getByText('Invoice is added').waitFor()
    await row('Invoice')
      .getByText('EUR · Germany, Austria · from €10.50 · up to €200.00 · waits 20160 minutes')
      .waitFor()
    const invoice = {
      method: 'INVOICE',
      name: 'Invoice',
      instructions: 'Pay within 14 days.',
      enabled: true,
      currencies: ['EUR'],
      countries: ['DE', 'AT'],
      minAmount: 1_050,
      maxAmount: 20_000,
      paymentMinutes: 20_160,
    }
    expect(await options()).toEqual([invoice])

    await add()
    await dialog(page)
      .getByRole('button', { name: /Way to pay/ })
      .click()
    expect(await page.getByRole('option', { name: 'Invoice' }).count()).toBe(0)
    await page.getByRole('option', { name: 'Card' }).click()
    await field('Name').fill('Credit card')
    await save()
    await row('Credit card').getByText('Card · for every purchase').waitFor()
    await row('Credit card').getByRole('button', { name: 'Move Credit card up' }).click()
    await expect.poll(methods).toEqual(['CARD', 'INVOICE'])
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
    await expect.poll(focused).toBe('Move Credit card down')
    await page.keyboard.press('Enter')
    await expect.poll(methods).toEqual(['INVOICE', 'CARD'])
    await accessible(page)

    await row('Invoice').getByRole('button', { name: 'Switch off Invoice' }).click()
    await row('Invoice').getByText('Switched off').waitFor()
    await row('Invoice').getByRole('button', { name: 'Edit Invoice' }).click()
    await field('Smallest total').fill('')
    await save()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await options())[0]).toEqual({ ...invoice, enabled: false, minAmount: null })
    for (const name of ['Credit card', 'Invoice']) {
      await row(name)
        .getByRole('button', { name: `Delete ${name}` })
        .click()
      await dialog(page).getByRole('button', { name: 'Delete' }).click()
      await page.getByText(`${name} is deleted`).waitFor()
    }
    expect(await options()).toEqual([])
  })

  test('changes what is typed of a payment account, leaves the rest, and removes its webhook secret', async () => {
    await using visitor = await admin.enter('settings/payments')
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Payment accounts' })
    const edit = (name: string) => card.getByRole('button', { name: `Edit ${name}` }).click()
    const save = async () => {
      await dialog(page).getByRole('button', { name: 'Save' }).click()
      await dialog(page).waitFor({ state: 'detached' })
    }
    const account = async () => {
      const { paymentAccounts } = await stored<{ paymentAccounts: Record<string, unknown>[] }>(
        '{ paymentAccounts { name keyEnding hasWebhookSecret } }',
      )
      return paymentAccounts[0]
    }
    await card.getByRole('button', { name: 'Connect' }).click()
    await dialog(page).getByLabel('Secret key').fill('sk_test_sandbox_admin_first')
    await dialog(page).getByRole('button', { name: 'Connect' }).click()
    await page.getByText('The account is connected').waitFor()

    await edit('Stripe')
    await dialog(page).getByText('Fields that are left empty stay as they are.').waitFor()
    await dialog(page).getByLabel('New secret key').fill('not a key of Stripe')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).locator('.fault').first().waitFor()
    await accessible(page)
    await dialog(page).getByLabel('New secret key').fill('sk_test_sandbox_admin_next')
    await dialog(page).getByLabel('Webhook secret').fill('whsec_of_the_browser')
    await save()
    const changed = { name: 'Stripe', keyEnding: 'next', hasWebhookSecret: true }
    expect(await account()).toEqual(changed)

    await edit('Stripe')
    await dialog(page).getByLabel('Name').fill('Cards of the shop')
    await save()
    expect(await account()).toEqual({ ...changed, name: 'Cards of the shop' })

    await edit('Cards of the shop')
    await dialog(page).getByText('Remove the webhook secret').click()
    await save()
    expect(await account()).toEqual({ ...changed, name: 'Cards of the shop', hasWebhookSecret: false })
  })

  test('connects a PayPal account by its client ID and a secret that PayPal takes', async () => {
    await using visitor = await admin.enter('settings/payments')
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Payment accounts' })
    await card.getByRole('button', { name: 'Connect' }).click()
    await dialog(page)
      .getByRole('button', { name: /Processor/ })
      .click()
    await page.getByRole('option', { name: 'PayPal' }).click()
    await dialog(page).getByLabel('Client ID').fill('sandbox_admin_paypal')
    await dialog(page).getByLabel('Secret key').fill('a secret that PayPal refuses')
    await dialog(page).getByRole('button', { name: 'Connect' }).click()
    await dialog(page).locator('.fault').first().waitFor()
    await accessible(page)
    await dialog(page).getByLabel('Secret key').fill('sandbox_admin_paypal_secret')
    await dialog(page).getByRole('button', { name: 'Connect' }).click()
    await page.getByText('The account is connected').waitFor()
    const { paymentAccounts } = await stored<{ paymentAccounts: { processor: string; name: string }[] }>(
      '{ paymentAccounts { processor name } }',
    )
    expect(paymentAccounts).toContainEqual({ processor: 'PAYPAL', name: 'PayPal' })
  })

  test('changes one’s own password, and says what is wrong with it', async () => {
    await using visitor = await admin.enter('settings/account')
    const { page } = visitor
    const { userPassword } = admin.platform
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill(`${userPassword}!`)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.locator('.fault').first().waitFor()
    await page.getByLabel('Current password').fill(userPassword)
    await page.getByLabel('New password').fill(userPassword)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The password is changed').waitFor()
  })

  test('lists where one is signed in, marks the present session, and ends one or all others', async () => {
    await using phone = await admin.enter('', looks.phone)
    await using tablet = await admin.enter('', looks.light)
    await using visitor = await admin.enter('settings/account')
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Where you are signed in' })
    const rows = card.getByRole('listitem')
    await card.getByText('This one').waitFor()
    const before = await rows.count()
    expect(before).toBeGreaterThanOrEqual(3)
    expect(await card.getByText('This one').count()).toBe(1)
    expect(await rows.first().innerText()).toMatch(/^Chrome on Linux\nThis one/)
    expect(await rows.first().innerText()).toMatch(/last used .+ signed in /)
    await accessible(page)

    await rows.nth(1).getByRole('button', { name: 'End Chrome on Linux' }).click()
    await page.getByText('Chrome on Linux is signed out').waitFor()
    await expect.poll(() => rows.count()).toBe(before - 1)
    await tablet.page.reload()
    await tablet.page.getByRole('heading', { name: 'Sign in' }).waitFor()

    await card.getByRole('button', { name: 'End all others' }).click()
    await page.getByText('You are signed out everywhere else').waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await card.getByRole('button').count()).toBe(0)
    await phone.page.reload()
    await phone.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.reload()
    await card.getByText('This one').waitFor()
  })

  test('shows how much of the plan’s requests is used, as the gateway counts it', async () => {
    await using visitor = await admin.enter('settings/plan')
    const { page } = visitor
    let counted = Number.NaN
    page.on('response', (response) => {
      const [, rest] = /"minute";r=(\d+)/.exec(response.headers()['ratelimit'] ?? '') ?? []
      const [, quota] = /"minute";q=(\d+)/.exec(response.headers()['ratelimit-policy'] ?? '') ?? []
      if (rest !== undefined) counted = Number(quota) - Number(rest)
    })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('link', { name: 'Plan', exact: true }).click()
    const minute = page.getByRole('meter', { name: 'In this minute' })
    const isShown = async () => counted > 0 && Number(await minute.getAttribute('aria-valuenow')) === counted
    await expect.poll(isShown).toBe(true)
    expect(await minute.getAttribute('aria-valuetext')).toMatch(/^[\d,]+ of [\d,]+$/)
  })

  test.each([
    {
      permissions: ['merchant:read'],
      tabs: ['Shop', 'Shipping', 'Payments', 'E-mail sender', 'Plan', 'My account'],
    },
    { permissions: ['users:read', 'roles:read'], tabs: ['Users', 'Roles', 'My account'] },
    {
      permissions: ['webhooks:read', 'audit:read', 'api_keys:read'],
      tabs: ['Webhooks', 'Audit log', 'My account'],
    },
    { permissions: ['orders:read'], tabs: ['My account'] },
  ])('shows a person with $permissions exactly the tabs $tabs', async ({ permissions, tabs }) => {
    const person = await inviteUser(admin.owner, catcher, permissions)
    await using visitor = await admin.enter('settings', looks.light, person)
    const { page } = visitor
    const bar = page.getByRole('navigation', { name: 'Settings' })
    const current = bar.locator('[aria-current=page]')
    await expect.poll(() => current.allInnerTexts()).toEqual(tabs.slice(0, 1))
    expect(await bar.getByRole('link').allInnerTexts()).toEqual(tabs)
    for (const tab of tabs) {
      await bar.getByRole('link', { name: tab, exact: true }).click()
      await expect.poll(() => current.allInnerTexts()).toEqual([tab])
      await page.waitForLoadState('networkidle')
      expect(await page.getByText('Your roles don’t include this').count()).toBe(0)
      await accessible(page)
    }
    await page.getByRole('region', { name: 'Where you are signed in' }).getByText('This one').waitFor()
    const knows = permissions.includes('users:read')
    const unknown = page.getByText('Your roles don’t show whether an authenticator is set up.')
    expect(await unknown.count()).toBe(knows ? 0 : 1)
    const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' })
    expect(await menu.count()).toBe(tabs.length > 1 ? 1 : 0)
  })

  test.each(Object.entries(looks))('breaks no rule of accessibility: %s', async (_, look) => {
    await using visitor = await admin.enter('settings/shop', look)
    await accessiblePlaces(admin, visitor.page, places)
  })
})
