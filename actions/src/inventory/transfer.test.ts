import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../state-machine.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { type TransferEvent, transferMachine, type TransferStatus } from './transfer-machine.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const between = () => ({ fromWarehouseId: merchant.warehouseIds[0], toWarehouseId: merchant.warehouseIds[1] })

async function draft(sku: string, quantity: number): Promise<string> {
  const input = { ...between(), lines: [{ sku, quantity }], expectedDate: '2027-01-05' }
  return String(dataOf(await shop.call(merchant, 'createTransfer', { input }))['transferId'])
}

const statusOf = async (id: string) =>
  found(
    (
      await shop.database<
        { status: TransferStatus }[]
      >`SELECT status FROM inventory.transfer WHERE id = ${id}`
    )[0],
  ).status

const stockOf = async (sku: string) =>
  found(
    (
      await shop.database`
        SELECT s.available, s.in_transit,
          (SELECT jsonb_agg(l.available ORDER BY w.priority) FROM inventory.stock_level l
           JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id
           WHERE l.merchant_id = s.merchant_id AND l.stock_item_id = s.stock_item_id) AS levels
        FROM inventory.sku_inventory s WHERE s.merchant_id = ${merchant.merchantId} AND s.sku = ${sku}`
    )[0],
  )

const events: Readonly<Record<TransferEvent, (id: string, sku: string) => Promise<unknown>>> = {
  edit: (id) => shop.call(merchant, 'updateTransfer', { id, input: { notes: 'Fragile' } }),
  ship: (id) => shop.call(merchant, 'shipTransfer', { id }),
  receivePart: (id, sku) => shop.call(merchant, 'receiveTransfer', { id, lines: [{ sku, quantity: 1 }] }),
  receiveAll: (id) => shop.call(merchant, 'receiveTransfer', { id }),
  cancel: (id) => shop.call(merchant, 'cancelTransfer', { id }),
}

/** The events that lead to each state. */
const paths: Readonly<Record<TransferStatus, readonly TransferEvent[]>> = {
  DRAFT: [],
  IN_TRANSIT: ['ship'],
  PARTIALLY_RECEIVED: ['ship', 'receivePart'],
  RECEIVED: ['ship', 'receiveAll'],
  CANCELLED: ['cancel'],
}

describe('every event in every state follows the table', () => {
  const cases = (Object.keys(transferMachine) as TransferStatus[]).flatMap((status) =>
    (Object.keys(events) as TransferEvent[]).map((event) => ({ status, event })),
  )
  test.each(cases)('$event in $status', async ({ status, event }) => {
    const { sku } = await shop.createProduct(merchant, { stock: [9] })
    const id = await draft(sku, 4)
    for (const step of paths[status]) await events[step](id, sku)
    expect(await statusOf(id)).toBe(status)
    await events[event](id, sku)
    const to = transferMachine[status][event]
    expect(await statusOf(id)).toBe(to === refused ? status : to)
    await expectShopToAddUp(shop.database, merchant)
  })
})

