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
import { createStockedProduct, shippingAddress, succeeded } from './support/shop.ts'

interface Warehouse {
  readonly id: string
  readonly name: string
}

describe.skipIf(skipsAdmin)(`stock of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  let warehouses: readonly Warehouse[]
  beforeAll(async () => {
    admin = await openAdminBrowser()
    const found = await stored<{ warehouses: { nodes: Warehouse[] } }>('{ warehouses { nodes { id name } } }')
    warehouses = found.warehouses.nodes
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))

  /** By the names of warehouses, what can be sold from each. */
  async function levels(sku: string): Promise<Readonly<Record<string, number>>> {
    const { product } = await stored<{
      product: { inventory: { warehouses: { available: number; warehouse: { name: string } }[] } }
    }>(`{ product(sku: "${sku}") { inventory { warehouses { available warehouse { name } } } } }`)
    return Object.fromEntries(
      product.inventory.warehouses.map(({ available, warehouse }) => [warehouse.name, available]),
    )
  }

  const total = async (sku: string) => Object.values(await levels(sku)).reduce((sum, each) => sum + each, 0)

  test('keeps what was counted through a search, in the warehouse that was chosen, and takes it back alone', async () => {
    const { sku } = await createStockedProduct(admin.owner, 12)
    const before = await levels(sku)
    const [place = ''] = Object.entries(before).find(([, available]) => available === 12) ?? []
    await using visitor = await admin.enter(`stock/levels?q=${sku}`)
    const { page } = visitor
    await page
      .getByRole('button', { name: /^Warehouse|Bend|Asheville/ })
      .first()
      .click()
    await page.getByRole('option', { name: place }).click()
    const counted = page.getByRole('textbox', { name: `Counted of Product ${sku}` })
    await counted.fill('9')
    await counted.blur()
    await accessible(page)
    await page.getByRole('searchbox').fill('no such product')
    await counted.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save 1 count' }).click()
    await page.getByText('1 level is as counted').waitFor()
    expect(await levels(sku)).toEqual({ ...before, [place]: 9 })
    const warehouseId = warehouses.find(({ name }) => name === place)?.id
    succeeded(
      await admin.owner(
        'mutation ($input: AdjustInventoryInput!) { adjustInventory(input: $input) { errors { message } } }',
        { input: { sku, warehouseId, delta: -2, reason: 'Broken' } },
      ),
    )
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => levels(sku)).toEqual({ ...before, [place]: 10 })
  })

  test('moves units from one warehouse to another, in parts', async () => {
    const { sku } = await createStockedProduct(admin.owner, 10)
    const [from = ''] = Object.entries(await levels(sku)).find(([, available]) => available === 10) ?? []
    const to = warehouses.find(({ name }) => name !== from)?.name ?? ''
    await using visitor = await admin.enter('stock/transfers')
    const { page } = visitor
    await page.getByRole('button', { name: 'New transfer' }).first().click()
    const dialog = page.getByRole('dialog')
    for (const [label, place] of [
      ['From', from],
      ['To', to],
    ] as const) {
      await dialog.getByRole('button', { name: label }).click()
      await page.getByRole('option', { name: place }).click()
    }
    await dialog.getByLabel('SKU').fill(sku)
    const units = dialog.getByRole('textbox', { name: 'Quantity' })
    await units.fill('4')
    await units.blur()
    await accessible(page)
    await dialog.getByRole('button', { name: 'Create the draft' }).click()
    const row = page
      .getByRole('listitem')
      .filter({ hasText: sku })
      .filter({ hasText: `${from} to ${to}` })
    await row.getByRole('button', { name: 'Send it off' }).click()
    await row.getByRole('button', { name: 'Goods have arrived' }).click()
    const arrived = page.getByRole('dialog').getByRole('textbox', { name: `Units of ${sku}` })
    await arrived.fill('3')
    await arrived.blur()
    await accessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Put 3 units on the shelf' }).click()
    await page.getByText('3 units are on the shelf').waitFor()
    await row.getByText('Partly arrived').waitFor()
    expect(await levels(sku)).toMatchObject({ [from]: 6, [to]: 3 })
  })

  test('tells at the field that a SKU is unknown, and puts what has arrived on the shelf', async () => {
    const { sku } = await createStockedProduct(admin.owner, 1)
    await using visitor = await admin.enter('stock/arrivals')
    const { page } = visitor
    await page.getByRole('button', { name: 'Announce goods' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('SKU').fill('NO-SUCH-SKU')
    const units = dialog.getByRole('textbox', { name: 'Quantity' })
    await units.fill('20')
    await units.blur()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.fault').waitFor()
    await accessible(page)
    await dialog.getByLabel('SKU').fill(sku)
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('listitem').filter({ hasText: sku })
    await row.getByRole('button', { name: 'Goods have arrived' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Goods have arrived' }).click()
    await row.getByText('Arrived', { exact: true }).waitFor()
    expect(await total(sku)).toBe(21)
  })

  test('opens a warehouse, and says from how many units on a SKU is at risk', async () => {
    await using visitor = await admin.enter('stock/warehouses')
    const { page } = visitor
    await page.getByRole('button', { name: 'New warehouse' }).click()
    const dialog = page.getByRole('dialog')
    for (const [label, text] of Object.entries({
      Name: 'Harbour',
      'Short name': 'HAR',
      'Street and number': '1 Harbour Street',
      'Postal code': '04101',
      City: 'Portland',
      'State or region': 'Maine',
      Country: 'US',
    }))
      await dialog.getByLabel(label, { exact: true }).fill(text)
    await accessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Harbour' }).waitFor()
    const { warehouse } = await stored<{ warehouse: unknown }>(
      '{ warehouse(code: "HAR") { name active location { city } } }',
    )
    expect(warehouse).toEqual({ name: 'Harbour', active: true, location: { city: 'Portland' } })

    const { sku } = await createStockedProduct(admin.owner, 1)
    await page.goto(`${admin.address}/stock`)
    await page.getByRole('button', { name: `Threshold of ${sku}` }).click()
    const threshold = page.getByRole('dialog').getByRole('textbox', { name: 'Warns at' })
    await threshold.fill('0')
    await threshold.blur()
    await accessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText(`The threshold of ${sku} is saved`).waitFor()
    await expect.poll(() => page.getByRole('button', { name: `Threshold of ${sku}` }).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: `Threshold of ${sku}` }).waitFor()
    // It follows the shop's again.
    succeeded(
      await admin.owner(
        'mutation { updateMerchantSettings(input: { lowStockThreshold: 17 }) { errors { message } } }',
      ),
    )
    expect(await stored<unknown>(`{ inventory(skus: ["${sku}"]) { lowStockThreshold } }`)).toEqual({
      inventory: [{ lowStockThreshold: 17 }],
    })
  })

  test('shows an order that comes in by itself, and says so', async () => {
    const { id } = await createStockedProduct(admin.owner, 5, 4_321)
    await using visitor = await admin.enter('orders')
    const { page } = visitor
    await page.getByRole('table', { name: 'Orders' }).waitFor()
    // The subscription begins with the next order.
    await page.waitForTimeout(2_000)
    const { customers } = await stored<{ customers: { nodes: { id: string }[] } }>(
      '{ customers(first: 1) { nodes { id } } }',
    )
    const { made } = succeeded(
      await admin.owner<{ made: { order: { orderNumber: string } } }>(
        'mutation ($input: CreateOrderInput!) { made: createOrder(input: $input) { order { orderNumber } errors { message } } }',
        {
          input: {
            customerId: customers.nodes[0]?.id,
            items: [{ productId: id, quantity: 1 }],
            shippingAddress,
          },
        },
      ),
    )
    await page.getByText(new RegExp(`New order ${made.order.orderNumber}`)).waitFor()
    await page.getByRole('link', { name: made.order.orderNumber, exact: true }).waitFor()
    await accessible(page)
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (_look, options) => {
    await using visitor = await admin.enter('stock', options)
    await accessiblePlaces(admin, visitor.page, [
      'stock',
      'stock/levels',
      'stock/transfers',
      'stock/arrivals',
      'stock/warehouses',
      'stock/ledger',
    ])
  })
})
