import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generate, loadContext } from '@graphql-codegen/cli'
import { Client, cacheExchange, fetchExchange, type AnyVariables, type TypedDocumentNode } from '@urql/core'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { parse, stringify } from 'yaml'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, createClient } from '../support/graphql-client.ts'
import { shippingAddress, createCustomer, payload, succeeded } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import {
  AddToCartDocument,
  ApplyCouponDocument,
  BookDocument,
  BrowseDocument,
  CheckoutDocument,
  FreeTimesDocument,
  PayDocument,
  ProductPageDocument,
  SearchDocument,
  ServicesDocument,
  StartCartDocument,
  TrackDocument,
} from './generated/operations.ts'

const root = path.resolve(import.meta.dirname, '../..')
const day = 24 * 60 * 60 * 1000

let platform: TestPlatform
let customerId: string
let storefront: Client
/** The merchant's own integration. */
let backOffice: ReturnType<typeof createClient>

beforeAll(async () => {
  platform = await startTestPlatform()
  backOffice = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  customerId = await createCustomer(backOffice)
  const { accessToken } = payload(
    await backOffice<Record<string, { accessToken: string; errors: [] }>>(
      'mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken errors { field message } } }',
      { id: customerId },
    ),
  )
  storefront = new Client({
    url: platform.graphqlUrl,
    fetchOptions: { headers: bearer(accessToken) },
    preferGetMethod: false,
    exchanges: [cacheExchange, fetchExchange],
  })
})
afterAll(() => platform.stop())

async function ask<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const result = await storefront.query(document, variables, { requestPolicy: 'network-only' }).toPromise()
  if (result.error !== undefined) throw result.error
  if (result.data === undefined) throw new Error('an answer without data')
  return result.data
}

async function tell<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const result = await storefront.mutation(document, variables).toPromise()
  if (result.error !== undefined) throw result.error
  if (result.data === undefined) throw new Error('an answer without data')
  return result.data
}

/** The value of `key` in the payload of a mutation that succeeded. */
function done<Payload extends { readonly errors: readonly unknown[] }, Key extends keyof Payload>(
  answered: Payload | null,
  key: Key,
): NonNullable<Payload[Key]> {
  expect(answered?.errors).toEqual([])
  const value = answered?.[key]
  if (value == null) throw new Error(`the payload lacks ${String(key)}`)
  return value
}

