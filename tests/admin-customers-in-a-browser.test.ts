import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessible,
  accessiblePlaces,
  type AdminBrowser,
  looks,
  openAdminBrowser,
  picture,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'
import { succeeded } from './support/shop.ts'

const places = ['customers', 'customers/segments', 'settings/payments', 'settings/sender']

describe.skipIf(skipsAdmin)(`customers of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

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
      `{ customers(first: 1, filters: { hasAccount: true }) { nodes { ${parts} } } }`,
    )
    const [customer] = customers.nodes
    if (customer === undefined) throw new Error('The demo shop has no customer')
    return customer
  }

  test('keeps labels and notes, notes a call down, and gives points with the sum shown before', async () => {
    const before = await anyone()
    await using visitor = await admin.enter(`customers/${before.id}`)
    const { page } = visitor
    await page.getByLabel('Labels').fill('wholesale, likes blue')
    await page.getByLabel('Notes', { exact: true }).fill('Call before noon')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
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

  test('builds a segment of conditions, counts its customers, and says at the field what is wrong', async () => {
    await using visitor = await admin.enter('customers/segments')
    const { page } = visitor
    await page.getByRole('button', { name: 'New segment' }).click()
    await dialog(page).getByLabel('Name').fill('Regulars abroad')
    const add = async (condition: string) => {
      await dialog(page)
        .getByRole('button', { name: /Add a condition/ })
        .click()
      await page.getByRole('option', { name: condition }).click()
    }
    await add('Orders, at least')
    await dialog(page).getByRole('textbox', { name: 'Orders, at least' }).fill('1')
    await add('In one of the countries')
    await dialog(page).getByRole('textbox', { name: 'In one of the countries' }).fill('Nowhere at all')
    await accessible(page)
    await picture(page, 'admin-segment')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).locator('.fault').waitFor()
    await dialog(page).getByRole('button', { name: 'Drop: In one of the countries' }).click()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Regulars abroad' }).waitFor()
    const { customerSegments } = await stored<{
      customerSegments: { nodes: { name: string; memberCount: number; filter: unknown }[] }
    }>('{ customerSegments { nodes { name memberCount filter { orderCountMin countries } } } }')
    const segment = customerSegments.nodes.find(({ name }) => name === 'Regulars abroad')
    expect(segment?.filter).toEqual({ orderCountMin: 1, countries: null })
    expect(segment?.memberCount).toBeGreaterThan(0)
    const row = page.getByRole('listitem').filter({ hasText: 'Regulars abroad' })
    await row.getByText(new RegExp(`^${segment?.memberCount} customers?$`)).waitFor()
    await row.getByRole('button', { name: 'Delete Regulars abroad' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Regulars abroad is deleted').waitFor()
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
