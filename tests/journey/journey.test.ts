import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generate, loadContext } from '@graphql-codegen/cli'
import { createClient, unwrap, type Client } from '@commerce-graph/client'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { parse, stringify } from 'yaml'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, createClient as createPlainClient } from '../support/graphql-client.ts'
import { shippingAddress, createCustomer, payload, succeeded } from '../support/shop.ts'
import { longTest, longTests } from '../support/long-tests.ts'
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
let backOffice: ReturnType<typeof createPlainClient>

beforeAll(async () => {
  platform = await startTestPlatform()
  backOffice = createPlainClient(platform.graphqlUrl, bearer(platform.liveKey))
  customerId = await createCustomer(backOffice)
  const { accessToken } = payload(
    await backOffice<Record<string, { accessToken: string; errors: [] }>>(
      'mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken errors { field message } } }',
      { id: customerId },
    ),
  )
  storefront = createClient({ url: platform.graphqlUrl, accessToken: () => accessToken })
})
afterAll(() => platform.stop())

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

async function expectGenerated(api: string, documents: string, types: string): Promise<void> {
  const url = api === '/graphql' ? platform.graphqlUrl : platform.hasuraUrl + api
  const checkedIn = await readFile(path.join(root, types), 'utf8')
  expect(await generatedFrom(url, documents)).toBe(checkedIn.replace(/^.*\n/, ''))
}

test('a client that generates types from /graphql gets those that are checked in', () =>
  expectGenerated('/graphql', 'tests/journey/journey.graphql', 'tests/journey/generated/operations.ts'))

// `npm run generate`, whose files CI compares, makes them of the same schema without a server.
test.skipIf(!longTests)(
  longTest('a client that generates types from /v1/graphql gets those that are checked in'),
  () =>
    expectGenerated(
      '/v1/graphql',
      'tests/support/hasura-operations.graphql',
      'tests/support/generated/hasura-operations.ts',
    ),
)

test('Hasura’s API shows a merchant the schema of docs/hasura-schema.graphql', async () => {
  const client = createPlainClient(`${platform.hasuraUrl}/v1/graphql`, bearer(platform.liveKey))
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

  const first = unwrap(await storefront.query(BrowseDocument))
  const second = unwrap(await storefront.query(BrowseDocument, { after: first.products.pageInfo.endCursor }))
  const shelf = [...first.products.edges, ...second.products.edges].map(({ node }) => node)
  expect(shelf.map(({ price }) => price)).toEqual(shelf.map(({ price }) => price).toSorted((a, b) => a - b))
  const [cheap, other] = shelf.filter(
    ({ hasVariants, inventory }) => !hasVariants && (inventory?.available ?? 0) > 1,
  )
  if (cheap === undefined || other === undefined) throw new Error('the demo shop has nothing on its shelves')

  // A typing error: two letters are swapped.
  const typed = cheap.name.replace(/^(.)(.)(.)/, '$1$3$2')
  const { results } = unwrap(await storefront.query(SearchDocument, { query: typed })).search
  const hit = results.find((result) => result.__typename === 'Product' && result.id === cheap.id)
  if (hit?.__typename !== 'Product') throw new Error(`${cheap.name} is not found by ${typed}`)
  expect(unwrap(await storefront.query(ProductPageDocument, { sku: hit.sku })).product).toMatchObject({
    name: cheap.name,
    price: cheap.price,
  })

  const input = { items: [{ productId: cheap.id, quantity: 2 }] }
  const { cart } = unwrap(await storefront.mutate(StartCartDocument, { input })).createCart
  const cartId = cart?.id ?? ''
  const item = { productId: other.id, quantity: 1 }
  const filled = unwrap(await storefront.mutate(AddToCartDocument, { cartId, item })).addCartItem.cart
  expect(filled).toMatchObject({ itemCount: 3, subtotal: 2 * cheap.price + other.price, discount: 0 })
  const discounted = unwrap(await storefront.mutate(ApplyCouponDocument, { cartId, code })).applyCoupon.cart
  if (filled == null || discounted == null) throw new Error('the payloads lack the cart')
  expect(discounted.discount).toBe(Math.round(filled.subtotal / 10))
  expect(discounted.total).toBe(
    discounted.subtotal - discounted.discount + discounted.tax + discounted.shipping,
  )

  const { order } = unwrap(
    await storefront.mutate(CheckoutDocument, { cartId, input: { shippingAddress } }),
  ).checkoutCart
  const orderId = order?.id ?? ''
  expect(order).toMatchObject({ status: 'PENDING', total: discounted.total, customerId })
  const pay = (paymentMethodId: string) =>
    storefront.mutate(PayDocument, { input: { orderId, method: 'CARD', paymentMethodId } })
  expect(await pay('pm_card_chargeDeclined')).toMatchObject({
    error: { kind: 'payment-failed', declineCode: 'generic_decline' },
    data: { processPayment: { error: { code: 'card_declined' } } },
  })
  expect(unwrap(await pay('pm_card_visa')).processPayment).toMatchObject({ status: 'SUCCEEDED' })

  payload(
    await backOffice<Record<string, { errors: [] }>>(
      `mutation ($id: ID!, $input: FulfillOrderInput!) { fulfillOrder(id: $id, input: $input) { errors { field message } } }`,
      { id: orderId, input: { carrier: 'DHL', trackingNumber: '00340434' } },
    ),
  )
  const tracked = unwrap(await storefront.query(TrackDocument, { id: orderId })).order
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
      { id: orderId, input: { items: [{ orderItemId: line?.id, quantity: 1 }], reason: 'A scratch' } },
    ),
  )
  const refunded = unwrap(await storefront.query(TrackDocument, { id: orderId })).order?.payment
  expect(refunded?.status).toBe('PARTIALLY_REFUNDED')
  // The shopper paid nine tenths of its price, and tax.
  expect(refunded?.refundedAmount).toBeGreaterThanOrEqual(Math.floor(cheap.price * 0.9))
  expect(refunded?.refundedAmount).toBeLessThan(cheap.price * 1.1)

  const [service] = unwrap(await storefront.query(ServicesDocument)).bookingServices.edges
  if (service === undefined) throw new Error('the demo shop has no services')
  const [time] = unwrap(
    await storefront.query(FreeTimesDocument, {
      serviceId: service.node.id,
      from: new Date().toISOString(),
      to: new Date(Date.now() + 14 * day).toISOString(),
    }),
  ).availability
  if (time === undefined) throw new Error('nothing is free for two weeks')
  const { startTime, staffId } = time
  const booked = await storefront.mutate(BookDocument, {
    input: { startTime, staffId, serviceId: service.node.id, customerId },
  })
  const { appointment } = unwrap(booked).createAppointment
  expect(appointment).toMatchObject({
    status: 'SCHEDULED',
    startTime: time.startTime,
    service: { name: service.node.name },
  })
})
