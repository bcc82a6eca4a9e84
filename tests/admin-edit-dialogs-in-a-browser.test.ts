import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AdminBrowser, openAdminBrowser, skipsAdmin, whySkipped } from './support/admin-browser.ts'
import { succeeded } from './support/shop.ts'

const mutation = z.object({ query: z.string(), variables: z.object({ input: z.unknown() }) })

interface Case {
  readonly what: string
  readonly place: string
  /** Opens the dialog of what is there. */
  readonly open: (page: Page) => Promise<void>
  /** Of the text that is changed. */
  readonly label: string
  readonly field: string
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

const pressIn = (row: 'listitem' | 'region', text: string) => (page: Page) =>
  page
    .getByRole(row)
    .filter({ hasText: text })
    .first()
    .getByRole('button', { name: 'Edit', exact: true })
    .first()
    .click()

const cases: readonly Case[] = [
  {
    what: 'a shipping zone',
    place: 'settings/shipping',
    open: pressIn('region', 'Isles'),
    label: 'Name',
    field: 'name',
  },
  {
    what: 'a way to ship',
    place: 'settings/shipping',
    open: (page) => press(page, 'Edit Ferry'),
    label: 'Name',
    field: 'name',
  },
  {
    what: 'a warehouse',
    place: 'stock/warehouses',
    open: (page) =>
      page
        .getByRole('button', { name: /^Edit / })
        .first()
        .click(),
    label: 'Name',
    field: 'name',
  },
  {
    what: 'a role',
    place: 'settings/roles',
    open: pressIn('listitem', 'Islanders'),
    label: 'What it is for',
    field: 'description',
  },
  {
    what: 'a webhook endpoint',
    place: 'settings/webhooks',
    open: pressIn('listitem', 'isles.test'),
    label: 'What it is for',
    field: 'description',
  },
  {
    what: 'a category',
    place: 'products/categories',
    open: (page) => press(page, 'Edit Island things'),
    label: 'Name',
    field: 'name',
  },
  {
    what: 'a segment',
    place: 'customers/segments',
    open: (page) => press(page, 'Change Islanders'),
    label: 'Name',
    field: 'name',
  },
]

const setUp = `mutation {
  createShippingZone(input: {
    name: "Isles", countries: ["IE", "IS"], methods: [{ name: "Ferry", price: 900, active: false }]
  }) { errors { message } }
  createRole(input: { name: "Islanders", permissions: ["products:read", "orders:read"] }) { errors { message } }
  createWebhookEndpoint(input: {
    url: "https://isles.test/hook", topics: ["order.*", "product.*"], enabled: false
  }) { errors { message } }
  createCategory(input: { name: "Island things", seoTitle: "Things" }) { errors { message } }
  createCustomerSegment(input: { name: "Islanders", filter: { orderCountMin: 2 } }) { errors { message } }
}`

describe.skipIf(skipsAdmin)(`dialogs that change something${whySkipped}`, { timeout: 90_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
    succeeded(await admin.owner(setUp))
  }, 600_000)
  afterAll(() => admin.stop())

  test.each(cases)(
    'send of $what what was changed in them alone, so nobody’s change to another field is undone',
    async ({ place, open, label, field }) => {
      await using visitor = await admin.enter(place)
      const { page } = visitor
      const dialog = page.getByRole('dialog')
      const sent: unknown[] = []
      page.on('request', (request) => {
        const found = mutation.safeParse(request.postDataJSON())
        if (found.success && found.data.query.trimStart().startsWith('mutation'))
          sent.push(found.data.variables.input)
      })
      await open(page)
      const text = dialog.getByRole('textbox', { name: label, exact: true })
      const before = await text.inputValue()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(sent).toEqual([])

      await open(page)
      await text.fill(`${before} far away`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(sent).toEqual([{ [field]: `${before} far away` }])
    },
  )
})
