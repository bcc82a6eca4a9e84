import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { settleProducts } from './stock.ts'
import { found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

/** What is kept with the stock item of a SKU. */
const standingOf = async (sku: string) =>
  found(
    (
      await shop.database`
        SELECT is_sellable, in_stock, needs_restock FROM inventory.stock_item
        WHERE merchant_id = ${merchant.merchantId} AND sku = ${sku}`
    )[0],
  )

const plenty = { is_sellable: true, in_stock: true, needs_restock: false }
const low = { is_sellable: true, in_stock: true, needs_restock: true }
const soldOut = { is_sellable: true, in_stock: false, needs_restock: true }
const notSold = { is_sellable: false, in_stock: false, needs_restock: false }
const archived = { is_sellable: true, in_stock: true, needs_restock: false }

const setLevel = (sku: string, warehouse: number, available: number) => shop.database`
  UPDATE inventory.stock_level l SET available = ${available} FROM inventory.stock_item i
  WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku} AND l.merchant_id = i.merchant_id
    AND l.stock_item_id = i.id AND l.warehouse_id = ${found(merchant.warehouseIds[warehouse])}`
const setThreshold = (sku: string, threshold: number | null) => shop.database`
  UPDATE inventory.stock_item SET low_stock_threshold = ${threshold}
  WHERE merchant_id = ${merchant.merchantId} AND sku = ${sku}`
const setDefaultThreshold = (threshold: number) => shop.database`
  UPDATE merchant.settings SET low_stock_threshold = ${threshold} WHERE merchant_id = ${merchant.merchantId}`
const setActive = (warehouse: number, active: boolean) => shop.database`
  UPDATE inventory.warehouse SET active = ${active}
  WHERE merchant_id = ${merchant.merchantId} AND id = ${found(merchant.warehouseIds[warehouse])}`
const setStatus = (id: string, status: string) => shop.database`
  UPDATE catalog.product SET status = ${status} WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`

async function addVariant(productId: string, sku: string): Promise<void> {
  const { merchantId } = merchant
  await shop.database.begin(async (sql) => {
    await sql`
      INSERT INTO catalog.product_variant (merchant_id, product_id, sku) VALUES (${merchantId}, ${productId}, ${sku})`
    await sql`
      INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
      SELECT ${merchantId}, id, 'Size', ${sku} FROM catalog.product_variant WHERE merchant_id = ${merchantId} AND sku = ${sku}`
  })
}

test('a warehouse that goes out of use, and comes back, tells of SKUs that are low and back, once each', async () => {
  const [both, only] = [
    await shop.createProduct(merchant, { stock: [9, 9] }),
    await shop.createProduct(merchant, { stock: [9] }),
  ]
  const crossings = async () => {
    const rows = await shop.database<{ sku: string; crossing: string; available: number }[]>`
      SELECT i.sku, c.crossing, c.available FROM notification.stock_crossing c
      JOIN inventory.stock_item i ON i.merchant_id = c.merchant_id AND i.id = c.stock_item_id
      WHERE i.merchant_id = ${merchant.merchantId} AND i.sku IN (${both.sku}, ${only.sku}) ORDER BY c.created_at, c.id`
    return [...rows]
  }
  const low = { sku: only.sku, crossing: 'RUN_LOW', available: 0 }
  const back = { sku: only.sku, crossing: 'BACK', available: 9 }
  await setActive(0, false)
  expect(await crossings()).toEqual([low])
  await setActive(0, false)
  await setActive(0, true)
  expect(await crossings()).toEqual([low, back])
  await setLevel(only.sku, 0, 8)
  await setLevel(both.sku, 1, 8)
  expect(await crossings()).toEqual([low, back])
})

describe('what is kept of a stock item follows', () => {
  test('its levels', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [9, 0] })
    expect(await standingOf(sku)).toEqual(plenty)
    await setLevel(sku, 0, 6)
    expect(await standingOf(sku)).toEqual(plenty)
    await setLevel(sku, 0, 5)
    expect(await standingOf(sku)).toEqual(low)
    await setLevel(sku, 0, 0)
    expect(await standingOf(sku)).toEqual(soldOut)
    await setLevel(sku, 1, 30)
    expect(await standingOf(sku)).toEqual(plenty)
    await shop.call(merchant, 'reserveInventory', { items: [{ sku, quantity: 30 }] })
    expect(await standingOf(sku)).toEqual(soldOut)
  })

  test('its threshold, and without one the merchant’s', async () => {
    const own = await shop.createProduct(merchant, { stock: [9] })
    const theirs = await shop.createProduct(merchant, { stock: [9] })
    await setThreshold(own.sku, 9)
    expect(await standingOf(own.sku)).toEqual(low)
    await setDefaultThreshold(20)
    expect(await standingOf(theirs.sku)).toEqual(low)
    await setThreshold(own.sku, null)
    await setDefaultThreshold(8)
    expect([await standingOf(own.sku), await standingOf(theirs.sku)]).toEqual([plenty, plenty])
    await setDefaultThreshold(5)
  })

  test('the warehouses that are in use', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [2, 8] })
    await setActive(1, false)
    expect(await standingOf(sku)).toEqual(low)
    await setActive(1, true)
    expect(await standingOf(sku)).toEqual(plenty)
  })

  test('the product, which is not bought again once it is archived', async () => {
    const { id, sku } = await shop.createProduct(merchant, { stock: [2] })
    await setStatus(id, 'ARCHIVED')
    expect(await standingOf(sku)).toEqual(archived)
    await setStatus(id, 'DRAFT')
    expect(await standingOf(sku)).toEqual(low)
    const { sku: past } = await shop.createProduct(merchant, { status: 'ARCHIVED', stock: [0] })
    expect(await standingOf(past)).toMatchObject({ needs_restock: false, in_stock: false })
    await setLevel(past, 0, 9)
    expect(await standingOf(past)).toEqual(archived)
  })

  test('the variants, by whose items the product is sold once it has some', async () => {
    const { merchantId } = merchant
    const { id, sku } = await shop.createProduct(merchant, { stock: [2] })
    await addVariant(id, 'VARIANT-1')
    expect([await standingOf(sku), await standingOf('VARIANT-1')]).toEqual([notSold, soldOut])
    await shop.database`
      UPDATE catalog.product_variant SET deleted_at = now() WHERE merchant_id = ${merchantId} AND sku = 'VARIANT-1'`
    expect(await standingOf(sku)).toEqual(low)
    await addVariant(id, 'VARIANT-2')
    expect(await standingOf(sku)).toEqual(notSold)
    await shop.database`DELETE FROM catalog.product_variant WHERE merchant_id = ${merchantId} AND sku = 'VARIANT-2'`
    expect(await standingOf(sku)).toEqual(low)
  })
})