describe('a transfer', () => {
  test('takes stock from one warehouse, is in transit, and arrives in parts', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    const id = await draft(sku, 4)
    expect(await stockOf(sku)).toMatchObject({ available: 5, in_transit: 0 })
    dataOf(await shop.call(merchant, 'shipTransfer', { id }))
    expect(await stockOf(sku)).toMatchObject({ available: 1, in_transit: 4, levels: [1] })
    dataOf(await shop.call(merchant, 'receiveTransfer', { id, lines: [{ sku, quantity: 3 }] }))
    expect(await stockOf(sku)).toMatchObject({ available: 4, in_transit: 1, levels: [1, 3] })
    dataOf(await shop.call(merchant, 'receiveTransfer', { id }))
    expect(await stockOf(sku)).toMatchObject({ available: 5, in_transit: 0, levels: [1, 4] })
    expect(await statusOf(id)).toBe('RECEIVED')
  })

  test('receives only the listed SKUs; the others stay in transit', async () => {
    const [here, there] = [
      await shop.createProduct(merchant, { stock: [5] }),
      await shop.createProduct(merchant, { stock: [5] }),
    ]
    const lines = [here, there].map(({ sku }) => ({ sku, quantity: 2 }))
    const { transferId: id } = dataOf(
      await shop.call(merchant, 'createTransfer', { input: { ...between(), lines } }),
    )
    dataOf(await shop.call(merchant, 'shipTransfer', { id }))
    dataOf(await shop.call(merchant, 'receiveTransfer', { id, lines: [{ sku: here.sku, quantity: 2 }] }))
    expect(await stockOf(here.sku)).toMatchObject({ available: 5, in_transit: 0 })
    expect(await stockOf(there.sku)).toMatchObject({ available: 3, in_transit: 2 })
  })

  test('that is cancelled in transit returns the units that have not arrived', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    const id = await draft(sku, 4)
    dataOf(await shop.call(merchant, 'shipTransfer', { id }))
    dataOf(await shop.call(merchant, 'receiveTransfer', { id, lines: [{ sku, quantity: 1 }] }))
    dataOf(await shop.call(merchant, 'cancelTransfer', { id }))
    expect(await stockOf(sku)).toMatchObject({ available: 5, in_transit: 0, levels: [4, 1] })
  })

  test('can’t be shipped without the units, and reports every shortage', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [2] })
    const id = await draft(sku, 4)
    expect(await shop.call(merchant, 'shipTransfer', { id })).toMatchObject({
      id: 'SVC_BIZ_001',
      details: { sku, available: 2, requested: 4 },
    })
    expect(await stockOf(sku)).toMatchObject({ available: 2, in_transit: 0 })
  })

  test('does not ship reserved units', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    dataOf(await shop.call(merchant, 'reserveInventory', { items: [{ sku, quantity: 3 }] }))
    const id = await draft(sku, 4)
    expect(await shop.call(merchant, 'shipTransfer', { id })).toMatchObject({
      id: 'SVC_BIZ_001',
      details: { sku, available: 2, requested: 4 },
    })
    expect(await statusOf(id)).toBe('DRAFT')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('arrives once, also with concurrent requests', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    const id = await draft(sku, 4)
    dataOf(await shop.call(merchant, 'shipTransfer', { id }))
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        shop.call(merchant, 'receiveTransfer', { id, lines: [{ sku, quantity: 4 }] }),
      ),
    )
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    expect(await stockOf(sku)).toMatchObject({ available: 5, levels: [1, 4] })
  })

  test('reports all its errors at once', async () => {
    const warehouse = merchant.warehouseIds[0]
    const input = {
      fromWarehouseId: warehouse,
      toWarehouseId: warehouse,
      lines: [{ sku: 'UNKNOWN-SKU', quantity: 1 }],
    }
    expect(await shop.call(merchant, 'createTransfer', { input })).toMatchObject({
      errors: [
        { field: 'toWarehouseId', code: 'INVALID_VALUE' },
        { field: 'lines.0.sku', code: 'NOT_FOUND' },
      ],
    })
    expect(
      await shop.call(merchant, 'createTransfer', { input: { ...input, expectedDate: '2027-02-30' } }),
    ).toMatchObject({
      errors: [
        { field: 'expectedDate', code: 'INVALID_FORMAT' },
        { field: 'lines.0.sku', code: 'NOT_FOUND' },
      ],
    })
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    const id = await draft(sku, 4)
    await events.ship(id, sku)
    const lines = [
      { sku, quantity: 5 },
      { sku: 'UNKNOWN-SKU', quantity: 1 },
    ]
    expect(await shop.call(merchant, 'receiveTransfer', { id, lines })).toMatchObject({
      errors: [
        { field: 'lines.0.quantity', code: 'OUT_OF_RANGE' },
        { field: 'lines.1.sku', code: 'INVALID_VALUE' },
      ],
    })
  })

  test('of another merchant is not found', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    const id = await draft(sku, 1)
    const other = await shop.createMerchant()
    for (const name of ['shipTransfer', 'receiveTransfer', 'cancelTransfer'])
      expect(await shop.call(other, name, { id })).toMatchObject({
        errors: [{ field: 'id', code: 'NOT_FOUND' }],
      })
    expect(await statusOf(id)).toBe('DRAFT')
  })
})

