import { print } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CustomersDocument, WatchCustomersDocument } from './support/generated/hasura-operations.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { payload, succeeded } from './support/shop.ts'
import { createSubscriptionClient, type SubscriptionClient } from './support/subscription-client.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const password = 'a password for the test'
/** Milliseconds, for steps that take a second at most on an idle machine. */
const busySecond = 10_000

let platform: TestPlatform
let owner: Client
let sockets: SubscriptionClient[] = []
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = as(platform.liveKey)
}, 120_000)
afterAll(() => platform.stop())
afterEach(async () => {
  for (const socket of sockets) await socket.dispose()
  sockets = []
})

const as = (credential: string) => createClient(platform.graphqlUrl, bearer(credential))
const hasura = (credential: string) => createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(credential))

interface Payload {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

interface Token extends Payload {
  readonly accessToken: string
  readonly sessionId: string
}

interface Tokens extends Token {
  readonly refreshToken: string
  readonly customerId: string
}

let customers = 0
/** A customer who has registered in a browser, through the shop's server. */
async function registered(): Promise<Tokens> {
  customers += 1
  const shopsServer = createClient(platform.graphqlUrl, {
    ...bearer(platform.liveKey),
    'x-client-address': '2001:db8:1:2:3::4',
    'x-client-user-agent': 'Mozilla/5.0 (a telephone)',
  })
  return payload(
    await shopsServer<Record<string, Tokens>>(
      `mutation ($input: RegisterCustomerInput!) {
        registerCustomer(input: $input) { accessToken refreshToken customerId errors { field message } }
      }`,
      { input: { email: `session${customers}@example.com`, password, name: 'Ada' } },
    ),
  )
}

const tokenFor = async (customerId: string) =>
  payload(
    await owner<Record<string, Token>>(
      'mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken sessionId errors { field message } } }',
      { id: customerId },
    ),
  )

const block = async (id: string) =>
  payload(
    await owner<Record<string, Payload & { readonly customer: object }>>(
      `mutation ($id: ID!) {
        blockCustomer(id: $id, reason: "Card fraud") { customer { status blockedReason } errors { field message } }
      }`,
      { id },
    ),
  )

/** Opens a socket of a shopper. Returns how many answers it got, and a promise that resolves when it is closed. */
function watch(url: string, credential: string, query: string) {
  const socket = createSubscriptionClient(url, { Authorization: `Bearer ${credential}` })
  sockets.push(socket)
  let received = 0
  const closed = new Promise<void>((resolve) => {
    socket.on('closed', () => resolve())
  })
  socket.subscribe(
    { query },
    { next: () => (received += 1), error: () => undefined, complete: () => undefined },
  )
  return { received: () => received, closed }
}

const statusOf = async (client: Client) => (await client('{ __typename }')).status

describe('what ends a session', () => {
  const endings: Readonly<Record<string, (shopper: Tokens, token: Token) => Promise<unknown>>> = {
    'signing out everywhere': ({ refreshToken }) =>
      owner('mutation ($t: String!) { signOut(refreshToken: $t, everywhere: true) { success } }', {
        t: refreshToken,
      }),
    'a new password': ({ accessToken }) =>
      as(accessToken)(
        'mutation ($now: String!, $new: String!) { changePassword(currentPassword: $now, newPassword: $new) { success } }',
        { now: password, new: `${password} and another` },
      ),
    'blocking the customer': ({ customerId }) => block(customerId),
    'revoking it': ({ accessToken }, { sessionId }) =>
      as(accessToken)('mutation ($id: ID!) { revokeSession(id: $id) { success } }', { id: sessionId }),
  }
  test.each(Object.keys(endings))(
    '%s ends a token of the merchant’s back end in both APIs and in open WebSockets',
    async (how) => {
      const shopper = await registered()
      const token = await tokenFor(shopper.customerId)
      const { accessToken } = token
      expect(succeeded(await as(accessToken)('{ viewer { id sessionId } }'))).toEqual({
        viewer: { id: shopper.customerId, sessionId: token.sessionId },
      })
      expect((await hasura(accessToken)(CustomersDocument)).errors).toEqual([])
      const cartId = await cartOf(accessToken)
      const contract = watch(
        platform.graphqlUrl,
        accessToken,
        `subscription { cart(id: "${cartId}") { id } }`,
      )
      const engine = watch(`${platform.hasuraUrl}/v1/graphql`, accessToken, print(WatchCustomersDocument))
      await expect
        .poll(() => contract.received() > 0 && engine.received() > 0, { timeout: 20_000 })
        .toBe(true)

      await endings[how]?.(shopper, token)
      const atMost = { timeout: busySecond, interval: 20 }
      await contract.closed
      await engine.closed
      await expect.poll(() => statusOf(as(accessToken)), atMost).toBe(401)
      await expect
        .poll(async () => (await hasura(accessToken)(CustomersDocument)).errors, atMost)
        .not.toEqual([])
    },
  )

  async function cartOf(credential: string): Promise<string> {
    const { cart } = payload(
      await as(credential)<Record<string, Payload & { readonly cart: { readonly id: string } }>>(
        'mutation { createCart(input: {}) { cart { id } errors { field message } } }',
      ),
    )
    return cart.id
  }
})

interface SessionPage {
  readonly edges: readonly { readonly node: Readonly<Record<string, unknown>> }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
  readonly totalCount: number
}

describe('sessions', () => {
  const fields = 'id origin device network createdAt lastUsedAt expiresAt'

  test('of a shopper are listed page by page to that shopper only', async () => {
    const shopper = await registered()
    const other = await registered()
    const tokens = [await tokenFor(shopper.customerId), await tokenFor(shopper.customerId)]
    const page = async (after: string | null) =>
      succeeded(
        await as(shopper.accessToken)<{ sessions: SessionPage }>(
          `query ($after: String) {
            sessions(first: 2, after: $after) { edges { node { ${fields} } } pageInfo { hasNextPage endCursor } totalCount }
          }`,
          { after },
        ),
      ).sessions
    const first = await page(null)
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } })
    expect(first.edges.map(({ node }) => node['id'])).toEqual(
      tokens.map(({ sessionId }) => sessionId).reverse(),
    )
    const last = await page(first.pageInfo.endCursor)
    expect(last.edges).toMatchObject([
      { node: { origin: 'SIGN_IN', device: 'Mozilla/5.0 (a telephone)', network: '2001:db8:1:2::' } },
    ])
    const theirs = await as(other.accessToken)<{ sessions: SessionPage }>('{ sessions { totalCount } }')
    expect(succeeded(theirs).sessions.totalCount).toBe(1)
  })

  test('of a customer are listed to the merchant with their origin; a key has no sessions', async () => {
    const shopper = await registered()
    await tokenFor(shopper.customerId)
    const query = `query ($id: ID!) {
      sessions { totalCount }
      customer(id: $id) { status sessions { edges { node { origin openedByKind openedByName } } } }
    }`
    expect(succeeded(await owner(query, { id: shopper.customerId }))).toMatchObject({
      sessions: { totalCount: 0 },
      customer: {
        status: 'ACTIVE',
        sessions: {
          edges: [
            { node: { origin: 'BACKEND', openedByKind: 'KEY' } },
            { node: { origin: 'SIGN_IN', openedByKind: 'KEY' } },
          ],
        },
      },
    })
    const { errors } = await as(shopper.accessToken)('{ sessions { edges { node { openedByName } } } }')
    expect(errors[0]).toMatchObject({ extensions: { id: 'SVC_AUTH_003' } })
  })

  test('of a blocked customer end, and the customer can be found by status', async () => {
    const shopper = await registered()
    expect(await block(shopper.customerId)).toMatchObject({
      customer: { status: 'BLOCKED', blockedReason: 'Card fraud' },
    })
    const { customers: found } = succeeded(
      await owner<{ customers: SessionPage }>(
        '{ customers(filters: { status: BLOCKED }) { edges { node { id blockedAt sessions { totalCount } } } } }',
      ),
    )
    expect(found.edges.map(({ node }) => node)).toContainEqual(
      expect.objectContaining({ id: shopper.customerId, sessions: { totalCount: 0 } }),
    )
    const audited = async () =>
      succeeded(
        await owner<{ auditEntries: SessionPage }>(
          'query ($id: ID!) { auditEntries(filters: { targetId: $id }) { edges { node { operation outcome } } } }',
          { id: shopper.customerId },
        ),
      ).auditEntries.edges.map(({ node }) => node)
    await expect
      .poll(audited, { timeout: 10_000 })
      .toContainEqual({ operation: 'blockCustomer', outcome: 'DONE' })
  })
})
