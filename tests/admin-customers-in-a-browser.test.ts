import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { readFile } from 'node:fs/promises'
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
import { inviteUser } from './support/invited-user.ts'
import { payload, succeeded } from './support/shop.ts'

const places = ['customers', 'customers/segments', 'settings/payments', 'settings/sender']

describe.skipIf(skipsAdmin)(`customers of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
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

  interface Stored {
    readonly id: string
    readonly name: string
    readonly notes: string | null
    readonly tags: string[]
    readonly loyaltyPoints: number
    readonly status: string
    readonly interactions: { readonly nodes: { readonly type: string; readonly subject: string }[] }
  }
  const parts = 'id name notes tags loyaltyPoints status interactions { nodes { type subject } }'
  const anyone = async (): Promise<Stored> => {
    const { customers } = await stored<{ customers: { nodes: Stored[] } }>(
      `{ customers(first: 1, sortOrder: ASC, filters: { hasAccount: true }) { nodes { ${parts} } } }`,
    )
    const [customer] = customers.nodes
    if (customer === undefined) throw new Error('The demo shop has no customer')
    return customer
  }

  test('keeps labels and notes, notes a call down, and gives points with the sum shown before', async () => {
    const before = await anyone()
    await using visitor = await admin.enter(`customers/${before.id}`)
    const { page } = visitor
    await page.getByLabel('Labels').fill('wholesale,likes blue')
    await page.getByLabel('Notes', { exact: true }).fill('Call before noon')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect.poll(() => page.getByLabel('Labels').inputValue()).toBe('wholesale, likes blue')
    expect(await page.getByText('Somebody else has changed this').count()).toBe(0)

    const talks = page.getByRole('region', { name: 'Talks and notes' })
    await talks.getByRole('button', { name: 'Add' }).click()
    await dialog(page)
      .getByRole('button', { name: /What it was/ })
      .click()
    await page.getByRole('option', { name: 'Call' }).click()
    await dialog(page).getByLabel('Subject').fill('Asked for a discount')
    await accessible(page)
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await talks.getByText('Asked for a discount').waitFor()

    await page.getByRole('button', { name: 'Give or take points' }).click()
    await dialog(page).getByRole('textbox', { name: 'Loyalty points' }).fill('25')
    await dialog(page).getByLabel('Reason').fill('Sorry for the delay')
    await accessible(page)
    const sum = (await dialog(page).getByRole('status').innerText()).split('\n').at(-1)
    expect(sum).toBe((before.loyaltyPoints + 25).toLocaleString('en-US'))
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })

    const after = await anyone()
    expect(after.tags).toEqual(['wholesale', 'likes blue'])
    expect(after.notes).toBe('Call before noon')
    expect(after.loyaltyPoints).toBe(before.loyaltyPoints + 25)
    expect(after.interactions.nodes[0]).toEqual({ type: 'CALL', subject: 'Asked for a discount' })
  })

  test('says how many talks there are beyond those that it shows, and shows them, too', async () => {
    const { id } = await anyone()
    for (let talk = 1; talk <= 51; talk += 1)
      succeeded(
        await admin.owner(
          'mutation ($input: InteractionInput!) { createInteraction(input: $input) { errors { message } } }',
          { input: { customerId: id, type: 'NOTE', subject: `Talk ${talk}` } },
        ),
      )
    await using visitor = await admin.enter(`customers/${id}`)
    const { page } = visitor
    const talks = page.getByRole('region', { name: 'Talks and notes' })
    await talks.getByText('Talk 51', { exact: true }).waitFor()
    expect(await talks.getByText('Talk 1', { exact: true }).count()).toBe(0)
    await accessible(page)
    await talks.getByRole('button', { name: /^50 of \d+: show more$/ }).click()
    await talks.getByText('Talk 1', { exact: true }).waitFor()
  })

  test('blocks a customer with a reason, and takes it back', async () => {
    const { id } = await anyone()
    const status = async () =>
      (await stored<{ customer: { status: string } }>(`{ customer(id: "${id}") { status } }`)).customer.status
    await using visitor = await admin.enter(`customers/${id}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await dialog(page).getByLabel('Reason').fill('Orders under false names')
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByText('Blocked: Orders under false names').waitFor()
    expect(await status()).toBe('BLOCKED')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Unblock', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Unblock', exact: true }).click()
    await page.getByText('Blocked: Orders under false names').waitFor({ state: 'detached' })
    expect(await status()).toBe('ACTIVE')
  })

  interface Person {
    readonly id: string
    readonly name: string
    readonly email: string
    readonly anonymizedAt: string | null
    readonly addresses: readonly {
      readonly line1: string
      readonly company: string | null
      readonly city: string
      readonly country: string
      readonly isDefault: boolean
    }[]
  }
  const person = async (id: string): Promise<Person> =>
    (
      await stored<{ customer: Person }>(
        `{ customer(id: "${id}") { id name email anonymizedAt addresses { line1 company city country isDefault } } }`,
      )
    ).customer
  /** A new customer, without orders. */
  const newcomer = async (email: string): Promise<string> => {
    const { customer } = payload(
      await admin.owner<Record<string, { customer: { id: string }; errors: [] }>>(
        `mutation { createCustomer(input: { email: "${email}", name: "Nora Newcomer" }) { customer { id } errors { message } } }`,
      ),
    )
    return customer.id
  }

  test('adds, changes and removes addresses, says at the field what is wrong, and chooses the default', async () => {
    const id = await newcomer('nora@addresses.example')
    await using visitor = await admin.enter(`customers/${id}`)
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Addresses' })
    const add = async (line1: string, country: string) => {
      await card.getByRole('button', { name: 'Add an address' }).click()
      await dialog(page).getByLabel('Street and number').fill(line1)
      await dialog(page).getByLabel('Postal code').fill('1010')
      await dialog(page).getByLabel('City').fill('Vienna')
      await dialog(page).getByLabel('State').fill('W')
      await dialog(page).getByLabel('Company').fill('Newcomer Ltd')
      await dialog(page).getByLabel('Country').fill(country)
      await dialog(page).getByRole('button', { name: 'Save' }).click()
    }
    await card.getByText('No addresses yet.').waitFor()
    await add('Ring 1', 'xx')
    await dialog(page).locator('.fault').waitFor()
    await accessible(page)
    await dialog(page).getByLabel('Country').fill('at')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await card.getByText('Ring 1').waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    await add('Ring 2', 'AT')
    await card.getByText('Ring 2').waitFor()
    await dialog(page).waitFor({ state: 'detached' })

    await card.getByRole('button', { name: 'Change Ring 2, Vienna' }).click()
    await dialog(page).getByLabel('Street and number').fill('Ring 3')
    await dialog(page).getByLabel('Company').fill('')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await card.getByText('Ring 3').waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    await accessible(page)
    await card.getByRole('button', { name: 'Make it the default: Ring 3, Vienna' }).click()
    await page.getByText('Ring 3, Vienna is the default address').waitFor()
    const ring = { city: 'Vienna', country: 'AT' }
    expect((await person(id)).addresses).toEqual([
      { ...ring, line1: 'Ring 1', company: 'Newcomer Ltd', isDefault: false },
      { ...ring, line1: 'Ring 3', company: null, isDefault: true },
    ])
    await card.getByRole('button', { name: 'Remove Ring 3, Vienna' }).click()
    await accessible(page)
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Ring 3, Vienna is removed').waitFor()
    expect((await person(id)).addresses).toEqual([
      { ...ring, line1: 'Ring 1', company: 'Newcomer Ltd', isDefault: true },
    ])
  })

  test('exports a customer’s data into a file, and erases the customer when the e-mail address is typed', async () => {
    const email = 'nora@erased.example'
    const id = await newcomer(email)
    await using visitor = await admin.enter(`customers/${id}`)
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Personal data' })
    await card.getByRole('button', { name: 'Export the data' }).click()
    await accessible(page)
    await dialog(page).getByRole('button', { name: 'Export the data' }).click()
    const file = dialog(page).getByRole('link', { name: /^Download \(/ })
    await file.waitFor()
    await accessible(page)
    const downloaded = page.waitForEvent('download')
    await file.click()
    const text = await readFile(await (await downloaded).path(), 'utf8')
    const [record] = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line))
    expect(record).toMatchObject({ record: 'customer', customerId: id, data: { email } })
    await dialog(page).getByRole('button', { name: 'Done' }).click()

    await card.getByRole('button', { name: 'Erase the customer' }).click()
    const erase = dialog(page).getByRole('button', { name: 'Erase for good' })
    await dialog(page).getByText('Orders and payments are kept').waitFor()
    expect(await erase.isDisabled()).toBe(true)
    await dialog(page).getByLabel(`Type ${email} to confirm`).fill('nora@erased')
    expect(await erase.isDisabled()).toBe(true)
    await dialog(page).getByLabel(`Type ${email} to confirm`).fill(email)
    await accessible(page)
    await erase.click()
    await page.getByText('Nora Newcomer is erased').waitFor()
    await page.getByText(/^This customer was erased on/).waitFor()
    await accessible(page)
    expect(await card.count()).toBe(0)
    const erased = await person(id)
    expect(erased.anonymizedAt).not.toBeNull()
    expect(erased.email).not.toBe(email)
  })

  test('says why a customer with an order under way is not erased', async () => {
    const { order } = await stored<{ order: { customer: { id: string; email: string } } }>(
      '{ order(orderNumber: "ORD-00001008") { customer { id email } } }',
    )
    const { id, email } = order.customer
    await using visitor = await admin.enter(`customers/${id}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Erase the customer' }).click()
    await dialog(page).getByLabel(`Type ${email} to confirm`).fill(email)
    await dialog(page).getByRole('button', { name: 'Erase for good' }).click()
    await dialog(page).getByRole('alert').getByText('The customer has orders under way').waitFor()
    await accessible(page)
    expect((await person(id)).email).toBe(email)
  })

  test('offers no change, export or erasure to a person who may only see customers', async () => {
    const reader = await inviteUser(admin.owner, catcher, ['customers:read', 'orders:read'])
    const id = await newcomer('nora@reader.example')
    await using visitor = await admin.enter(`customers/${id}`, looks.light, reader)
    const { page } = visitor
    await page.getByRole('region', { name: 'Addresses' }).waitFor()
    expect(await page.getByRole('region', { name: 'Personal data' }).count()).toBe(0)
    for (const name of ['Add an address', /^Change /, 'Block', 'Save'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
  })

  test('sets the sender of the mails, shows the records that its domain needs, and refuses a key that is none', async () => {
    await using visitor = await admin.enter('settings/sender')
    const { page } = visitor
    await page.getByLabel('Address').fill('hello@alderandpine.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Records of the domain' }).waitFor()
    await page.getByText('Not confirmed yet').waitFor()
    await accessible(page)
    const { merchantAccount } = await stored<{
      merchantAccount: { emailSender: { address: string } | null }
    }>('{ merchantAccount { emailSender { address } } }')
    expect(merchantAccount.emailSender?.address).toBe('hello@alderandpine.example')

    await page.goto(`${admin.address}/settings/payments`)
    await page.getByRole('button', { name: 'Connect' }).click()
    await dialog(page).getByLabel('Secret key').fill('no key of a processor')
    await accessible(page)
    await dialog(page).getByRole('button', { name: 'Connect' }).click()
    await dialog(page).locator('.fault, .notice.bad').waitFor()
    const { paymentAccounts } = await stored<{ paymentAccounts: unknown[] }>('{ paymentAccounts { id } }')
    expect(paymentAccounts).toEqual([])
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (_look, options) => {
    const { id } = await anyone()
    await using visitor = await admin.enter('customers', options)
    await accessiblePlaces(admin, visitor.page, [...places, `customers/${id}`])
  })
})
