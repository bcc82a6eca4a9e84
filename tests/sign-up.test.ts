import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import type { Payload } from './support/guest.ts'
import { payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const page = 'https://platform.example/welcome#'
const shop = { name: 'Old Mill', email: 'mill@example.com', country: 'DE', currency: 'EUR' }

let catcher: MailCatcher
let platform: TestPlatform
let sql: postgres.Sql

beforeAll(async () => {
  catcher = await startMailCatcher()
  platform = await startTestPlatform({ smtpUrl: catcher.url, signUpUrl: `${page}{token}` })
  sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => undefined })
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
  await catcher.close()
})
beforeEach(() => sql`DELETE FROM operator.sign_up`)

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(new URL(path, platform.graphqlUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** The tokens that were mailed to an address, oldest first. */
const tokensFor = (email: string): readonly string[] =>
  catcher.mails
    .filter(({ to }) => to.includes(email))
    .map(({ source }) => /welcome#=?\s*([\w=\s-]+?)\s*\n\s*\n?The link/.exec(source)?.[1] ?? '')
    .map((token) => token.replaceAll(/=\r?\n|\s/g, ''))

async function ask(email: string): Promise<string> {
  const answered = await post('/sign-up', { ...shop, email })
  expect([answered.status, await answered.json()]).toEqual([202, {}])
  await vi.waitFor(() => expect(tokensFor(email)).toHaveLength(1), { timeout: 20_000, interval: 100 })
  return tokensFor(email)[0] ?? ''
}

interface SignedUp {
  readonly merchantId: string
  readonly liveKey: string
  readonly testKey: string
  readonly publishableKey: string
  readonly ownerToken: string
}

test('a confirmed address opens one shop with keys that work, however often its link is used at once', async () => {
  const token = await ask('first@example.com')
  const answers = await Promise.all(Array.from({ length: 5 }, () => post('/sign-up/confirm', { token })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const [opened, ...repeated] = (await Promise.all(answers.map((one) => one.json()))) as readonly SignedUp[]
  for (const one of repeated) expect(one).toEqual(opened)
  const { merchantId, liveKey, ownerToken } = opened as SignedUp
  const rows =
    await sql`SELECT id FROM merchant.merchant WHERE email = 'first@example.com' AND twin_of IS NULL`
  expect(rows).toEqual([{ id: merchantId }])

  const key = createClient(platform.graphqlUrl, bearer(liveKey))
  expect(succeeded(await key('{ merchantAccount { id name settings { currency } } }'))).toEqual({
    merchantAccount: { id: merchantId, name: 'Old Mill', settings: { currency: 'EUR' } },
  })
  const password = 'horses eat no cucumber'
  payload(
    await key<Record<string, Payload>>(
      'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) { errors { field message code } } }',
      { token: ownerToken, password },
    ),
  )
  payload(
    await key<Record<string, Payload>>(
      'mutation ($input: SignInUserInput!) { signInUser(input: $input) { accessToken errors { field message code } } }',
      { input: { email: 'first@example.com', password } },
    ),
  )
  // The mail that confirmed the address is the only one.
  expect(catcher.mails.filter(({ to }) => to.includes('first@example.com'))).toHaveLength(1)
  const [entry] =
    await sql`SELECT operation, actor_kind FROM audit.entry WHERE merchant_id = ${merchantId} AND operation = 'signUp'`
  expect(entry).toEqual({ operation: 'signUp', actor_kind: 'OPERATOR' })
})

test('a link is good for nothing once its keys were shown, and after a day', async () => {
  const token = await ask('second@example.com')
  expect((await post('/sign-up/confirm', { token })).status).toBe(200)
  await sql`UPDATE operator.sign_up SET opened_at = now() - interval '11 minutes'`
  const refused = {
    errors: [
      { field: 'token', message: 'The token is unknown, has expired or was used', code: 'INVALID_VALUE' },
    ],
  }
  const answer = await post('/sign-up/confirm', { token })
  expect([answer.status, await answer.json()]).toEqual([400, refused])
  const late = await ask('third@example.com')
  await sql`UPDATE operator.sign_up SET expires_at = now()`
  expect(await (await post('/sign-up/confirm', { token: late })).json()).toEqual(refused)
  for (const other of ['', 'x'.repeat(300), 7, null]) {
    expect(await (await post('/sign-up/confirm', { token: other })).json()).toEqual(refused)
  }
})

test('an address that has a shop, or was just used, gets the same answer, and one mail', async () => {
  const email = 'fourth@example.com'
  const token = await ask(email)
  expect((await post('/sign-up/confirm', { token })).status).toBe(200)
  for (const name of ['Again', 'And again']) {
    const answered = await post('/sign-up', { ...shop, name, email })
    expect([answered.status, await answered.json()]).toEqual([202, {}])
  }
  const rows = await sql`SELECT FROM operator.sign_up WHERE email = ${email} AND undelivered IS NOT NULL`
  expect(rows).toHaveLength(0)
  expect(tokensFor(email)).toHaveLength(1)
  await sql`UPDATE operator.sign_up SET created_at = now() - interval '11 minutes'`
  expect((await post('/sign-up', { ...shop, email })).status).toBe(202)
  await vi.waitFor(() => expect(tokensFor(email)).toHaveLength(2), { timeout: 20_000, interval: 100 })
})

test('a mail quotes nothing that its sender wrote', async () => {
  await ask('fifth@example.com')
  expect(catcher.mails.find(({ to }) => to.includes('fifth@example.com'))?.source).not.toContain('Old Mill')
})

test('what is wrong is told by field', async () => {
  const answered = await post('/sign-up', {
    ...shop,
    name: '',
    country: 'Atlantis',
    currency: 'EURO',
    email: 'no address',
  })
  expect(answered.status).toBe(400)
  const { errors } = (await answered.json()) as { errors: readonly { field: string }[] }
  expect(errors.map(({ field }) => field).sort()).toEqual(['country', 'currency', 'email', 'name'])
  const language = await post('/sign-up', { ...shop, language: 'xx' })
  expect(await language.json()).toMatchObject({ errors: [{ field: 'language' }] })
  expect((await post('/sign-up', [])).status).toBe(400)
  expect(await sql`SELECT FROM operator.sign_up`).toHaveLength(0)
})

test('one network asks for twenty shops an hour, and no header changes its network', async () => {
  for (let asked = 0; asked < 20; asked += 1) {
    expect((await post('/sign-up', { ...shop, email: `many${asked}@example.com` })).status).toBe(202)
  }
  const spoofed = {
    'x-forwarded-for': '203.0.113.9',
    'x-client-network': '203.0.113.9',
    'x-client-address': '203.0.113.9',
  }
  const refused = await post('/sign-up', { ...shop, email: 'more@example.com' }, spoofed)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
  expect(await sql`SELECT FROM operator.sign_up WHERE email = 'more@example.com'`).toHaveLength(0)
})

test('a deployment that does not switch it on has no such door', async () => {
  const closed = await startTestPlatform()
  try {
    for (const path of ['/sign-up', '/sign-up/confirm']) {
      const answered = await fetch(new URL(path, closed.graphqlUrl), {
        method: 'POST',
        body: JSON.stringify(shop),
      })
      expect(answered.status).toBe(404)
    }
  } finally {
    await closed.stop()
  }
}, 120_000)