describe('bought stock', () => {
  async function expectStock(sku: string, quantity: number): Promise<string> {
    const input = { sku, quantity, expectedDate: '2027-01-05', reference: 'PO-7' }
    return String(dataOf(await shop.call(merchant, 'createIncomingStock', { input }))['incomingStockId'])
  }
  const arrivalOf = async (id: string) =>
    found(
      (
        await shop.database`SELECT status, quantity, received_quantity FROM inventory.incoming_stock WHERE id = ${id}`
      )[0],
    )

  test('may bring a level above the bound, from where it can only go down', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [2] })
    dataOf(await shop.call(merchant, 'receiveIncomingStock', { id: await expectStock(sku, 999_999) }))
    const adjust = (delta: number) =>
      shop.call(merchant, 'adjustInventory', { input: { sku, delta, reason: 'Counted' } })
    expect(await adjust(1)).toMatchObject({
      errors: [
        {
          field: 'delta',
          code: 'OUT_OF_RANGE',
          message: 'Value 1 is outside acceptable range -1000001-0. Available: 1000001',
        },
      ],
    })
    dataOf(await adjust(-1))
    expect(await stockOf(sku)).toMatchObject({ available: 1_000_000 })
    dataOf(await adjust(-2))
    dataOf(await adjust(1))
    expect(await stockOf(sku)).toMatchObject({ available: 999_999 })
    expect(await adjust(1)).toMatchObject({ errors: [{ field: 'delta', code: 'OUT_OF_RANGE' }] })
  })

  test('arrives in parts, and never more than is expected', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    const id = await expectStock(sku, 10)
    expect(await stockOf(sku)).toMatchObject({ available: 0, in_transit: 10 })
    dataOf(await shop.call(merchant, 'receiveIncomingStock', { id, quantity: 4 }))
    expect(await stockOf(sku)).toMatchObject({ available: 4, in_transit: 6 })
    expect(await shop.call(merchant, 'receiveIncomingStock', { id, quantity: 7 })).toMatchObject({
      errors: [{ field: 'quantity', code: 'OUT_OF_RANGE' }],
    })
    expect(await shop.call(merchant, 'updateIncomingStock', { id, input: { quantity: 3 } })).toMatchObject({
      errors: [{ field: 'quantity', code: 'OUT_OF_RANGE' }],
    })
    dataOf(
      await shop.call(merchant, 'updateIncomingStock', { id, input: { quantity: 5, expectedDate: null } }),
    )
    dataOf(await shop.call(merchant, 'receiveIncomingStock', { id }))
    expect(await arrivalOf(id)).toMatchObject({ status: 'RECEIVED', quantity: 5, received_quantity: 5 })
    expect(await stockOf(sku)).toMatchObject({ available: 5, in_transit: 0 })
    expect(await shop.call(merchant, 'cancelIncomingStock', { id })).toMatchObject({
      errors: [{ field: 'id' }],
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that is cancelled keeps the units that have arrived', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    const id = await expectStock(sku, 10)
    dataOf(await shop.call(merchant, 'receiveIncomingStock', { id, quantity: 4 }))
    dataOf(await shop.call(merchant, 'cancelIncomingStock', { id }))
    expect(await arrivalOf(id)).toMatchObject({ status: 'CANCELLED' })
    expect(await stockOf(sku)).toMatchObject({ available: 4, in_transit: 0 })
  })

  test('of a transfer is received by the transfer', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    await events.ship(await draft(sku, 4), sku)
    const [row] = await shop.database<{ id: string }[]>`
      SELECT n.id FROM inventory.incoming_stock n JOIN inventory.stock_item i ON i.id = n.stock_item_id WHERE i.sku = ${sku}`
    expect(await shop.call(merchant, 'receiveIncomingStock', { id: found(row).id })).toMatchObject({
      errors: [{ field: 'id', code: 'INVALID_VALUE' }],
    })
  })
})
