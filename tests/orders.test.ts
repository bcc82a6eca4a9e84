import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

interface UserError {
  readonly field: string
  readonly code: string
}

interface Order {
  readonly id: string
  readonly status: string
  readonly items: readonly { readonly id: string; readonly quantity: number }[]
  readonly fulfillment: { readonly status: string; readonly trackingNumber: string | null }
  readonly shipments: readonly { readonly id: string; readonly status: string }[]
  readonly returns: readonly {
    readonly status: string
    readonly refund: { readonly amount: number } | null
  }[]
  readonly payment: { readonly id: string; readonly status: string; readonly refundedAmount: number }
}

const orderFields = `id status total items { id quantity refundedQuantity } fulfillment { status trackingNumber }
  shipments { id status items { quantity orderItem { productName } } }
  returns { returnNumber status refund { amount items { quantity amount } } }
  payment { id status refundedAmount capturedAmount }`

/** The demo shop over HTTP: an order in two parcels, half of which is returned. */
describe('an order', { timeout: 60_000 }, () => {
  let platform: TestPlatform
  let shop: Client
  let shopper: Client
  let order: Order

  beforeAll(async () => {
    platform = await startTestPlatform()
    shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
    const { orders } = succeeded(
      await shop<{ orders: { edges: { node: { id: string; customerId: string } }[] } }>(
        '{ orders(status: CONFIRMED, first: 1) { edges { node { id customerId } } } }',
      ),
    )
    const node = orders.edges[0]?.node
    if (node === undefined) throw new Error('the demo shop has no paid order')
    const { token } = succeeded(
      await shop<{ token: { accessToken: string } }>(
        'mutation ($id: ID!) { token: createCustomerAccessToken(customerId: $id) { accessToken } }',
        { id: node.customerId },
      ),
    )
    shopper = createClient(platform.graphqlUrl, bearer(token.accessToken))
    order = await find(node.id)
  })
  afterAll(() => platform.stop())

  const find = async (id: string): Promise<Order> =>
    succeeded(await shop<{ order: Order }>(`query ($id: ID!) { order(id: $id) { ${orderFields} } }`, { id }))
      .order

  const run = async (client: Client, mutation: string, variables: Readonly<Record<string, unknown>> = {}) =>
    succeeded(
      await client<{ result: { readonly id?: string; readonly errors: readonly UserError[] } }>(
        mutation,
        variables,
      ),
    ).result

  test('is sent in parts, returned on its customer’s request, and refunded by line', async () => {
    const first = order.items[0]
    if (first === undefined) throw new Error('the order has no line')
    const items = [{ orderItemId: first.id, quantity: 1 }]
    const fulfil = `mutation ($id: ID!, $input: FulfillOrderInput!) {
      result: fulfillOrder(id: $id, input: $input) { order { status } errors { field code } } }`
    const parcel = { items, carrier: 'UPS', trackingNumber: '1Z' }
    expect(await run(shop, fulfil, { id: order.id, input: parcel })).toMatchObject({
      order: { status: 'PROCESSING' },
    })
    expect(await find(order.id)).toMatchObject({ fulfillment: { status: 'PARTIAL', trackingNumber: '1Z' } })
    expect(await run(shop, fulfil, { id: order.id, input: {} })).toMatchObject({
      order: { status: 'SHIPPED' },
    })

    const request = `mutation ($input: RequestReturnInput!) {
      result: requestReturn(input: $input) { return { id status } errors { field code } } }`
    const asked = (await run(shopper, request, {
      input: { orderId: order.id, items: [{ ...items[0], reason: 'DAMAGED' }], note: 'A strap is torn' },
    })) as unknown as { readonly return: { readonly id: string } }
    const id = asked.return.id
    for (const name of ['approveReturn(id: $id)', 'receiveReturn(id: $id, input: {})'])
      await run(shop, `mutation ($id: ID!) { result: ${name} { return { status } errors { field } } }`, {
        id,
      })
    expect(
      await run(
        shop,
        `mutation ($id: ID!) { result: refundReturn(id: $id, input: {}) { refund { amount status items { quantity restockedQuantity } } errors { field } } }`,
        { id },
      ),
    ).toMatchObject({
      errors: [],
      refund: { status: 'SUCCEEDED', items: [{ quantity: 1, restockedQuantity: 0 }] },
    })
    const after = await find(order.id)
    expect(after).toMatchObject({
      status: 'SHIPPED',
      payment: { status: 'PARTIALLY_REFUNDED' },
      returns: [{ status: 'REFUNDED' }],
    })
    expect(after.returns[0]?.refund?.amount).toBe(after.payment.refundedAmount)
  })

  test('shows its customer the history without internal entries, and the history can’t be written', async () => {
    const note = `mutation ($id: ID!, $text: String!, $visible: Boolean!) {
      result: addOrderNote(id: $id, input: { text: $text, visibleToCustomer: $visible }) { order { id } errors { field } } }`
    await run(shop, note, { id: order.id, text: 'Rings twice', visible: false })
    await run(shop, note, { id: order.id, text: 'Thank you', visible: true })
    await run(
      shop,
      'mutation ($id: ID!) { result: updateOrder(id: $id, input: { tags: ["gift"] }) { order { id } errors { field } } }',
      { id: order.id },
    )
    const history = async (client: Client, fields: string) => {
      const pages = []
      let after: string | null = null
      do {
        const { order: found }: HistoryPage = succeeded(
          await client<HistoryPage>(
            `query ($id: ID!, $after: String) { order(id: $id) { history(first: 3, after: $after) {
              edges { node { type note actor ${fields} } } pageInfo { hasNextPage endCursor } } } }`,
            { id: order.id, after },
          ),
        )
        pages.push(...found.history.edges.map(({ node }) => node as Record<string, unknown>))
        after = found.history.pageInfo.hasNextPage ? found.history.pageInfo.endCursor : null
      } while (after !== null)
      return pages
    }
    const staff = await history(shop, 'actorId staffOnly')
    const own = await history(shopper, '')
    expect(staff[0]).toMatchObject({ type: 'PLACED' })
    expect(staff).toContainEqual(
      expect.objectContaining({
        note: 'Rings twice',
        actor: 'MERCHANT',
        actorId: expect.any(String) as string,
      }),
    )
    expect(staff).toContainEqual(
      expect.objectContaining({ type: 'TAGS_CHANGED', note: 'gift', actor: 'MERCHANT' }),
    )
    expect(own).toContainEqual({ type: 'RETURN_REQUESTED', note: 'RMA-00001002', actor: 'CUSTOMER' })
    expect(own).toContainEqual({ type: 'NOTE_ADDED', note: 'Thank you', actor: 'MERCHANT' })
    expect(own.map(({ note }) => note)).not.toContain('Rings twice')
    expect(own).toHaveLength(staff.filter(({ staffOnly }) => staffOnly === false).length)

    const hasura = createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(platform.liveKey))
    const written = await hasura('mutation { delete_ordering_history_entry(where: {}) { affected_rows } }')
    expect(written.text).toContain('not found')
  })

  test('that is named by what is no id is not found under the words of the client', async () => {
    const { data } = await shop<Record<string, { errors: readonly { message: string }[] }>>(
      `mutation {
        cancelOrder(id: "abc", reason: "x") { errors { field message } }
addCartItem(cartId: "c-1", item: { productId: "p-1", quantity: 1 }) { errors { field message } }
      }`,
    )
    expect(data).toEqual({
      cancelOrder: { errors: [{ field: 'id', message: 'Order abc does not exist' }] },
      addCartItem: { errors: [{ field: 'cartId', message: 'Cart c-1 does not exist' }] },
    })
  })

  test('starts as a draft, is completed, and can be found by its number', async () => {
    const { draftOrders } = succeeded(
      await shop<{ draftOrders: { edges: { node: { id: string; total: number } }[] } }>(
        '{ draftOrders(filters: { status: OPEN }) { edges { node { id total tags shippingAddress { city } items { product { name } } } } } }',
      ),
    )
    const draft = draftOrders.edges[0]?.node
    const complete = `mutation ($id: ID!) { result: completeDraftOrder(id: $id) { order { id orderNumber total tags } errors { field code } } }`
    const answer = await run(shop, complete, { id: draft?.id })
    expect(answer).toMatchObject({ errors: [], order: { total: draft?.total, tags: ['phone'] } })
    expect(await run(shop, complete, { id: draft?.id })).toEqual(answer)
    const refused = await shopper('{ draftOrders { totalCount } }')
    expect(refused.text).toContain('SVC_AUTH_003')
  })
})

interface HistoryPage {
  readonly order: {
    readonly history: { readonly edges: readonly { readonly node: object }[]; readonly pageInfo: Page }
  }
}

interface Page {
  readonly hasNextPage: boolean
  readonly endCursor: string | null
}
