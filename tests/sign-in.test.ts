import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UsersAndFirstOrderDocument } from './support/generated/hasura-operations.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { shippingAddress, createStockedProduct, payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const newPassword = 'a password for the test'

let catcher: MailCatcher
let platform: TestPlatform
let sql: postgres.Sql
let owner: Client
let storefront: Client
beforeAll(async () => {
  catcher = await startMailCatcher()
  platform = await startTestPlatform({ smtpUrl: catcher.url, rates: ratesFrom({}) })
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  owner = as(platform.liveKey)
  storefront = as(await newKey(['products:read', 'carts:read', 'carts:write', 'customer_sessions:write']))
})
afterAll(async () => {
  await sql.end()
  await platform.stop()
  await catcher.close()
})

const as = (credential: string) => createClient(platform.graphqlUrl, bearer(credential))
const hasura = (credential: string) => createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(credential))

interface Payload {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

interface Tokens extends Payload {
  readonly accessToken: string
  readonly refreshToken: string
}

async function newKey(permissions: readonly string[]): Promise<string> {
  const answer = await owner<Record<string, Payload & { readonly key: string }>>(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key errors { field message } } }`,
    { input: { name: 'Storefront', permissions } },
  )
  return payload(answer).key
}

/** The token in the last mail to this address with these words in its subject. */
async function mailed(email: string, subject: string): Promise<string> {
  const mail = () =>
    catcher.mails.findLast((caught) => caught.to.includes(email) && caught.subject.includes(subject))
  await expect.poll(mail, { timeout: 10_000, interval: 50 }).toBeDefined()
  const [token] =
    /(?<![\w-])main_[\w-]{43}(?![\w-])/.exec((mail()?.source ?? '').replaceAll('=\r\n', '')) ?? []
  return token ?? ''
}

const mutate = async <P extends Payload = Payload>(
  client: Client,
  field: string,
  selection: string,
  variables: Readonly<Record<string, unknown>>,
  declared: string,
) =>
  client<Record<string, P>>(
    `mutation (${declared}) { ${field} { ${selection} errors { field message code } } }`,
    variables,
  )

async function invite(roleName: string): Promise<string> {
  const email = `${roleName.toLowerCase()}@example.com`
  const { roles } = succeeded(
    await owner<{ roles: { edges: { node: { id: string } }[] } }>(
      `query ($name: String!) { roles(filters: { searchQuery: $name }) { edges { node { id } } } }`,
      { name: roleName },
    ),
  )
  payload(
    await mutate(
      owner,
      'createUser(input: $input)',
      'user { id }',
      { input: { email, roleIds: roles.edges.map(({ node }) => node.id) } },
      '$input: CreateUserInput!',
    ),
  )
  payload(
    await mutate(
      owner,
      'resetPassword(token: $token, password: $password)',
      'success',
      { token: await mailed(email, 'invited'), password: newPassword },
      '$token: String!, $password: String!',
    ),
  )
  return email
}

const signInUser = async (email: string) =>
  payload(
    await mutate<Tokens & { readonly userId: string }>(
      owner,
      'signInUser(input: $input)',
      'accessToken refreshToken userId codeRequired',
      { input: { email, password: newPassword } },
      '$input: SignInUserInput!',
    ),
  )

describe('a user', () => {
  test('accepts an invitation and signs in, and both APIs show what the role permits and no more', async () => {
    const email = await invite('Support')
    const { accessToken, userId } = await signInUser(email)
    expect(succeeded(await as(accessToken)('{ viewer { kind id role merchant { id } } }'))).toEqual({
      viewer: { kind: 'USER', id: userId, role: 'merchant', merchant: { id: platform.merchantId } },
    })
    succeeded(await as(accessToken)('{ orders(first: 1) { totalCount } }'))
    const refused = await as(accessToken)('{ users { totalCount } }')
    expect(refused).toMatchObject({ status: 403, errors: [{ extensions: { id: 'SVC_AUTH_003' } }] })
    const rows = succeeded(await hasura(accessToken)(UsersAndFirstOrderDocument))
    expect(rows.identity_user).toEqual([])
    expect(rows.ordering_order).toHaveLength(1)
  })

  test('is signed out of both APIs within a second of being suspended, and neither API shows a password hash', async () => {
    const email = await invite('Manager')
    const { accessToken, userId } = await signInUser(email)
    succeeded(await as(accessToken)('{ viewer { id } }'))
    payload(await mutate(owner, 'suspendUser(id: $id)', 'user { status }', { id: userId }, '$id: ID!'))
    for (const client of [as(accessToken), hasura(accessToken)]) {
      await expect
        .poll(async () => (await client('{ __typename }')).errors.length, { timeout: 1000, interval: 20 })
        .toBe(1)
    }
    const schema = await hasura(platform.liveKey)('{ __schema { types { name fields { name } } } }')
    expect(schema.text).not.toMatch(/credential|passwordHash|password_hash|refresh_token|totp|undelivered/i)
  })
})

test('a guest fills a cart with a storefront’s key, registers, and buys the cart’s items', async () => {
  const product = await createStockedProduct(owner, 5)
  const { cart } = payload(
    await mutate<Payload & { cart: { id: string } }>(
      storefront,
      'createCart(input: $input)',
      'cart { id }',
      { input: { items: [{ productId: product.id, quantity: 2 }] } },
      '$input: CreateCartInput!',
    ),
  )
  const input = { email: 'guest@example.com', password: newPassword, name: 'Guest', cartId: cart.id }
  const registered = payload(
    await mutate<Tokens & { customerId: string; cart: { itemCount: number } }>(
      storefront,
      'registerCustomer(input: $input)',
      'accessToken refreshToken customerId cart { id customerId itemCount }',
      { input },
      '$input: RegisterCustomerInput!',
    ),
  )
  expect(registered.cart).toEqual({ id: cart.id, customerId: registered.customerId, itemCount: 2 })
  const shopper = as(registered.accessToken)
  payload(
    await mutate(
      shopper,
      'checkoutCart(id: $id, input: $input)',
      'order { id }',
      { id: cart.id, input: { shippingAddress } },
      '$id: ID!, $input: CheckoutCartInput!',
    ),
  )
  expect(succeeded(await shopper('{ customers { totalCount } }'))).toEqual({ customers: { totalCount: 1 } })

  const refresh = (client: Client, refreshToken: string) =>
    mutate<Tokens>(
      client,
      'refreshSession(refreshToken: $refreshToken)',
      'accessToken refreshToken',
      { refreshToken },
      '$refreshToken: String!',
    )
  const next = payload(await refresh(storefront, registered.refreshToken))
  expect(await refresh(storefront, registered.refreshToken)).toMatchObject({
    status: 401,
    errors: [{ extensions: { id: 'SVC_AUTH_002' } }],
  })
  await expect
    .poll(async () => (await as(next.accessToken)('{ viewer { id } }')).status, {
      timeout: 1000,
      interval: 20,
    })
    .toBe(401)
})

test('a shopper verifies the address and sets a new password with the mailed links, through the shop’s own page', async () => {
  const email = 'shopper@example.com'
  const url = 'https://shop.example.com/reset#{token}'
  payload(
    await mutate(
      owner,
      'setEmailLink(input: $input)',
      'link { kind url }',
      { input: { kind: 'CUSTOMER_PASSWORD_RESET', url } },
      '$input: SetEmailLinkInput!',
    ),
  )
  expect(succeeded(await owner('{ emailLinks { kind url } }'))).toEqual({
    emailLinks: [{ kind: 'CUSTOMER_PASSWORD_RESET', url }],
  })
  const registered = payload(
    await mutate<Tokens & { customerId: string }>(
      storefront,
      'registerCustomer(input: $input)',
      'accessToken customerId',
      { input: { email, password: 'the one to be forgotten', name: 'Shopper' } },
      '$input: RegisterCustomerInput!',
    ),
  )
  const verification = await mailed(email, 'Confirm')
  const verify = () =>
    mutate(storefront, 'verifyEmail(token: $token)', 'success', { token: verification }, '$token: String!')
  payload(await verify())
  expect((await verify()).data).toMatchObject({ verifyEmail: { errors: [{ field: 'token' }] } })
  const customer = await owner(`{ customer(id: "${registered.customerId}") { emailVerified } }`)
  expect(succeeded(customer)).toEqual({ customer: { emailVerified: true } })

  payload(
    await mutate(
      storefront,
      'requestCustomerPasswordReset(email: $email)',
      'success',
      { email },
      '$email: EmailAddress!',
    ),
  )
  const token = await mailed(email, 'password')
  expect(catcher.mails.findLast(({ to }) => to.includes(email))?.source.replaceAll('=\r\n', '')).toContain(
    `https://shop.example.com/reset#${token}`,
  )
  const set = { token, password: newPassword }
  const declared = '$token: String!, $password: String!'
  payload(
    await mutate(storefront, 'resetPassword(token: $token, password: $password)', 'success', set, declared),
  )
  payload(
    await mutate(
      storefront,
      'signInCustomer(input: $input)',
      'accessToken',
      { input: { email, password: newPassword } },
      '$input: SignInCustomerInput!',
    ),
  )
  const log = await owner(
    `{ emailDeliveries(filters: { recipient: "${email}" }, sortOrder: ASC) { edges { node { kind status html text } } } }`,
  )
  expect(log).toMatchObject({
    data: {
      emailDeliveries: {
        edges: [
          { node: { kind: 'CUSTOMER_EMAIL_VERIFICATION', status: 'SENT' } },
          { node: { kind: 'CUSTOMER_PASSWORD_RESET', status: 'SENT' } },
        ],
      },
    },
  })
  const dump = await sql<{ table: string }[]>`
    SELECT table_name AS table
    FROM (SELECT schemaname || '.' || tablename AS table_name FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$') t
    WHERE query_to_xml(format('SELECT t::text FROM %s t', table_name::regclass), true, false, '')::text LIKE ANY (${[token, verification].map((secret) => `%${secret}%`)})`
  expect(dump).toEqual([])
})

