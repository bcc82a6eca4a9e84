import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const path = '/admin/session'

/** What the server answers to the next requests of a path; the last answer also to all later ones. */
type Answers = Readonly<Record<string, readonly Response[]>>

const tokensFor = (milliseconds: number): Response =>
  Response.json({
    accessToken: 'a token',
    expiresAt: new Date(Date.now() + milliseconds).toISOString(),
    merchantId: 'a shop',
  })

const unavailable = (): Response => new Response('', { status: 503 })

/** The module as a page has it that was signed in before. */
async function openPage(answers: Answers) {
  const left = new Map(Object.entries(answers).map(([name, each]) => [`${path}/${name}`, [...each]]))
  const kept = new Map([['commerce-admin-session', '1']])
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  })
  vi.stubGlobal('navigator', {})
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      addEventListener = vi.fn()
      postMessage = vi.fn()
    },
  )
  const asked = vi.fn((url: string) => {
    const [next, ...later] = left.get(url) ?? []
    if (later.length > 0) left.set(url, later)
    return next === undefined ? Promise.reject(new TypeError('No network')) : Promise.resolve(next.clone())
  })
  vi.stubGlobal('fetch', asked)
  vi.resetModules()
  const { session } = await import('../admin/src/session/session.ts')
  await session.resume()
  return { session, asked, isMarked: () => kept.has('commerce-admin-session') }
}

describe('the session of a page of /admin', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  test('is known to be unreachable when the first renewal has no answer, and is there as soon as a later one has', async () => {
    const { session, asked } = await openPage({ refresh: [unavailable(), unavailable(), tokensFor(900_000)] })
    expect(session.current()).toEqual({ kind: 'unreachable', attempts: 1 })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(session.current()).toEqual({ kind: 'unreachable', attempts: 2 })
    await vi.advanceTimersByTimeAsync(4_000)
    expect(session.current()).toMatchObject({ kind: 'in', accessToken: 'a token' })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(asked).toHaveBeenCalledTimes(3)
  })

  test('is asked for every half a minute at last, and at once when somebody wants it', async () => {
    const { session, asked } = await openPage({})
    await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 8_000 + 16_000 + 30_000)
    expect(asked).toHaveBeenCalledTimes(6)
    await vi.advanceTimersByTimeAsync(29_000)
    expect(asked).toHaveBeenCalledTimes(6)
    await session.renew()
    expect(asked).toHaveBeenCalledTimes(7)
    await vi.advanceTimersByTimeAsync(29_000)
    expect(asked).toHaveBeenCalledTimes(7)
  })

  test('is over when the server says so after it had no answer', async () => {
    const { session, isMarked } = await openPage({
      refresh: [unavailable(), new Response('', { status: 401 })],
    })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(session.current()).toEqual({ kind: 'out', ended: false })
    expect(isMarked()).toBe(false)
  })

  test.each([
    ['fails', { end: [unavailable()] }],
    ['is lost', {}],
  ])('lives on when the request to sign out %s', async (_, end: Answers) => {
    const { session, isMarked } = await openPage({ refresh: [tokensFor(900_000)], ...end })
    expect(await session.signOut()).toBe(false)
    expect(session.current().kind).toBe('in')
    expect(isMarked()).toBe(true)
  })

  test('ends by signing out', async () => {
    const { session, isMarked } = await openPage({
      refresh: [tokensFor(900_000)],
      end: [new Response(null, { status: 204 })],
    })
    expect(await session.signOut()).toBe(true)
    expect(session.current()).toEqual({ kind: 'out', ended: false })
    expect(isMarked()).toBe(false)
  })

  test('ends when a token that is still good is refused, not when one is that couldn’t be renewed in time', async () => {
    const { session } = await openPage({ refresh: [tokensFor(900_000), unavailable()] })
    await vi.advanceTimersByTimeAsync(900_001)
    expect(await session.accessToken()).toBe('a token')
    session.end()
    expect(session.current().kind).toBe('in')
    const other = await openPage({ refresh: [tokensFor(900_000)] })
    other.session.end()
    expect(other.session.current()).toEqual({ kind: 'out', ended: true })
  })
})
