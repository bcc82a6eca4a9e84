import { readFile } from 'node:fs/promises'
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

  /** Keeps the report that is shown, on a new dashboard, on a chosen one, or on the one that the page offers. */
  async function keep(
    page: Page,
    title: string,
    on: { readonly called: string } | { readonly chosen: string } | 'offered',
  ): Promise<void> {
    await page.getByRole('button', { name: 'Keep it' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill(title)
    if (on === 'offered') expect(await dialog.getByLabel('Name of the dashboard').count()).toBe(0)
    else if ('called' in on) await dialog.getByLabel('Name of the dashboard').fill(on.called)
    else {
      await dialog.getByRole('button', { name: /Dashboard/ }).click()
      await page.getByRole('option', { name: on.chosen }).click()
    }
    await accessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: title }).first().waitFor()
  }

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
    await keep(page, 'Sales by day', { called: 'Mornings' })
    await page.getByRole('heading', { name: 'Mornings', level: 1 }).waitFor()
    await picture(page, 'admin-dashboard')
    await page.getByRole('link', { name: 'Reports' }).first().click()
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
    await keep(page, 'The same again', { chosen: 'Mornings' })
    await accessible(page)
    await page.getByRole('button', { name: 'Remove The same again' }).click()
    await page.getByText('The report is removed').waitFor()
    expect(await page.getByRole('region', { name: 'Sales by day' }).count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Mornings is deleted').waitFor()
  })

  test('renames a dashboard, adds a report to it, orders and changes its reports', async () => {
    succeeded(
      await admin.owner('mutation { createDashboard(input: { name: "Taken" }) { errors { message } } }'),
    )
    await using visitor = await admin.enter('reports')
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    const save = () => dialog.getByRole('button', { name: 'Save' }).click()
    const titles = () => page.locator('section.card > header h2').allInnerTexts()
    await keep(page, 'Sales by day', { called: 'Evenings' })
    await page.getByRole('link', { name: 'Add a report' }).click()
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
    await keep(page, 'Next to it', 'offered')
    await page.getByRole('heading', { name: 'Evenings', level: 1 }).waitFor()
    expect(await titles()).toEqual(['Sales by day', 'Next to it'])

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog.getByLabel('Name of the dashboard').fill('Taken')
    await dialog.getByLabel('Description').fill('What we look at on Mondays')
    await dialog.getByRole('button', { name: 'Move Next to it up' }).click()
    await save()
    await dialog.locator('.field', { hasText: 'Name of the dashboard' }).locator('.fault').waitFor()
    await accessible(page)
    await dialog.getByLabel('Name of the dashboard').fill('Mondays')
    await save()
    await page.getByRole('heading', { name: 'Mondays', level: 1 }).waitFor()
    await page.getByText('What we look at on Mondays').waitFor()
    await expect.poll(titles).toEqual(['Next to it', 'Sales by day'])

    await page.getByRole('button', { name: 'Edit Sales by day' }).click()
    await dialog.getByLabel('Title').fill('Units by category')
    const days = dialog.getByRole('textbox', { name: /^Days/ })
    await days.fill('4000')
    await dialog.getByRole('button', { name: /Grouped/ }).click()
    await page.getByRole('option', { name: 'By category' }).click()
    await dialog.getByText('Units', { exact: true }).click()
    await save()
    await dialog.locator('.field', { hasText: 'Days' }).locator('.fault').waitFor()
    await accessible(page)
    await days.fill('7')
    await save()
    await page.getByRole('region', { name: 'Units by category' }).first().waitFor()
    const { dashboards } = succeeded(
      await admin.owner<{ dashboards: { nodes: { widgets: object[] }[] } }>(
        '{ dashboards(filters: { searchQuery: "Mondays" }) { nodes { widgets { title metrics lastDays groupBy } } } }',
      ),
    )
    expect(dashboards.nodes[0]?.widgets).toEqual([
      { title: 'Next to it', metrics: ['TOTAL_SALES', 'ORDERS'], lastDays: 30, groupBy: null },
      { title: 'Units by category', metrics: ['UNITS'], lastDays: 7, groupBy: 'CATEGORY' },
    ])
    for (const title of ['Next to it', 'Units by category']) {
      await page.getByRole('button', { name: `Remove ${title}` }).click()
      await page.getByRole('region', { name: title }).first().waitFor({ state: 'detached' })
    }
    await page.getByText('No reports on it').waitFor()
    await accessible(page)
  })

  test.each(Object.entries(looks))('breaks no rule of accessibility: %s', async (_, look) => {
    await using visitor = await admin.enter('reports', look)
    await accessiblePlaces(admin, visitor.page, ['reports', 'reports?groupBy=CATEGORY&compare=true'])
  })
})
