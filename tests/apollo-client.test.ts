import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let client: Client
let apollo: ApolloClient
beforeAll(async () => {
  platform = await startTestPlatform()
  client = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  apollo = new ApolloClient({
    link: new HttpLink({ uri: platform.graphqlUrl, headers: bearer(platform.liveKey) }),
    cache: new InMemoryCache(),
  })
}, 120_000)
afterAll(async () => {
  apollo.stop()
  await platform.stop()
})

const pay = gql`
  mutation ($input: PaymentInput!) {
    processPayment(input: $input) {
      id
      status
      error {
        code
        declineCode
      }
    }
  }
`

test('Apollo Client reads why a card was declined, both in the data and as errors', async () => {
  const { id: productId } = await createStockedProduct(client, 1)
  const items = [{ productId, quantity: 1 }]
  const created = succeeded(await createOrder(client, await createCustomer(client), items))
  const input = {
    orderId: created.createOrder?.order?.id,
    method: 'CARD',
    paymentMethodId: 'pm_card_chargeDeclined',
  }
  const { data, error } = await apollo.mutate({ mutation: pay, variables: { input }, errorPolicy: 'all' })
  expect(data).toMatchObject({
    processPayment: {
      status: 'FAILED',
      error: { code: 'card_declined', declineCode: 'generic_decline' },
    },
  })
  expect(CombinedGraphQLErrors.is(error) && error.errors).toMatchObject([
    { path: ['processPayment'], extensions: { id: 'SVC_BIZ_002', statusCode: 402 } },
  ])
})

test('Apollo Client reads the errors of a refused request, and the data next to a refused field', async () => {
  const refused = await apollo.query({ query: gql('{ products(first: 1000) { totalCount } }') }).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(CombinedGraphQLErrors.is(refused) && refused.errors).toMatchObject([
    { extensions: { id: 'SVC_VAL_003', details: { field: 'first' } } },
  ])
})