/** What the configuration of docs/clients.md generates from an endpoint, with the scalars of codegen.yml. */
async function generatedFrom(url: string, documents: string): Promise<string | undefined> {
  const page = await readFile(path.join(root, 'docs/clients.md'), 'utf8')
  const [, sample = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
  const { config } = parse(await readFile(path.join(root, 'codegen.yml'), 'utf8')) as {
    readonly config: object
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'codegen-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'codegen.yml')
  const own = sample
    .replace('http://127.0.0.1:4000/graphql', url)
    .replace('src/operations.graphql', path.join(root, documents))
  await writeFile(file, `${own}\n${stringify({ config, silent: true })}`)
  vi.stubEnv('API_KEY', platform.liveKey)
  onTestFinished(() => void vi.unstubAllEnvs())
  const [generated] = (await generate(await loadContext(file), false)) as { readonly content: string }[]
  return generated?.content
}

test.each([
  ['/graphql', 'tests/journey/journey.graphql', 'tests/journey/generated/operations.ts'],
  ['/v1/graphql', 'tests/support/hasura-operations.graphql', 'tests/support/generated/hasura-operations.ts'],
])('a client that generates types from %s gets those that are checked in', async (api, documents, types) => {
  const url = api === '/graphql' ? platform.graphqlUrl : platform.hasuraUrl + api
  const checkedIn = await readFile(path.join(root, types), 'utf8')
  expect(await generatedFrom(url, documents)).toBe(checkedIn.replace(/^.*\n/, ''))
})

test('Hasura’s API shows a merchant the schema of docs/hasura-schema.graphql', async () => {
  const client = createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(platform.liveKey))
  const introspection = succeeded(await client<IntrospectionQuery>(getIntrospectionQuery()))
  const shown = `${printSchema(lexicographicSortSchema(buildClientSchema(introspection)))}\n`
  const file = path.join(root, 'docs/hasura-schema.graphql')
  // Compared without a diff, which takes minutes for texts of this size.
  expect(shown === (await readFile(file, 'utf8')), 'npm run generate writes it anew').toBe(true)
})

test('a shopper browses, searches, fills a cart, uses a coupon, pays, follows the order, gets a refund and books an appointment', async () => {
  const code = 'WELCOME-10'
  payload(
    await backOffice<Record<string, { errors: [] }>>(
      `mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { errors { field message } } }`,
      {
        input: {
          name: 'Welcome',
          code,
          discountType: 'PERCENTAGE',
          discountValue: 10,
          startDate: '2020-01-01T00:00:00Z',
          endDate: '2098-01-01T00:00:00Z',
        },
      },
    ),
  )

  const first = await ask(BrowseDocument, {})
  const second = await ask(BrowseDocument, { after: first.products.pageInfo.endCursor })
  const shelf = [...first.products.edges, ...second.products.edges].map(({ node }) => node)
  expect(shelf.map(({ price }) => price)).toEqual(shelf.map(({ price }) => price).toSorted((a, b) => a - b))
  const [cheap, other] = shelf.filter(
    ({ hasVariants, inventory }) => !hasVariants && (inventory?.available ?? 0) > 1,
  )
  if (cheap === undefined || other === undefined) throw new Error('the demo shop has nothing on its shelves')

  // A typing error: two letters are swapped.
  const typed = cheap.name.replace(/^(.)(.)(.)/, '$1$3$2')
  const results = (await ask(SearchDocument, { query: typed })).search.results
  const hit = results.find((result) => result.__typename === 'Product' && result.id === cheap.id)
  if (hit?.__typename !== 'Product') throw new Error(`${cheap.name} is not found by ${typed}`)
  expect((await ask(ProductPageDocument, { sku: hit.sku })).product).toMatchObject({
    name: cheap.name,
    price: cheap.price,
  })

  const cart = done(
    (await tell(StartCartDocument, { input: { items: [{ productId: cheap.id, quantity: 2 }] } })).createCart,
    'cart',
  )
  const filled = done(
    (await tell(AddToCartDocument, { cartId: cart.id, item: { productId: other.id, quantity: 1 } }))
      .addCartItem,
    'cart',
  )
  expect(filled).toMatchObject({ itemCount: 3, subtotal: 2 * cheap.price + other.price, discount: 0 })
  const discounted = done((await tell(ApplyCouponDocument, { cartId: cart.id, code })).applyCoupon, 'cart')
  expect(discounted.discount).toBe(Math.round(filled.subtotal / 10))
  expect(discounted.total).toBe(
    discounted.subtotal - discounted.discount + discounted.tax + discounted.shipping,
  )

  const order = done(
    (await tell(CheckoutDocument, { cartId: cart.id, input: { shippingAddress } })).checkoutCart,
    'order',
  )
  expect(order).toMatchObject({ status: 'PENDING', total: discounted.total, customerId })
  const declined = await storefront
    .mutation(PayDocument, {
      input: { orderId: order.id, method: 'CARD', paymentMethodId: 'pm_card_chargeDeclined' },
    })
    .toPromise()
  expect(declined.data?.processPayment?.error).toMatchObject({ code: 'card_declined' })
  const paid = await tell(PayDocument, {
    input: { orderId: order.id, method: 'CARD', paymentMethodId: 'pm_card_visa' },
  })
  expect(paid.processPayment).toMatchObject({ status: 'SUCCEEDED', errors: [] })

  payload(
    await backOffice<Record<string, { errors: [] }>>(
      `mutation ($id: ID!, $input: FulfillOrderInput!) { fulfillOrder(id: $id, input: $input) { errors { field message } } }`,
      { id: order.id, input: { carrier: 'DHL', trackingNumber: '00340434' } },
    ),
  )
  const tracked = (await ask(TrackDocument, { id: order.id })).order
  expect(tracked).toMatchObject({
    status: 'SHIPPED',
    payment: { status: 'SUCCEEDED', refundedAmount: 0 },
    fulfillment: { carrier: 'DHL', trackingNumber: '00340434' },
    items: expect.arrayContaining([
      expect.objectContaining({ productName: cheap.name, quantity: 2, price: cheap.price }),
    ]) as unknown,
  })

  const line = tracked?.items.find(({ productName }) => productName === cheap.name)
  payload(
    await backOffice<Record<string, { errors: [] }>>(
      `mutation ($id: ID!, $input: RefundOrderInput!) { refundOrder(id: $id, input: $input) { errors { field message } } }`,
      { id: order.id, input: { items: [{ orderItemId: line?.id, quantity: 1 }], reason: 'A scratch' } },
    ),
  )
  const refunded = (await ask(TrackDocument, { id: order.id })).order?.payment
  expect(refunded?.status).toBe('PARTIALLY_REFUNDED')
  // The shopper paid nine tenths of its price, and tax.
  expect(refunded?.refundedAmount).toBeGreaterThanOrEqual(Math.floor(cheap.price * 0.9))
  expect(refunded?.refundedAmount).toBeLessThan(cheap.price * 1.1)

  const [service] = (await ask(ServicesDocument, {})).bookingServices.edges
  if (service === undefined) throw new Error('the demo shop has no services')
  const [time] = (
    await ask(FreeTimesDocument, {
      serviceId: service.node.id,
      from: new Date().toISOString(),
      to: new Date(Date.now() + 14 * day).toISOString(),
    })
  ).availability
  if (time === undefined) throw new Error('nothing is free for two weeks')
  const appointment = done(
    (
      await tell(BookDocument, {
        input: { startTime: time.startTime, staffId: time.staffId, serviceId: service.node.id, customerId },
      })
    ).createAppointment,
    'appointment',
  )
  expect(appointment).toMatchObject({
    status: 'SCHEDULED',
    startTime: time.startTime,
    service: { name: service.node.name },
  })
})
