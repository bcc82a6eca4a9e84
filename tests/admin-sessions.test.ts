import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bearer, createClient } from './support/graphql-client.ts'
import { payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const tokens = z.object({ accessToken: z.string(), merchantId: z.string() })

describe('a session of /admin', { timeout: 60_000 }, () => {
  let platform: TestPlatform
  let origin: string

  beforeAll(async () => {
    platform = await startTestPlatform({ admin: {} })
    origin = new URL(platform.graphqlUrl).origin
  }, 120_000)
  afterAll(() => platform.stop())

  const ownHeaders = () => ({ origin, 'x-commerce-admin': '1', 'content-type': 'application/json' })

  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = ownHeaders()) =>
    fetch(`${origin}/admin/session${path}`, { method: 'POST', headers, body: JSON.stringify(body) })

  const credentials = () => ({ email: platform.userEmail, password: platform.userPassword })

  /** As the browser sends it. */
  const cookieOf = (response: Response): string =>
    response.headers.getSetCookie()[0]?.split(';')[0] ?? 'there is no cookie'

  const withCookie = (cookie: string) => ({ ...ownHeaders(), cookie })

  test('gives the page an access token, and keeps what renews it in a cookie that no script and no other path gets', async () => {
    const response = await post('', credentials())
    expect(response.status).toBe(200)
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^commerce_admin=[^;]+; Path=\/admin\/session; .*HttpOnly; SameSite=Strict/)
    const text = await response.text()
    const { accessToken, merchantId } = tokens.parse(JSON.parse(text))
    expect(merchantId).toBe(platform.merchantId)
    expect(text).not.toContain(cookieOf(response).split('.')[1])
    const { viewer } = succeeded(
      await createClient(
        platform.graphqlUrl,
        bearer(accessToken),
      )<{ viewer: object }>('{ viewer { kind merchant { id } } }'),
    )
    expect(viewer).toEqual({ kind: 'USER', merchant: { id: platform.merchantId } })
  })

  test('is renewed by the cookie, and a page that asks twice at once stays signed in', async () => {
    const cookie = cookieOf(await post('', credentials()))
    const [one, other] = await Promise.all([
      post('/refresh', {}, withCookie(cookie)),
      post('/refresh', {}, withCookie(cookie)),
    ])
    expect([one.status, other.status]).toEqual([200, 200])
    expect(cookieOf(one)).toBe(cookieOf(other))
    expect((await post('/refresh', {}, withCookie(cookieOf(one)))).status).toBe(200)
  })

  test('stays open when the page is loaded again while it is being renewed', { repeats: 5 }, async () => {
    const cookie = cookieOf(await post('', credentials()))
    const left = new AbortController()
    const abandoned = fetch(`${origin}/admin/session/refresh`, {
      method: 'POST',
      headers: withCookie(cookie),
      body: '{}',
      signal: left.signal,
    }).catch(() => undefined)
    const renewed = sleep(Math.random() * 4).then(() => post('/refresh', {}, withCookie(cookie)))
    await sleep(Math.random() * 8)
    left.abort()
    await abandoned
    const answer = await renewed
    expect(answer.status).toBe(200)
    expect((await post('/refresh', {}, withCookie(cookieOf(answer)))).status).toBe(200)
  })

  test('ends with signing out, for its access token, too', async () => {
    const signedIn = await post('', credentials())
    const { accessToken } = tokens.parse(await signedIn.json())
    const ended = await post('/end', {}, withCookie(cookieOf(signedIn)))
    expect(ended.status).toBe(204)
    expect(ended.headers.getSetCookie()[0]).toContain('Max-Age=0')
    expect((await post('/refresh', {}, withCookie(cookieOf(signedIn)))).status).toBe(401)
    const client = createClient(platform.graphqlUrl, bearer(accessToken))
    await expect.poll(async () => (await client('{ viewer { id } }')).status, { timeout: 5_000 }).toBe(401)
  })

  test.each([
    ['another site', { origin: 'https://elsewhere.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a form', { 'x-commerce-admin': '' }],
    ['a page that a browser tells apart', { 'sec-fetch-site': 'same-site' }],
  ])('is not opened, renewed or ended for %s', async (_whom, foreign) => {
    const cookie = cookieOf(await post('', credentials()))
    for (const path of ['', '/refresh', '/end']) {
      const response = await post(path, credentials(), { ...withCookie(cookie), ...foreign })
      expect(response.status).toBe(403)
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect((await post('/refresh', {}, withCookie(cookie))).status).toBe(200)
  })

  test('shows the field at fault, and never whether an address has an account', async () => {
    const wrong = await post('', { ...credentials(), password: 'not the password' })
    const unknown = await post('', { email: 'nobody@example.com', password: 'not the password' })
    expect([wrong.status, unknown.status]).toEqual([422, 422])
    const body: unknown = await wrong.json()
    expect(await unknown.json()).toEqual(body)
    expect(body).toMatchObject({ errors: [{ field: 'password' }] })
  })

  test('can not be opened at a shop that does not exist, or at another shop', async () => {
    const nowhere = await post('', { ...credentials(), shop: '01a1f000-0001-7000-8000-00000000dead' })
    expect(nowhere.status).toBe(401)
    const elsewhere = await post('', { ...credentials(), shop: '01a1f000-0001-7000-8000-000000000002' })
    expect(elsewhere.status).toBe(422)
  })

  test('is refused to addresses outside of the merchant’s allow-list', async () => {
    const signedIn = tokens.parse(await (await post('', credentials())).json())
    const owner = createClient(platform.graphqlUrl, bearer(platform.liveKey))
    const change = async (mutation: string) =>
      payload(await owner<Record<string, { errors: [] }>>(`mutation { ${mutation} }`))
    await change('addIPWhitelist(ip: "203.0.113.7") { errors { field message code } }')
    await change(
      'updateMerchantAccount(confirmLockout: true, input: { ipWhitelistEnabled: true }) { errors { field message code } }',
    )
    await expect.poll(async () => (await post('', credentials())).status, { timeout: 5_000 }).toBe(403)
    expect(signedIn.merchantId).toBe(platform.merchantId)
  })
})
