import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
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

interface StoredOrder {
  readonly id: string
  readonly status: string
  readonly orderNumber: string
}

describe.skipIf(skipsAdmin)(`orders of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string, variables: object = {}): Promise<Data> =>
    succeeded(await admin.owner<Data>(query, { ...variables }))

  const ordersIn = async (status: string): Promise<readonly StoredOrder[]> =>
    (
      await stored<{ orders: { nodes: StoredOrder[] } }>(
        'query ($status: OrderStatus!) { orders(filters: { status: $status }, first: 20) { nodes { id status orderNumber } } }',
        { status },
      )
    ).orders.nodes

  /** An order that nobody has paid, of two units of a product without variants. */
  async function unpaidOrder(): Promise<StoredOrder & { total: number }> {
    const { products, customers } = await stored<{
      products: { nodes: { id: string; hasVariants: boolean }[] }
      customers: { nodes: { id: string }[] }
    }>(
      '{ products(first: 50, status: ACTIVE, filters: { inStock: true }) { nodes { id hasVariants } } customers(first: 1) { nodes { id } } }',
    )
    const product = products.nodes.find(({ hasVariants }) => !hasVariants)
    const { made } = await stored<{
      made: { order: (StoredOrder & { total: number }) | null; errors: unknown }
    }>(
      `mutation ($input: CreateOrderInput!) { made: createOrder(input: $input) { order { id status orderNumber total } errors { field message } } }`,
      {
        input: {
          customerId: customers.nodes[0]?.id,
          items: [{ productId: product?.id, quantity: 2 }],
          shippingAddress: {
            recipientName: 'Ada Whitcombe',
            line1: '1 Harbour Street',
            city: 'Portland',
            state: 'Maine',
            postalCode: '04101',
            country: 'US',
          },
        },
      },
    )
    if (made.order === null) throw new Error(JSON.stringify(made.errors))
    return made.order
  }

  async function choose(page: Page, orders: readonly StoredOrder[]): Promise<void> {
    for (const { orderNumber } of orders) {
      const box = page.getByRole('checkbox', { name: `Choose ${orderNumber}` })
      await box.focus()
      await page.keyboard.press('Space')
    }
  }

  test('sends several orders at once, and tells which one stays as it was, and why', async () => {
    const [open] = await ordersIn('CONFIRMED')
    const [unpaid] = [await unpaidOrder()]
    if (open === undefined) throw new Error('the demo shop has no order to send')
    await using visitor = await admin.enter('orders')
    const { page } = visitor
    await page.getByRole('table', { name: 'Orders' }).waitFor()
    await choose(page, [unpaid, open])
    await page.getByText('2 orders are chosen').waitFor()
    await accessible(page)
    await page.getByRole('button', { name: 'Send whole orders' }).click()
    await page.getByText('1 order is on its way').waitFor()
    const dialog = page.getByRole('dialog', { name: '1 order stays as it was' })
    await dialog.getByRole('link', { name: unpaid.orderNumber }).waitFor()
    await accessible(page)
    expect((await ordersIn('SHIPPED')).map(({ orderNumber }) => orderNumber)).toContain(open.orderNumber)
    expect((await ordersIn('PENDING')).map(({ orderNumber }) => orderNumber)).toContain(unpaid.orderNumber)
  })

  test('changes the lines and the address of an unpaid order, and only what was changed', async () => {
    const order = await unpaidOrder()
    await using visitor = await admin.enter(`orders/${order.id}`)
    const { page } = visitor
    await page.getByText('Order placed').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit the order' }).click()
    const dialog = page.getByRole('dialog')
    await accessible(page)
    await dialog
      .getByRole('button', { name: /^Increase/ })
      .first()
      .click()
    await dialog.getByRole('searchbox').fill('Polaris')
    await dialog
      .getByRole('button', { name: /^Add Polaris Headlamp/ })
      .first()
      .click()
    await dialog.getByLabel('City').fill('Bangor')
    await dialog.getByLabel('Country').fill('Q1')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.fault').waitFor()
    await dialog.getByLabel('Country').fill('US')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${order.orderNumber} is changed`).waitFor()
    const { order: now } = await stored<{
      order: {
        items: { productName: string; quantity: number }[]
        shippingAddress: { city: string; recipientName: string }
      }
    }>(
      'query ($id: ID!) { order(id: $id) { items { productName quantity } shippingAddress { city recipientName } } }',
      { id: order.id },
    )
    expect(now.shippingAddress).toEqual({ city: 'Bangor', recipientName: 'Ada Whitcombe' })
    expect(now.items.map(({ quantity }) => quantity)).toEqual([3, 1])
    expect(now.items[1]?.productName).toBe('Polaris Headlamp')
  })

  test('says that somebody else has changed an order while it is edited, and doesn’t undo that', async () => {
    const order = await unpaidOrder()
    const read = async () =>
      (
        await stored<{
          order: { items: { id: string; quantity: number }[]; shippingAddress: { city: string } }
        }>('query ($id: ID!) { order(id: $id) { items { id quantity } shippingAddress { city } } }', {
          id: order.id,
        })
      ).order
    const [line] = (await read()).items
    await using visitor = await admin.enter(`orders/${order.id}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit the order' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('City').fill('Bangor')
    succeeded(
      await admin.owner(
        'mutation ($id: ID!, $line: ID!) { modifyOrder(id: $id, modifications: { updateItems: [{ id: $line, quantity: 5 }] }) { errors { message } } }',
        { id: order.id, line: line?.id },
      ),
    )
    const notice = dialog.getByText('Somebody else has changed this')
    await lookAgainUntil(page, async () => (await notice.count()) === 1)
    await accessible(page)
    expect(await dialog.getByLabel('City').inputValue()).toBe('Bangor')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${order.orderNumber} is changed`).waitFor()
    expect(await read()).toEqual({
      items: [{ id: line?.id, quantity: 5 }],
      shippingAddress: { city: 'Bangor' },
    })
  })

  test('saves notes and tags, and takes them back', async () => {
    const order = await unpaidOrder()
    await using visitor = await admin.enter(`orders/${order.id}`)
    const { page } = visitor
    const tags = async () =>
      (
        await stored<{ order: { tags: string[] } }>('query ($id: ID!) { order(id: $id) { tags } }', {
          id: order.id,
        })
      ).order.tags
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Notes and tags' }).click()
    await page.getByRole('dialog').getByLabel('Tags').fill('present, fragile')
    await accessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect.poll(tags).toEqual(['present', 'fragile'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(tags).toEqual([])
  })

  test('shows the latest that happened to an order of more than a hundred entries, and the first', async () => {
    const { id } = await unpaidOrder()
    for (let note = 1; note <= 105; note += 1)
      await stored(
        'mutation ($id: ID!, $input: OrderNoteInput!) { addOrderNote(id: $id, input: $input) { errors { message } } }',
        { id, input: { text: `Note ${note}` } },
      )
    await using visitor = await admin.enter(`orders/${id}`)
    const { page } = visitor
    const timeline = page.getByRole('region', { name: 'Time line' }).getByRole('listitem')
    await timeline.getByText('Note 105', { exact: true }).waitFor()
    expect(await timeline.first().innerText()).toContain('Note 105')
    expect(await timeline.last().innerText()).toContain('Order placed')
  })

  test('takes a return from the request to the money, which is what it has shown', async () => {
    const [order] = await ordersIn('DELIVERED')
    if (order === undefined) throw new Error('the demo shop has no order that has arrived')
    await using visitor = await admin.enter(`orders/${order.id}`)
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Returns' })
    await card.getByRole('button', { name: 'Return units' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('button', { name: /^Increase/ })
      .first()
      .click()
    await accessible(page)
    await dialog.getByRole('button', { name: 'Return units' }).click()
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'The goods are here' }).click()
    await accessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'The goods are here' }).click()
    await card.getByRole('button', { name: 'Refund the return' }).click()
    await accessible(page)
    const shown = (await page.getByRole('dialog').getByRole('status').innerText()).split('\n').at(-1) ?? ''
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Refund ${shown}` })
      .click()
    await page.getByText(`${shown} is refunded`).waitFor()
    const { order: now } = await stored<{
      order: {
        returns: { status: string; items: { quantity: number; restockedQuantity: number }[] }[]
        payments: { refunds: { amount: number }[] }[]
      }
    }>(
      `query ($id: ID!) { order(id: $id) { returns { status items { quantity restockedQuantity } } payments { refunds { amount } } } }`,
      { id: order.id },
    )
    expect(now.returns.at(-1)).toEqual({ status: 'REFUNDED', items: [{ quantity: 1, restockedQuantity: 1 }] })
    const amounts = now.payments.flatMap(({ refunds }) => refunds.map(({ amount }) => amount))
    expect(amounts.map((amount) => `$${(amount / 100).toFixed(2)}`)).toContain(shown)
  })

  test('prints a packing slip without prices, and an invoice that adds up, each on a page of its own', async () => {
    const [one, other] = await ordersIn('DELIVERED')
    if (one === undefined || other === undefined) throw new Error('the demo shop has no two orders')
    await using visitor = await admin.enter(`orders/print/slip?ids=${one.id},${other.id}`)
    const { page } = visitor
    const slip = page.getByRole('article', { name: `Packing slip ${one.orderNumber}` })
    await slip.waitFor()
    expect(await slip.innerText()).not.toContain('$')
    await accessible(page)
    await page.getByRole('link', { name: 'Invoices' }).click()
    const invoice = page.getByRole('article', { name: `Invoice ${one.orderNumber}` })
    await invoice.waitFor()
    await accessible(page)
    await picture(page, 'admin-invoice')
    const { order } = await stored<{ order: { total: number } }>(
      'query ($id: ID!) { order(id: $id) { total } }',
      { id: one.id },
    )
    await invoice.locator('dd.total', { hasText: (order.total / 100).toFixed(2) }).waitFor()
    const pdf = await page.pdf({ preferCSSPageSize: true })
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(2)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
  })

  test('tells how many carts became orders', async () => {
    const counted = async (filters: string) =>
      (
        await stored<{ carts: { totalCount: number } }>(
          `{ carts(first: 1, filters: { updatedAfter: "2000-01-01T00:00:00Z"${filters} }) { totalCount } }`,
        )
      ).carts.totalCount
    await using visitor = await admin.enter('?days=365')
    const { page } = visitor
    const tile = page.getByRole('link', { name: /Carts that became orders/ })
    await tile.getByText(/^\d+ of \d+ carts?$/).waitFor()
    const [, bought, all] = /(\d+) of (\d+) cart/.exec(await tile.innerText()) ?? []
    expect([Number(bought), Number(all)]).toEqual([await counted(', checkedOut: true'), await counted('')])
    expect(Number(all)).toBeGreaterThan(0)
    await accessible(page)
  })

  test.each(Object.entries(looks))(
    'breaks no rule of WCAG 2.2 AA with an order chosen, %s',
    async (_look, options) => {
      await using visitor = await admin.enter('orders', options)
      const { page } = visitor
      await page
        .getByRole('checkbox', { name: /^Choose/ })
        .first()
        .focus()
      await page.keyboard.press('Space')
      await page.getByText('1 order is chosen').waitFor()
      await accessible(page)
      await page.getByRole('link', { name: 'Packing slips' }).click()
      await page.getByRole('article').waitFor()
      await accessible(page)
    },
  )
})