test('a change of what is kept leaves the time of the item’s last change alone', async () => {
  const { sku } = await shop.createProduct(merchant, { stock: [9] })
  const updatedAt = async () =>
    found((await shop.database`SELECT updated_at FROM inventory.stock_item WHERE sku = ${sku}`)[0])
  const before = await updatedAt()
  await setLevel(sku, 0, 0)
  expect(await standingOf(sku)).toEqual(soldOut)
  expect(await updatedAt()).toEqual(before)
})

describe('a product is in stock as long as one of its items is', () => {
  const isInStock = async (id: string): Promise<unknown> =>
    found(
      (
        await shop.database`
          SELECT in_stock, updated_at = created_at AS untouched FROM catalog.product
          WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`
      )[0],
    )
  const inStock = { in_stock: true, untouched: true }
  const outOfStock = { in_stock: false, untouched: true }

  async function withVariants(prefix: string) {
    const { id } = await shop.createProduct(merchant, { stock: [0] })
    const skus = [`${prefix}-1`, `${prefix}-2`]
    for (const sku of skus) {
      await addVariant(id, sku)
      await shop.database`
        INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
        SELECT i.merchant_id, i.id, ${found(merchant.warehouseIds[0])}, 3 FROM inventory.stock_item i
        WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku}`
    }
    return { id, skus: [found(skus[0]), found(skus[1])] as const }
  }

  test('its own', async () => {
    const { id, sku } = await shop.createProduct(merchant, { stock: [2] })
    expect(await isInStock(id)).toEqual(inStock)
    await shop.call(merchant, 'reserveInventory', { items: [{ sku, quantity: 2 }] })
    expect(await isInStock(id)).toEqual(outOfStock)
    await setLevel(sku, 0, 1)
    expect(await isInStock(id)).toEqual(inStock)
  })

  test('or one of its variants’, which may be deleted', async () => {
    const {
      id,
      skus: [first, second],
    } = await withVariants('KEPT')
    expect(await isInStock(id)).toMatchObject({ in_stock: true })
    await setLevel(first, 0, 0)
    expect(await isInStock(id)).toMatchObject({ in_stock: true })
    await shop.database`
      DELETE FROM catalog.product_variant WHERE merchant_id = ${merchant.merchantId} AND sku = ${second}`
    expect(await isInStock(id)).toMatchObject({ in_stock: false })
  })

  test('when two transactions each sell out the last of two variants', async () => {
    const {
      id,
      skus: [first, second],
    } = await withVariants('RACED')
    let later: Promise<unknown> | undefined
    await shop.database.begin(async (sql) => {
      await sql`
        UPDATE inventory.stock_level l SET available = 0 FROM inventory.stock_item i
        WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${first} AND l.merchant_id = i.merchant_id
          AND l.stock_item_id = i.id`
      later = Promise.resolve(setLevel(second, 0, 0))
      await untilOneWaits()
    })
    await later
    await settleProducts(shop.database)
    expect(await isInStock(id)).toMatchObject({ in_stock: false })
  })

  test('and one that another transaction holds for long lets the order pass, and is right soon after it', async () => {
    const { id, sku } = await shop.createProduct(merchant, { stock: [1] })
    await shop.database.begin(async (sql) => {
      await sql`
        SELECT FROM catalog.product WHERE merchant_id = ${merchant.merchantId} AND id = ${id} FOR NO KEY UPDATE`
      await shop.call(merchant, 'reserveInventory', { items: [{ sku, quantity: 1 }] })
      await settleProducts(shop.database)
      expect(await isInStock(id)).toEqual(inStock)
      await expectShopToAddUp(shop.database, merchant)
    })
    await settleProducts(shop.database)
    expect(await isInStock(id)).toEqual(outOfStock)
    expect(await shop.database`SELECT FROM inventory.unsettled_product`).toHaveLength(0)
  })

  test('an order and an edit that wait for each other both end, the edit by giving way', async () => {
    const { id, sku } = await shop.createProduct(merchant, { stock: [9] })
    const order = await shop.database.reserve()
    try {
      await order`BEGIN`
      await order`
        UPDATE inventory.stock_level l SET reserved = l.reserved + 1 FROM inventory.stock_item i
        WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku} AND l.merchant_id = i.merchant_id
          AND l.stock_item_id = i.id`
      const edit = setStatus(id, 'ARCHIVED').then(
        () => 'done',
        (error: unknown) => (error as { code: string }).code,
      )
      await untilOneWaits()
      // As a payment does that counts what was sold.
      await order`
        UPDATE catalog.product SET popularity = popularity + 1
        WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`
      await order`ROLLBACK`
      expect(await edit).toBe('55P03')
    } finally {
      order.release()
    }
  })
})

