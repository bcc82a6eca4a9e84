import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from './client.ts'
import { refused, startAnsweringServer, type Received } from './testing/answering-server.ts'
import { tokensInBrowser } from './tokens.ts'

/** The entries of localStorage, which all tabs of an origin share. Locks are Node's own, which are those of browsers. */
function openBrowser(entries = new Map<string, string>()): ReadonlyMap<string, string> {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return entries
}

test('two tabs whose access token expires at the same time use the refresh token once', async () => {
  const entries = openBrowser()
  const refreshes: Received[] = []
  const { url } = await startAnsweringServer((received) => {
    if (received.query.includes('refreshSession')) {
      refreshes.push(received)
      return { body: { data: { refreshSession: { accessToken: 'a2', refreshToken: 'r2', errors: [] } } } }
    }
    return received.headers.authorization === 'Bearer a2'
      ? { body: { data: { viewer: 1 } } }
      : refused('SVC_AUTH_002', 401)
  })
  const tab = () => createClient({ url, publishableKey: 'cg_pub_main_1', tokens: tokensInBrowser() })
  await tokensInBrowser().write({ accessToken: 'a1', refreshToken: 'r1' })
  const results = await Promise.all([tab().query('{ viewer }'), tab().query('{ viewer }')])
  expect(results).toMatchObject([{ ok: true }, { ok: true }])
  expect(refreshes).toHaveLength(1)
  expect([...entries]).toEqual([['commerce-graph-tokens', '{"accessToken":"a2","refreshToken":"r2"}']])
})

test('tokens are gone after the session has ended, and an entry of another program is none', async () => {
  const entries = openBrowser(new Map([['mine', '"something else"']]))
  const tokens = tokensInBrowser('mine')
  expect(await tokens.read()).toBeNull()
  await tokens.write({ accessToken: 'a', refreshToken: 'r', refreshKey: 'k' })
  expect(await tokens.read()).toEqual({ accessToken: 'a', refreshToken: 'r', refreshKey: 'k' })
  await tokens.write(null)
  expect(entries.size).toBe(0)
})
