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

describe.skipIf(skipsAdmin)(`promotions of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  const ask = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))

  interface Stored {
    readonly promotion: {
      readonly id: string
      readonly discountValue: number
      readonly startDate: string
      readonly conditions: { readonly minPurchaseAmount: number | null } | null
    } | null
  }
  const stored = async (code: string) =>
    (
      await ask<Stored>(
        `{ promotion(code: "${code}") { id discountValue startDate conditions { minPurchaseAmount } } }`,
      )
    ).promotion

  test('creates a coupon in money and shop time, whose taken code is told at the field first', async () => {
    await using visitor = await admin.enter('promotions/new')
    const { page } = visitor
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Five dollars in spring')
    await page.getByLabel('Coupon code').fill('trail10')
    await page.getByRole('button', { name: /Kind$/ }).click()
    await page.getByRole('option', { name: 'An amount' }).click()
    await page.getByRole('textbox', { name: 'Amount' }).fill('5')
    await page.getByLabel('Begins').fill('2027-03-01T09:30')
    await page.getByLabel('Ends').fill('2027-04-01T00:00')
    const smallest = page.getByRole('textbox', { name: 'Smallest purchase' })
    await smallest.fill('30')
    await smallest.blur()
    const save = page.getByRole('button', { name: 'Save' })
    await save.click()
    await page.locator('.fault').waitFor()
    await accessible(page)
    await page.getByLabel('Coupon code').fill('SPRING5')
    await save.click()
    await page.getByRole('heading', { name: 'Five dollars in spring', level: 1 }).waitFor()
    const { timezone } = (
      await ask<{ merchantAccount: { settings: { timezone: string } } }>(
        '{ merchantAccount { settings { timezone } } }',
      )
    ).merchantAccount.settings
    const promotion = await stored('SPRING5')
    expect(promotion).toMatchObject({ discountValue: 500, conditions: { minPurchaseAmount: 3_000 } })
    const begins = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      dateStyle: 'short',
      timeStyle: 'short',
    })
    expect(begins.format(new Date(promotion?.startDate ?? ''))).toBe('01/03/2027, 09:30')

    await smallest.fill('')
    await smallest.blur()
    await save.click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await stored('SPRING5')).toMatchObject({
      discountValue: 500,
      conditions: null,
      startDate: promotion?.startDate,
    })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Five dollars in spring is deleted').waitFor()
    expect(await stored('SPRING5')).toBeNull()
  })

  test('is for customers who are found by name, and for those who are in a segment', async () => {
    await ask(`mutation {
      one: createCustomer(input: { email: "ada@scope.example", name: "Ada Scope" }) { errors { message } }
      two: createCustomer(input: { email: "bo@scope.example", name: "Bo Scope", tags: ["scoped"] }) { errors { message } }
      three: createCustomer(input: { email: "cy@scope.example", name: "Cy Scope", tags: ["scoped"] }) { errors { message } }
      createCustomerSegment(input: { name: "Scoped people", filter: { tags: ["scoped"] } }) { errors { message } }
      createPromotion(input: {
        name: "For a few", code: "FEW5", discountType: PERCENTAGE, discountValue: 5,
        startDate: "2027-01-01T00:00:00Z", endDate: "2027-02-01T00:00:00Z"
      }) { errors { message } }
    }`)
    const names = async () => {
      const { promotion } = await ask<{
        promotion: { id: string; conditions: { customerIds: string[] | null } | null }
      }>('{ promotion(code: "FEW5") { id conditions { customerIds } } }')
      const found: string[] = []
      for (const id of promotion.conditions?.customerIds ?? [])
        found.push(
          (await ask<{ customer: { name: string } }>(`{ customer(id: "${id}") { name } }`)).customer.name,
        )
      return { id: promotion.id, names: found.sort() }
    }
    const { id } = await names()
    await using visitor = await admin.enter(`promotions/edit/${id}`)
    const { page } = visitor
    const scope = page.getByRole('group', { name: 'Only these customers' })
    await scope.getByText('All customers').waitFor()
    await scope.getByRole('searchbox', { name: 'Add a customer' }).fill('ada@scope')
    await scope.getByRole('button', { name: 'Ada Scope · ada@scope.example' }).click()
    await scope.getByRole('button', { name: 'Remove Ada Scope' }).waitFor()
    await scope.getByRole('searchbox', { name: 'Add a segment' }).fill('scoped')
    const segment = scope.getByRole('button', { name: 'Scoped people · 2 customers' })
    await segment.waitFor()
    await accessible(page)
    await segment.click()
    await scope.getByText('Only for 3 chosen customers.').waitFor()
    await scope.getByRole('button', { name: 'Remove Bo Scope' }).click()
    await accessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await names()).names).toEqual(['Ada Scope', 'Cy Scope'])
    expect(await page.getByText('Somebody else has changed').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await scope.getByRole('button', { name: 'Remove all' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await names()).names).toEqual([])
  })

  test('prices a cart as the shop would, says that a coupon isn’t used, and leaves no draft', async () => {
    await using visitor = await admin.enter('promotions/simulator')
    const { page } = visitor
    const drafts = async () =>
      (await ask<{ draftOrders: { totalCount: number } }>('{ draftOrders { totalCount } }')).draftOrders
        .totalCount
    const before = await drafts()
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    await ask(`mutation { createPromotion(input: {
      name: "Ten for the pack", code: "PACK10", discountType: PERCENTAGE, discountValue: 10, startDate: "${at(-1)}", endDate: "${at(9)}"
    }) { errors { message } } }`)
    await page.getByRole('searchbox', { name: 'Add a product' }).fill('Polaris')
    await page.getByRole('button', { name: /Polaris Headlamp/ }).click()
    await page.getByRole('button', { name: 'Increase Units of Polaris Headlamp' }).click()
    await page.getByLabel('Coupon code').fill('SNOWSHIP')
    const result = page.getByRole('region', { name: 'The cart pays' })
    await page.getByRole('button', { name: 'Calculate' }).click()
    await result.getByText('The coupon SNOWSHIP isn’t used').waitFor()
    await result.getByText('$128.00').waitFor()
    await page.getByLabel('Coupon code').fill('PACK10')
    await result.getByText('calculate again').waitFor()
    await page.getByRole('button', { name: 'Calculate' }).click()
    await result.getByText('Ten for the pack takes off $12.80.').waitFor()
    expect(await result.getByText('isn’t used').count()).toBe(0)
    await accessible(page)
    await page.getByRole('button', { name: 'Increase Units of Polaris Headlamp' }).click()
    await result.getByText('calculate again').waitFor()
    await expect.poll(drafts).toBe(before)
  })

  test('shows what runs in a month, and what begins in the next', async () => {
    await using visitor = await admin.enter('promotions/calendar')
    const { page } = visitor
    await page.getByRole('link', { name: 'Welcome to the trail' }).waitFor()
    expect(await page.getByRole('link', { name: 'Winter' }).count()).toBe(0)
    const next = page.getByRole('button', { name: 'The month after' })
    for (let month = 0; month < 2; month += 1) await next.click()
    await page.getByRole('link', { name: 'Snow season' }).waitFor()
    expect(page.url()).toMatch(/month=\d{4}-\d{2}$/)
    for (let month = 0; month < 16; month += 1) await next.click()
    await page.getByRole('heading', { name: 'Nothing runs in this month' }).waitFor()
    await accessible(page)
    await page.getByRole('button', { name: 'Today' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Welcome to the trail' }).waitFor()
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (look, options) => {
    await using visitor = await admin.enter('promotions', options)
    const { page } = visitor
    await page.getByRole('link', { name: 'Snow season' }).waitFor()
    await accessible(page)
    await page.getByRole('link', { name: 'Snow season' }).click()
    await page.getByRole('heading', { name: 'Snow season', level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await accessible(page)
    await accessiblePlaces(admin, page, ['promotions/simulator', 'promotions/new', 'promotions/calendar'])
    await picture(page, `admin-promotions-calendar-${look}`)
  })
})
