import type { Ready } from '@commerce-graph/platform/testing'
import { bearer, createClient } from './graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, succeeded } from './shop.ts'

interface Paid {
  readonly data: { processPayment: { status: string | null; error: { code: string } | null } | null } | null
  readonly errors: readonly { message: string; extensions: { id: string } }[]
}

/** A new order of the demo shop, paid by card. */
export async function payByCard({ graphqlUrl, liveKey }: Ready): Promise<Paid> {
  const client = createClient(graphqlUrl, bearer(liveKey))
  const product = await createStockedProduct(client, 5)
  const items = [{ productId: product.id, quantity: 1 }]
  const { createOrder: placed } = succeeded(await createOrder(client, await createCustomer(client), items))
  return client(
    `mutation ($input: PaymentInput!) {
      processPayment(input: $input) { status error { code } }
    }`,
    { input: { orderId: placed?.order?.id, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
  )
}