test('password guesses are answered with 429, and the storefront’s key may not sign users in', async () => {
  const guess = (field: string, type: string) =>
    mutate(
      storefront,
      `${field}(input: $input)`,
      'accessToken',
      { input: { email: 'unknown@example.com', password: 'guess' } },
      `$input: ${type}!`,
    )
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect((await guess('signInCustomer', 'SignInCustomerInput')).status).toBe(200)
  }
  expect(await guess('signInCustomer', 'SignInCustomerInput')).toMatchObject({
    status: 429,
    errors: [{ extensions: { id: 'SVC_RATE_001', details: { retryAfter: 2 } } }],
  })
  expect(await guess('signInUser', 'SignInUserInput')).toMatchObject({ status: 403 })
})

test('a hundred wrong passwords at a shop’s sign-in form affect no other client and no other shop', async () => {
  const people = ['first@guessed.example', 'second@guessed.example']
  const refreshTokens: string[] = []
  for (const email of people) {
    const registered = await mutate<Tokens>(
      storefront,
      'registerCustomer(input: $input)',
      'refreshToken',
      { input: { email, password: newPassword, name: 'Guessed' } },
      '$input: RegisterCustomerInput!',
    )
    refreshTokens.push(payload(registered).refreshToken)
  }
  const key = await newKey(['customer_sessions:write'])
  const from = (client?: string) =>
    createClient(platform.graphqlUrl, { ...bearer(key), ...(client && { 'x-client-address': client }) })
  const signIn = (client: string | undefined, email: string, password: string) =>
    mutate(
      from(client),
      'signInCustomer(input: $input)',
      'accessToken',
      { input: { email, password } },
      '$input: SignInCustomerInput!',
    )
  const wrong = Array.from({ length: 110 }, (_, index) =>
    signIn('198.51.100.9', `unknown${index}@guessed.example`, 'a guess'),
  )
  const statuses = (await Promise.all(wrong)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  expect(await signIn('198.51.100.9', people[0] ?? '', newPassword)).toMatchObject({
    status: 429,
    errors: [{ extensions: { id: 'SVC_RATE_001', details: { limit: 'guesses' } } }],
  })
  payload(await signIn('198.51.100.10', people[0] ?? '', newPassword))
  payload(await signIn(undefined, people[1] ?? '', newPassword))
  payload(
    await mutate(
      from('198.51.100.9'),
      'refreshSession(refreshToken: $token)',
      'accessToken',
      { token: refreshTokens[0] },
      '$token: String!',
    ),
  )
  const another = { email: 'third@guessed.example', password: newPassword, name: 'Guessed' }
  payload(
    await mutate(
      from('198.51.100.9'),
      'registerCustomer(input: $input)',
      'accessToken',
      { input: another },
      '$input: RegisterCustomerInput!',
    ),
  )
  expect(await signIn('the browser', people[0] ?? '', newPassword)).toMatchObject({
    status: 400,
    errors: [{ extensions: { id: 'SVC_VAL_002', details: { field: 'X-Client-Address' } } }],
  })
})

test('a third party can verify an access token with the published keys', async () => {
  const { accessToken, userId } = await signInUser(await invite('Read-only'))
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', platform.graphqlUrl))
  const { payload: claims } = await jwtVerify(accessToken, keys, { issuer: 'commerce-graph' })
  expect(claims).toMatchObject({ kind: 'user', sub: userId, merchant_id: platform.merchantId })
})