const untilOneWaits = () =>
  expect
    .poll(
      async () =>
        (
          await shop.database`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        ).length,
    )
    .toBeGreaterThan(0)

describe('of two transactions that change one item, the second sees what the first changed:', () => {
  /** Both have changed their own row before the first commits. */
  async function meet(expected: object, second: (sku: string) => PromiseLike<unknown>, available = 0) {
    const { sku } = await shop.createProduct(merchant, { stock: [9, 9] })
    let later: Promise<unknown> | undefined
    await shop.database.begin(async (sql) => {
      await sql`
        UPDATE inventory.stock_level l SET available = ${available} FROM inventory.stock_item i
        WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku} AND l.merchant_id = i.merchant_id
          AND l.stock_item_id = i.id AND l.warehouse_id = ${found(merchant.warehouseIds[0])}`
      later = Promise.resolve(second(sku))
      await untilOneWaits()
    })
    await later
    expect(await standingOf(sku)).toEqual(expected)
  }

  test('levels of two warehouses', async () => {
    await meet(soldOut, (sku) => setLevel(sku, 1, 0))
  })

  test('a level and the threshold', async () => {
    await meet(low, (sku) => setThreshold(sku, 9))
  })

  test('a level that leaves plenty, and a threshold above it', async () => {
    await meet(low, (sku) => setThreshold(sku, 17), 8)
  })

  test('a level and a warehouse that goes out of use', async () => {
    await meet(soldOut, () => setActive(1, false))
    await setActive(1, true)
  })
})

test('a shop whose levels, thresholds, warehouses and products change side by side adds up', async () => {
  const products = await Promise.all(
    Array.from({ length: 6 }, () => shop.createProduct(merchant, { stock: [6, 6] })),
  )
  let seed = 1
  const drawn = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const operations = Array.from({ length: 300 }, () => {
    const { id, sku } = found(products[drawn(products.length)])
    const amount = drawn(12)
    const choices = [
      () => setLevel(sku, drawn(2), amount),
      () => setLevel(sku, drawn(2), amount),
      () => shop.call(merchant, 'reserveInventory', { items: [{ sku, quantity: 1 + (amount % 3) }] }),
      () => setThreshold(sku, amount === 0 ? null : amount),
      () => setStatus(id, amount % 2 === 0 ? 'ARCHIVED' : 'ACTIVE'),
      () => setActive(1, amount % 2 === 0),
      () => setDefaultThreshold(amount),
    ]
    return found(choices[drawn(choices.length)])
  })
  for (let at = 0; at < operations.length; at += 8)
    await Promise.all(operations.slice(at, at + 8).map((operation) => operation()))
  await setActive(1, true)
  await settleProducts(shop.database)
  await expectShopToAddUp(shop.database, merchant)
})
