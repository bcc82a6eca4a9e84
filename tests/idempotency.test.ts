import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { createCustomer, createStockedProduct, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

interface Payload {
  readonly cart: { readonly id: string } | null
  readonly errors: readonly { readonly field: string; readonly code: string }[]
}

interface Sent {
  readonly status: number
  readonly replayed: string | null
  readonly exposed: string | null
  readonly body: {
    readonly data?: Readonly<Record<string, Payload>>
    readonly errors?: readonly { readonly extensions: { readonly id: string; readonly details: object } }[]
  }
}

let platform: TestPlatform
let customerId: string
beforeAll(async () => {
  platform = await startTestPlatform()
  customerId = await createCustomer(shop())
})
afterAll(() => platform.stop())

const shop = () => createClient(platform.graphqlUrl, bearer(platform.liveKey))

async function send(query: string, variables: object, key: string): Promise<Sent> {
  const response = await fetch(platform.graphqlUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: 'https://shop.example',
      ...bearer(platform.liveKey),
      'idempotency-key': key,
    },
    body: JSON.stringify({ query, variables }),
  })
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed'),
    exposed: response.headers.get('access-control-expose-headers'),
    body: (await response.json()) as Sent['body'],
  }
}

const cartsOf = async (id: string) => {
  const { carts } = succeeded(
    await shop()<{ carts: { totalCount: number } }>(
      'query ($id: ID!) { carts(filters: { customerId: $id }) { totalCount } }',
      { id },
    ),
  )
  return carts.totalCount
}

describe('an Idempotency-Key of an action', () => {
  const CREATE = `mutation ($input: CreateCartInput!) {
    createCart(input: $input) { cart { id items { quantity } } errors { field code } } }`

  test('has it happen once, and says of the second answer that it is the first one', async () => {
    const key = randomUUID()
    const before = await cartsOf(customerId)
    const first = await send(CREATE, { input: { customerId } }, key)
    const second = await send(CREATE, { input: { customerId } }, key)
    expect(first).toMatchObject({ status: 200, replayed: null })
    expect(second).toEqual({ ...first, replayed: 'true' })
    expect(second.exposed).toContain('idempotency-replayed')
    expect(await cartsOf(customerId)).toBe(before + 1)
  })

  test('answers what is asked of the record now', async () => {
    const key = randomUUID()
    const { id: productId } = await createStockedProduct(shop(), 5)
    const first = await send(CREATE, { input: { customerId } }, key)
    const cartId = first.body.data?.['createCart']?.cart?.id
    succeeded(
      await shop()(
        'mutation ($cartId: ID!, $item: CartItemInput!) { addCartItem(cartId: $cartId, item: $item) { errors { code } } }',
        { cartId, item: { productId, quantity: 2 } },
      ),
    )
    const again = await send(CREATE, { input: { customerId } }, key)
    expect(again.body.data).toEqual({
      createCart: { cart: { id: cartId, items: [{ quantity: 2 }] }, errors: [] },
    })
  })

  test('is one for each field of a document, whatever it is called', async () => {
    const key = 'k'.repeat(255)
    const before = await cartsOf(customerId)
    const document = `mutation ($input: CreateCartInput!) {
      ${'a'.repeat(100)}: createCart(input: $input) { cart { id } errors { code } }
      other: createCart(input: $input) { cart { id } errors { code } } }`
    const first = await send(document, { input: { customerId } }, key)
    const ids = Object.values(first.body.data ?? {}).map(({ cart }) => cart?.id)
    expect(new Set(ids).size).toBe(2)
    expect(await send(document, { input: { customerId } }, key)).toEqual({ ...first, replayed: 'true' })
    expect(await cartsOf(customerId)).toBe(before + 2)
  })

  test('is refused with another request', async () => {
    const key = randomUUID()
    await send(CREATE, { input: { customerId } }, key)
    expect(await send(CREATE, { input: { customerId, currency: 'EUR' } }, key)).toMatchObject({
      replayed: null,
      body: { errors: [{ extensions: { id: 'SVC_VAL_004', details: { field: 'Idempotency-Key' } } }] },
    })
  })

  test.each([
    ['nothing', ''],
    ['too much', 'k'.repeat(256)],
    ['more than ASCII', 'clé'],
  ])('that holds %s is refused by the name of the header, and nothing is done', async (_what, key) => {
    const before = await cartsOf(customerId)
    expect(await send(CREATE, { input: { customerId } }, key)).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { id: 'SVC_VAL_002', details: { field: 'Idempotency-Key' } } }] },
    })
    expect(await cartsOf(customerId)).toBe(before)
    // A query is none the worse for it.
    expect(await send('{ __typename }', {}, key)).toMatchObject({ status: 200 })
  })
})
