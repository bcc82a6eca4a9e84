import { afterEach, describe, expect, test } from 'vitest'
import { bearer, createClient, type Answer } from './support/graphql-client.ts'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { longTest, longTests } from './support/long-tests.ts'
import { createCustomer, createOrder, createStockedProduct, stockOf } from './support/shop.ts'

const stock = 50
const buyers = 200
const answersBeforeTheCrash = 25

type OrderAnswer = Awaited<ReturnType<typeof createOrder>>

describe.skipIf(!longTests)(longTest('a platform that is killed under load'), () => {
  let platform: PlatformProcess | undefined
  afterEach(async () => platform?.remove())

  test('keeps every confirmed order after a restart, and sells the remaining stock exactly once', async () => {
    platform = await PlatformProcess.create()
    let ready = await platform.start()
    let client = createClient(ready.graphqlUrl, bearer(ready.liveKey))
    const product = await createStockedProduct(client, stock)
    const customerId = await createCustomer(client)
    const buy = () => createOrder(client, customerId, [{ productId: product.id, quantity: 1 }])

    let answered = 0
    let crashed: Promise<void> | undefined
    const running = platform
    const outcomes = await Promise.allSettled(
      Array.from({ length: buyers }, async () => {
        const answer = await buy()
        answered += 1
        if (answered === answersBeforeTheCrash) crashed = running.kill()
        return answer
      }),
    )
    await crashed
    const confirmed = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? orderIds(outcome.value) : [],
    )
    expect(confirmed.length).toBeGreaterThan(0)
    expect(outcomes.some((outcome) => outcome.status === 'rejected')).toBe(true)

    ready = await platform.start()
    client = createClient(ready.graphqlUrl, bearer(ready.liveKey))
    const stored = await ordersOf(client, product.id)
    for (const id of confirmed) expect(stored).toContain(id)
    expect(await stockOf(client, product.sku)).toMatchObject({
      available: stock - stored.length,
      reserved: stored.length,
    })

    const late = await Promise.all(Array.from({ length: buyers }, buy))
    expect(late.flatMap(orderIds)).toHaveLength(stock - stored.length)
    expect(late.filter((answer) => answer.errors[0]?.extensions.id === 'SVC_BIZ_001')).toHaveLength(
      buyers - (stock - stored.length),
    )
    expect(await stockOf(client, product.sku)).toMatchObject({ available: 0, reserved: stock })
  })
})

function orderIds(answer: OrderAnswer): readonly string[] {
  const order = answer.data?.createOrder?.order
  return order == null ? [] : [order.id]
}

async function ordersOf(
  client: ReturnType<typeof createClient>,
  productId: string,
): Promise<readonly string[]> {
  const answer: Answer<{ product: { orders: { edges: { node: { id: string } }[] } } }> = await client(
    `query ($id: ID!) { product(id: $id) { orders(first: 100) { edges { node { id } } } } }`,
    { id: productId },
  )
  return answer.data?.product.orders.edges.map((edge) => edge.node.id) ?? []
}
