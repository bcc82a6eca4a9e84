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

describe.skipIf(skipsAdmin)(`segments of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))
  const dialog = (page: Page) => page.getByRole('dialog')

  async function add(page: Page, condition: string): Promise<void> {
    await dialog(page)
      .getByRole('button', { name: /Add a condition/ })
      .click()
    await page.getByRole('option', { name: condition }).click()
  }

  test('builds a segment of conditions, counts its customers, and says at the field what is wrong', async () => {
    await using visitor = await admin.enter('customers/segments')
    const { page } = visitor
    await page.getByRole('button', { name: 'New segment' }).click()
    await dialog(page).getByLabel('Name').fill('Regulars abroad')
    await add(page, 'Orders, at least')
    const counted = dialog(page).getByRole('status')
    const orders = dialog(page).getByRole('textbox', { name: 'Orders, at least' })
    // A number counts when one leaves its field.
    await orders.fill('1000000')
    await orders.blur()
    await counted.filter({ hasText: /^0 customers meet/ }).waitFor()
    await orders.fill('1')
    await orders.blur()
    await counted.filter({ hasText: /^[1-9]\d* customers meet/ }).waitFor()
    const regulars = await counted.textContent()
    await picture(page, 'admin-segment')
    await add(page, 'In one of the countries')
    await counted.filter({ hasText: 'when every condition is complete' }).waitFor()
    await dialog(page).getByRole('textbox', { name: 'In one of the countries' }).fill('Nowhere at all')
    await accessible(page)
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
    expect(segment?.memberCount).toBe(Number.parseInt(regulars ?? '', 10))
    const row = page.getByRole('listitem').filter({ hasText: 'Regulars abroad' })
    await row.getByText(new RegExp(`^${segment?.memberCount} customers?$`)).waitFor()
    await row.getByRole('button', { name: 'Delete Regulars abroad' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Regulars abroad is deleted').waitFor()
  })

  test('takes times on the shop’s clocks and loyalty tiers as conditions, and shows them in words', async () => {
    await using visitor = await admin.enter('customers/segments')
    const { page } = visitor
    await page.getByRole('button', { name: 'New segment' }).click()
    await dialog(page).getByLabel('Name').fill('Regulars of the summit')
    await add(page, 'Customer since, from')
    await dialog(page).getByLabel('Customer since, from', { exact: true }).fill('2020-01-02T03:04')
    await add(page, 'In one of the loyalty tiers')
    await dialog(page).getByRole('checkbox', { name: 'Summit' }).waitFor({ state: 'attached' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).locator('.fault').waitFor()
    await accessible(page)
    await dialog(page).getByText('Summit', { exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Regulars of the summit' })
    await row
      .getByText(/Customer since, from: Jan 2, 2020, 3:04 AM · In one of the loyalty tiers: Summit/)
      .waitFor()
    const { customerSegments, merchantAccount, loyaltyProgram } = await stored<{
      customerSegments: { nodes: { filter: { createdAfter: string; loyaltyTierIds: string[] } }[] }
      merchantAccount: { settings: { timezone: string } }
      loyaltyProgram: { tiers: { id: string; name: string }[] }
    }>(`{
      customerSegments(searchQuery: "summit") { nodes { filter { createdAfter loyaltyTierIds } } }
      merchantAccount { settings { timezone } }
      loyaltyProgram { tiers { id name } }
    }`)
    const filter = customerSegments.nodes[0]?.filter
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: merchantAccount.settings.timezone,
      dateStyle: 'short',
      timeStyle: 'short',
    })
    expect(clock.format(new Date(filter?.createdAfter ?? ''))).toBe('02/01/2020, 03:04')
    const summit = loyaltyProgram.tiers.find(({ name }) => name === 'Summit')
    expect(filter?.loyaltyTierIds).toEqual([summit?.id])

    await row.getByRole('button', { name: 'Change Regulars of the summit' }).click()
    expect(await dialog(page).getByLabel('Customer since, from', { exact: true }).inputValue()).toBe(
      '2020-01-02T03:04',
    )
    await dialog(page).getByRole('checkbox', { name: 'Summit', checked: true }).waitFor({ state: 'attached' })
  })

  test('lists all customers who are in a segment, page by page, and says when nobody is', async () => {
    const people = Array.from({ length: 60 }, (_, index) => index)
    for (const tens of [0, 20, 40])
      succeeded(
        await admin.owner(
          `mutation { ${people
            .slice(tens, tens + 20)
            .map(
              (index) =>
                `c${index}: createCustomer(input: { email: "crowd${index}@segments.example", name: "Crowd ${index}", tags: ["crowd"] }) { errors { message } }`,
            )
            .join(' ')} }`,
        ),
      )
    const segments = await stored<Record<string, { segment: { id: string } }>>(`mutation {
      crowd: createCustomerSegment(input: { name: "The crowd", filter: { tags: ["crowd"] } }) { segment { id } }
      empty: createCustomerSegment(input: { name: "No crowd", filter: { tags: ["solitude"] } }) { segment { id } }
    }`)
    await using visitor = await admin.enter('customers/segments')
    const { page } = visitor
    await page.getByRole('link', { name: 'The crowd' }).click()
    await page.getByRole('heading', { name: 'The crowd', level: 1 }).waitFor()
    await page.getByText('60 customers', { exact: true }).waitFor()
    await page.getByText('Has all labels: crowd').waitFor()
    const table = page.getByRole('table', { name: 'Customers of the segment' })
    await table.getByRole('link', { name: 'Crowd 59' }).waitFor()
    await accessible(page)
    const oldest = table.getByRole('link', { name: 'Crowd 0', exact: true })
    await expect
      .poll(async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
        return oldest.count()
      })
      .toBe(1)
    await oldest.click()
    await page.getByRole('heading', { name: 'Crowd 0', level: 1 }).waitFor()
    await page.goto(`${admin.address}/customers/segments/${segments['empty']?.segment.id}`)
    await page.getByRole('heading', { name: 'Nobody is in it now' }).waitFor()
    await accessible(page)
    await page.goto(`${admin.address}/customers/segments/${admin.platform.merchantId}`)
    await page.getByRole('heading', { name: 'There is no such segment' }).waitFor()
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (look, options) => {
    const { created } = await stored<{ created: { segment: { id: string } } }>(
      `mutation { created: createCustomerSegment(input: { name: "Everybody, ${look}" }) { segment { id } } }`,
    )
    await using visitor = await admin.enter('customers/segments', options)
    const { page } = visitor
    await accessiblePlaces(admin, page, ['customers/segments', `customers/segments/${created.segment.id}`])
    await page.getByText('Every customer', { exact: true }).waitFor()
  })
})
