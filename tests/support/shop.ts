import { randomUUID } from 'node:crypto'
import type { Answer, Client } from './graphql-client.ts'

export const shippingAddress = {
  line1: '1 Harbour Street',
  city: 'Portland',
  state: 'Maine',
  postalCode: '04101',
  country: 'US',
}

/** The data of an answer without errors; otherwise the test fails and prints the answer. */
export function succeeded<Data>(answer: Answer<Data>): Data {
  if (answer.data === null || answer.errors.length > 0) {
    throw new Error(`the request failed with ${answer.status}: ${answer.text}`)
  }
  return answer.data
}

interface Payload {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

/** The only payload of a mutation without errors; otherwise the test fails. */
export function payload<P extends Payload>(answer: Answer<Readonly<Record<string, P>>>): P {
  const found = Object.values(succeeded(answer))[0]
  if (found === undefined || found.errors.length > 0)
    throw new Error(`the mutation was refused: ${answer.text}`)
  return found
}

export interface StockedProduct {
  readonly id: string
  readonly sku: string
}

/** An active product with the given number of units in the first warehouse. */
export async function createStockedProduct(
  client: Client,
  stock: number,
  price = 1999,
): Promise<StockedProduct> {
  const sku = `TEST-${randomUUID()}`
  const created = payload(
    await client<Record<string, Payload & { product: { id: string } }>>(
      `mutation ($input: CreateProductInput!) {
        createProduct(input: $input) { product { id } errors { field message } }
      }`,
      { input: { name: `Product ${sku}`, sku, price, currency: 'USD', status: 'ACTIVE' } },
    ),
  )
  payload(
    await client<Record<string, Payload>>(
      `mutation ($input: SetInventoryLevelInput!) {
        setInventoryLevel(input: $input) { inventory { available } errors { field message } }
      }`,
      { input: { sku, available: stock } },
    ),
  )
  return { id: created.product.id, sku }
}

export async function createCustomer(client: Client): Promise<string> {
  const created = payload(
    await client<Record<string, Payload & { customer: { id: string } }>>(
      `mutation ($input: CustomerInput!) { createCustomer(input: $input) { customer { id } errors { field message } } }`,
      { input: { email: `${randomUUID()}@example.com`, name: 'Test Customer' } },
    ),
  )
  return created.customer.id
}

export interface PlacedOrder {
  readonly id: string
  readonly status: string
  readonly total: number
}

export const createOrder = async (
  client: Client,
  customerId: string,
  items: readonly { readonly productId: string; readonly quantity: number }[],
): Promise<Answer<{ createOrder: (Payload & { order: PlacedOrder | null }) | null }>> =>
  client(
    `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { order { id status total } errors { field message } }
    }`,
    { input: { customerId, items, shippingAddress } },
  )

export interface StockRow {
  readonly sku: string
  readonly available: number
  readonly reserved: number
}

export async function stockOf(client: Client, sku: string): Promise<StockRow> {
  const { inventory } = succeeded(
    await client<{ inventory: readonly StockRow[] }>(
      `query ($skus: [String!]!) { inventory(skus: $skus) { sku available reserved } }`,
      { skus: [sku] },
    ),
  )
  const row = inventory[0]
  if (row === undefined) throw new Error(`there is no stock of ${sku}`)
  return row
}
