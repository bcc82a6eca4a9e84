import { type Client, createClient, bearer } from './graphql-client.ts'
import { payload } from './shop.ts'

export interface Payload {
  readonly errors: readonly {
    readonly field: string | null
    readonly message: string
    readonly code: string
  }[]
}

/** A page of a storefront, with the publishable key and nothing else. */
export interface Page {
  readonly key: string
  readonly origin: string
}

/** A visitor of the page. @param cartSecret of the visitor's cart */
export const visitor = (url: string, { key, origin }: Page, cartSecret?: string): Client =>
  createClient(url, {
    ...bearer(key),
    origin,
    ...(cartSecret !== undefined && { 'x-cart-secret': cartSecret }),
  })

/** A cart with one unit of the product, as a visitor's page makes it. */
export async function createGuestCart(
  client: Client,
  productId: string,
  quantity = 1,
): Promise<{ readonly id: string; readonly secret: string }> {
  const made = payload(
    await client<Record<string, Payload & { cart: { id: string }; secret: string }>>(
      `mutation ($items: [CartItemInput!]) {
        createCart(input: { items: $items }) { cart { id } secret errors { field message code } }
      }`,
      { items: [{ productId, quantity }] },
    ),
  )
  return { id: made.cart.id, secret: made.secret }
}
