import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
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

/** A black picture; with a filter that no PNG has, one that can't be read. */
function png(width: number, height: number, filter = 0): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width * 3 + 1) * height, filter))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe.skipIf(skipsAdmin)(`products of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))

  const open = async (page: Page, name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }

  test('creates a product with variants of each combination, and changes one of them in the grid', async () => {
    await using visitor = await admin.enter('products')
    const { page } = visitor
    await page.getByRole('link', { name: 'New product' }).click()
    await page.getByLabel('Name').fill('Ridge Tent')
    await page.getByLabel('SKU').fill('OUT-TENT-BASE')
    await page.getByRole('textbox', { name: 'Price' }).fill('249')
    await accessible(page)
    await page.getByRole('button', { name: 'Create the draft' }).click()
    await page.getByRole('heading', { name: 'Ridge Tent', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Add variants' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Option').fill('Color')
    await dialog.getByLabel('Values').fill('Moss, Dark sand, Moss')
    await dialog.getByText('OUT-TENT-BASE-DARK-SAND').waitFor()
    await accessible(page)
    await dialog.getByRole('button', { name: 'Add 2 variants' }).click()
    await page.getByText('2 variants are added').waitFor()
    // A variant without a price of its own follows the product's.
    const details = page.getByRole('region', { name: 'Details' })
    const productPrice = details.getByRole('textbox', { name: 'Price', exact: true })
    await productPrice.fill('239')
    await productPrice.blur()
    await details.getByRole('button', { name: 'Save' }).click()
    const price = page.getByRole('textbox', { name: 'Price of Moss' })
    await expect.poll(() => price.inputValue()).toBe('$239.00')
    const save = page.getByRole('row', { name: /Moss/ }).getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await price.fill('259.5')
    await price.blur()
    await save.click()
    await expect.poll(() => save.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Delete the variant Dark sand' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('The variant Dark sand is deleted').waitFor()
    const { product } = await stored<{ product: { status: string; variants: unknown[] } }>(
      '{ product(sku: "OUT-TENT-BASE") { status variants { sku price options { name value } } } }',
    )
    expect(product).toEqual({
      status: 'DRAFT',
      variants: [{ sku: 'OUT-TENT-BASE-MOSS', price: 25_950, options: [{ name: 'Color', value: 'Moss' }] }],
    })
  })

  test('says at the field that a SKU is taken, and takes another one', async () => {
    await using visitor = await admin.enter('products/new')
    const { page } = visitor
    const { products } = await stored<{ products: { nodes: { sku: string }[] } }>(
      '{ products(first: 1) { nodes { sku } } }',
    )
    await page.getByLabel('Name').fill('A twin')
    await page.getByLabel('SKU').fill(products.nodes[0]?.sku ?? '')
    await page.getByRole('textbox', { name: 'Price' }).fill('5')
    await page.getByRole('button', { name: 'Create the draft' }).click()
    await page
      .locator('.field', { has: page.getByLabel('SKU') })
      .locator('.fault')
      .waitFor()
    await page.getByLabel('SKU').fill('TWIN-1')
    await page.getByRole('button', { name: 'Create the draft' }).click()
    await page.getByRole('heading', { name: 'A twin', level: 1 }).waitFor()
  })

  test('uploads pictures, describes and reorders them by keyboard, and takes the removal of one back', async () => {
    await using visitor = await admin.enter('products?q=compass')
    const { page } = visitor
    await open(page, 'Baseplate Compass')
    const list = page.getByRole('grid', { name: 'Images' })
    await list.getByText('Baseplate Compass, in use').waitFor()
    const before = await list.getByRole('row').count()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload pictures' }).click()
    await (
      await chooser
    ).setFiles([
      { name: 'front.png', mimeType: 'image/png', buffer: png(640, 400) },
      { name: 'side.png', mimeType: 'image/png', buffer: png(500, 500) },
    ])
    await expect.poll(() => list.getByRole('row').count(), { timeout: 60_000 }).toBe(before + 2)
    await list.getByRole('row').last().getByRole('button', { name: 'Describe the picture' }).click()
    await page.getByLabel('Text for those').fill('The compass from the side')
    await accessible(page)
    await page.getByRole('button', { name: 'Save' }).last().click()
    await list.getByText('The compass from the side').waitFor()
    await accessible(page)

    async function addPicture(alt: string): Promise<void> {
      const { product } = await stored<{
        product: { id: string; images: { url: string; alt: string | null }[] }
      }>('{ product(slug: "baseplate-compass") { id images { url alt } } }')
      const images = [...product.images, { url: product.images[0]?.url, alt }]
      succeeded(
        await admin.owner(
          'mutation ($id: ID!, $images: [ProductImageInput!]) { updateProduct(id: $id, input: { images: $images }) { errors { message } } }',
          { id: product.id, images },
        ),
      )
    }
    const alts = async () => {
      const { product } = await stored<{ product: { images: { alt: string | null }[] } }>(
        '{ product(slug: "baseplate-compass") { images { alt } } }',
      )
      return product.images.map(({ alt }) => alt)
    }
    expect((await alts()).at(-1)).toBe('The compass from the side')
    await page.getByRole('button', { name: 'Add variants' }).focus()
    for (const key of ['Tab', 'End', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    await page
      .getByRole('button', { name: /^Insert/ })
      .first()
      .waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await alts())[0]).toBe('The compass from the side')
    await list.getByRole('row').first().getByRole('button', { name: 'Remove the picture' }).click()
    await expect.poll(async () => (await alts()).length).toBe(before + 1)
    await addPicture('Added by a colleague')
    await page
      .locator('.toast', { hasText: 'The picture is removed' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await expect.poll(async () => (await alts())[0]).toBe('The compass from the side')
    expect((await alts()).at(-1)).toBe('Added by a colleague')
  })

  test('takes a dropped file', async () => {
    await using visitor = await admin.enter('products?q=headlamp')
    const { page } = visitor
    await open(page, 'Polaris Headlamp')
    const list = page.getByRole('grid', { name: 'Images' })
    await list.getByRole('row').first().waitFor()
    const before = await list.getByRole('row').count()
    const folder = await mkdtemp(path.join(tmpdir(), 'admin-picture-'))
    const file = path.join(folder, 'dropped.png')
    await writeFile(file, png(300, 200))
    const box = await list.boundingBox()
    if (box === null) throw new Error('the list is not shown')
    // The browser's own events, as a file manager causes them.
    const tools = await page.context().newCDPSession(page)
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await tools.send('Input.dispatchDragEvent', {
        type,
        x: box.x + box.width / 2,
        y: box.y + box.height - 4,
        data: { items: [], files: [file], dragOperationsMask: 1 },
      })
    await expect.poll(() => list.getByRole('row').count(), { timeout: 60_000 }).toBe(before + 1)
    await rm(folder, { recursive: true })
  })

  test('tells why a picture is refused', async () => {
    await using visitor = await admin.enter('products?q=headlamp')
    const { page } = visitor
    await open(page, 'Polaris Headlamp')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload pictures' }).click()
    await (await chooser).setFiles([{ name: 'broken.png', mimeType: 'image/png', buffer: png(90, 90, 120) }])
    await page
      .getByRole('alert')
      .getByText(/^broken\.png: ./)
      .waitFor({ timeout: 60_000 })
    await accessible(page)
  })

  test('says that a picture could not be added to its product, and lets one dismiss it', async () => {
    await using visitor = await admin.enter('products?q=headlamp')
    const { page } = visitor
    await open(page, 'Polaris Headlamp')
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('updateProduct(') === true ? route.abort() : route.fallback(),
    )
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload pictures' }).click()
    await (await chooser).setFiles([{ name: 'alone.png', mimeType: 'image/png', buffer: png(90, 90) }])
    const fault = page.getByText('alone.png: is uploaded, but couldn’t be added to the product')
    await fault.waitFor({ timeout: 60_000 })
    await accessible(page)
    await page.getByRole('button', { name: 'Close' }).click()
    await fault.waitFor({ state: 'detached' })
  })

  test('shows what shoppers will see before it is saved', async () => {
    await using visitor = await admin.enter('products?q=compass')
    const { page } = visitor
    await open(page, 'Baseplate Compass')
    await page.getByLabel('Name').fill('Baseplate Compass for left hands')
    await page.getByRole('button', { name: 'Preview' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Baseplate Compass for left hands' }).waitFor()
    await dialog.getByText('/baseplate-compass').waitFor()
    await accessible(page)
  })

  test('saves many products at once, tells at the row what is refused, and takes the rest back', async () => {
    await using visitor = await admin.enter('products/bulk')
    const { page } = visitor
    const { products } = await stored<{ products: { nodes: { id: string; name: string; price: number }[] } }>(
      '{ products(first: 2) { nodes { id name price } } }',
    )
    const [one, other] = products.nodes
    if (one === undefined || other === undefined) throw new Error('the shop has no two products')
    const price = page.getByRole('textbox', { name: `Price of ${one.name}`, exact: true })
    await price.fill('77.7')
    await price.blur()
    // What was typed is kept when a search lists other products.
    await page.getByRole('searchbox').fill(other.name)
    await price.waitFor({ state: 'detached' })
    await page.getByLabel(`Name of ${other.name}`, { exact: true }).fill('ab')
    await page.getByRole('button', { name: 'Save 2 products' }).click()
    await page.getByText('1 product is saved').waitFor()
    await page.locator('.bulk .fault').first().waitFor()
    await accessible(page)
    const prices = async () =>
      (await stored<{ product: { price: number } }>(`{ product(id: "${one.id}") { price } }`)).product.price
    expect(await prices()).toBe(7_770)
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(prices).toBe(one.price)
  })

  test('moves a category below another one by keyboard, and back', async () => {
    const create = async (name: string) => {
      const { made } = succeeded(
        await admin.owner<{ made: { category: { id: string } } }>(
          'mutation ($name: String!) { made: createCategory(input: { name: $name, position: 900 }) { category { id } errors { message } } }',
          { name },
        ),
      )
      return made.category.id
    }
    await create('Zenith One')
    const second = await create('Zenith Two')
    const parentOf = async () =>
      (
        await stored<{ category: { parent: { name: string } | null } }>(
          `{ category(id: "${second}") { parent { name } } }`,
        )
      ).category.parent
    await using visitor = await admin.enter('products/categories')
    const { page } = visitor
    const tree = page.getByRole('treegrid', { name: 'Categories' })
    const row = (name: string) => tree.getByRole('row', { name: new RegExp(name) })
    await row('Zenith Two').waitFor()
    await accessible(page)
    await page.getByRole('button', { name: 'New category' }).focus()
    for (const key of ['Tab', 'End', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Drop on Zenith One' }).waitFor()
    for (let presses = 0; presses < 12; presses += 1) {
      const label = await page.evaluate('document.activeElement?.getAttribute("aria-label")')
      if (label === 'Drop on Zenith One') break
      await page.keyboard.press('ArrowUp')
    }
    await page.keyboard.press('Enter')
    await expect.poll(parentOf).toEqual({ name: 'Zenith One' })
    await page.getByText('Zenith Two is moved').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(parentOf).toBeNull()
  })

  test('moves a category on a phone by naming the one above it', async () => {
    await using visitor = await admin.enter('products/categories', looks.phone)
    const { page } = visitor
    await page.getByRole('button', { name: 'Edit Zenith Two' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /Below/ }).click()
    expect(await page.getByRole('option', { name: 'Zenith Two' }).count()).toBe(0)
    await page.getByRole('option', { name: 'Zenith One' }).click()
    await accessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const parentOf = async () =>
      (
        await stored<{ categories: { nodes: { name: string; parent: { name: string } | null }[] } }>(
          '{ categories(first: 100, filters: { searchQuery: "Zenith Two" }) { nodes { name parent { name } } } }',
        )
      ).categories.nodes[0]?.parent
    expect(await parentOf()).toEqual({ name: 'Zenith One' })
    await page.getByRole('button', { name: 'Edit Zenith Two' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /Below/ }).click()
    await page.getByRole('option', { name: 'At the top' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect.poll(parentOf).toBeNull()
  })

  test('moves a category by dragging it', async () => {
    await using visitor = await admin.enter('products/categories')
    const { page } = visitor
    const tree = page.getByRole('treegrid', { name: 'Categories' })
    const rows = tree.getByRole('row')
    await rows.first().waitFor()
    const names = async () =>
      (
        await stored<{ categories: { nodes: { name: string }[] } }>(
          '{ categories(first: 100, sortBy: POSITION, filters: { level: 0 }) { nodes { name } } }',
        )
      ).categories.nodes.map(({ name }) => name)
    const two = tree.getByRole('row', { name: /Zenith Two/ })
    const one = tree.getByRole('row', { name: /Zenith One/ })
    const target = await one.boundingBox()
    if (target === null) throw new Error('the row is not shown')
    await two.dragTo(one, { targetPosition: { x: target.width / 2, y: 2 } })
    await expect
      .poll(async () => {
        const all = await names()
        return all.indexOf('Zenith Two') < all.indexOf('Zenith One')
      })
      .toBe(true)
  })

  test('checks a file first, tells what is wrong in which row, and imports it', async () => {
    await using visitor = await admin.enter('jobs')
    const { page } = visitor
    await page.getByText('Nothing was imported yet').waitFor()
    await accessible(page)
    const csv = [
      'sku,name,price,currency,status',
      'IMP-1,Imported mug,1250,USD,ACTIVE',
      'IMP-2,Imported cup,not a price,USD,ACTIVE',
    ].join('\r\n')
    const send = async (button: string) => {
      await page.getByRole('button', { name: 'Import a file' }).click()
      const dialog = page.getByRole('dialog')
      const chooser = page.waitForEvent('filechooser')
      await dialog.getByRole('button', { name: 'Choose a file' }).click()
      await (await chooser).setFiles([{ name: 'mugs.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }])
      if (button === 'Import') await dialog.getByText('Only check the rows').click()
      await accessible(page)
      await dialog.getByRole('button', { name: button, exact: true }).click()
      await page.getByRole('heading', { name: 'mugs.csv', level: 1 }).waitFor()
      await page.getByText('Done', { exact: true }).waitFor({ timeout: 60_000 })
    }
    await send('Check the rows')
    await page.getByText('Would be imported').waitFor()
    await page.getByRole('table', { name: 'Refused' }).getByText('Line 3').waitFor()
    await accessible(page)
    expect((await stored<{ product: unknown }>('{ product(sku: "IMP-1") { id } }')).product).toBeNull()
    await page.goto(`${admin.address}/jobs`)
    await send('Import')
    const { product } = await stored<{ product: unknown }>('{ product(sku: "IMP-1") { name price } }')
    expect(product).toEqual({ name: 'Imported mug', price: 1_250 })
  })

  test('exports all products into a file', async () => {
    await using visitor = await admin.enter('jobs/exports')
    const { page } = visitor
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await accessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Start the export' }).click()
    await page.getByText('Done', { exact: true }).waitFor({ timeout: 60_000 })
    await accessible(page)
    const url = await page.getByRole('link', { name: 'Download' }).getAttribute('href')
    const csv = await (await fetch(url ?? '')).text()
    expect(csv.split('\r\n')[0]).toContain('sku')
    expect(csv).toContain('Baseplate Compass')
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (look, options) => {
    await using visitor = await admin.enter('products', options)
    const { page } = visitor
    await accessiblePlaces(admin, page, [
      'products',
      'products/new',
      'products/bulk',
      'products/categories',
      'jobs',
      'jobs/exports',
    ])
    await page.goto(`${admin.address}/products?q=compass`)
    await open(page, 'Baseplate Compass')
    await page.waitForLoadState('networkidle')
    await accessible(page)
    if (look === 'light') await picture(page, 'admin-product')
  })
})
