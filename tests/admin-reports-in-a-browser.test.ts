import { readFile } from 'node:fs/promises'
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

interface Row {
  readonly metric: string
  readonly currency: string | null
  readonly value: number
}

describe.skipIf(skipsAdmin)(`reports of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)

  test('shows what the API says, cut up and grouped as asked, and saves it as a file', async () => {
    const [start, end] = [day(360), day(0)]
    const { report } = succeeded(
      await admin.owner<{ report: readonly Row[] }>(
        `{ report(metrics: [ORDERS, GROSS_SALES], startDate: "${start}", endDate: "${end}") { metric currency value } }`,
      ),
    )
    const orders = report.find(({ metric }) => metric === 'ORDERS')?.value ?? 0
    const sales =
      report.find(({ metric, currency }) => metric === 'GROSS_SALES' && currency === 'USD')?.value ?? 0
    expect(orders).toBeGreaterThan(0)
    await using visitor = await admin.enter(
      `reports?start=${start}&end=${end}&interval=-&metrics=ORDERS+GROSS_SALES`,
    )
    const { page } = visitor
    const table = page.getByRole('table', { name: 'Report' })
    await table.getByRole('cell', { name: String(orders), exact: true }).waitFor()
    const shown = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(sales / 100)
    await table.getByText(shown, { exact: true }).waitFor()
    const save = async (): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      return readFile(await download.path(), 'utf8')
    }
    const file = await save()
    expect(file).toContain('Orders paid,')
    expect(file).toContain(String(sales / 100))

    await page.getByRole('button', { name: /Grouped/ }).click()
    await page.getByRole('option', { name: 'By product' }).click()
    await table.getByRole('rowheader').first().waitFor()
    expect(await page.getByText('Shipping', { exact: true }).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('groupBy')).toBe('PRODUCT')
    await accessible(page)
  })

  test('keeps a report on a dashboard, adds another one, and removes them again', async () => {
    await using visitor = await admin.enter('reports?compare=true')
    const { page } = visitor
    const keep = async (title: string, name: string | null) => {
      await page.getByRole('button', { name: 'Keep it' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Title').fill(title)
      if (name === null) {
        await dialog.getByRole('button', { name: /Dashboard/ }).click()
        await page.getByRole('option', { name: 'Mornings' }).click()
      } else await dialog.getByLabel('Name of the dashboard').fill(name)
      await accessible(page)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('region', { name: title }).first().waitFor()
    }
    await keep('Sales by day', 'Mornings')
    await page.getByRole('heading', { name: 'Mornings', level: 1 }).waitFor()
    await picture(page, 'admin-dashboard')
    await page.getByRole('link', { name: 'Reports' }).first().click()
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
    await keep('The same again', null)
    await accessible(page)
    await page.getByRole('button', { name: 'Remove The same again' }).click()
    await page.getByText('The report is removed').waitFor()
    expect(await page.getByRole('region', { name: 'Sales by day' }).count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Mornings is deleted').waitFor()
  })

  test.each(Object.entries(looks))('breaks no rule of accessibility: %s', async (_, look) => {
    await using visitor = await admin.enter('reports', look)
    await accessiblePlaces(admin, visitor.page, ['reports', 'reports?groupBy=CATEGORY&compare=true'])
  })
})
