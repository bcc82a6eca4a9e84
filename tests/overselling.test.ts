import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'
import { createCustomer, createOrder, createStockedProduct, stockOf } from './support/shop.ts'

const stock = 50
const buyers = 200

describe('a SKU with more demand than stock', () => {
  let platform: TestPlatform
  let client: Client

  beforeAll(async () => {
    platform = await startTestPlatform()
    client = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  })
  afterAll(() => platform.stop())

  test('is sold exactly as often as it is in stock, and the other buyers get the remaining number', async () => {
    const product = await createStockedProduct(client, stock)
    const customerId = await createCustomer(client)

    const answers = await Promise.all(
      Array.from({ length: buyers }, () =>
        createOrder(client, customerId, [{ productId: product.id, quantity: 1 }]),
      ),
    )

    const placed = answers.filter((answer) => answer.data?.createOrder?.order != null)
    const refused = answers.filter((answer) => answer.errors[0]?.extensions.id === 'SVC_BIZ_001')
    expect(placed).toHaveLength(stock)
    expect(refused).toHaveLength(buyers - stock)
    for (const { status, errors } of refused) {
      expect(status).toBe(400)
      expect(errors[0]?.message).toBe('Insufficient inventory. Available: 0, Requested: 1')
    }
    expect(await stockOf(client, product.sku)).toMatchObject({ available: 0, reserved: stock })
  })

  test('never blocks two orders that name the same SKUs in opposite order', async () => {
    const first = await createStockedProduct(client, 1000)
    const second = await createStockedProduct(client, 1000)
    const customerId = await createCustomer(client)
    const lines = [
      { productId: first.id, quantity: 1 },
      { productId: second.id, quantity: 2 },
    ]

    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        createOrder(client, customerId, index % 2 === 0 ? lines : lines.toReversed()),
      ),
    )

    expect(answers.filter((answer) => answer.data?.createOrder?.order == null)).toEqual([])
    expect(await stockOf(client, first.sku)).toMatchObject({ available: 940, reserved: 60 })
    expect(await stockOf(client, second.sku)).toMatchObject({ available: 880, reserved: 120 })
  })
})
