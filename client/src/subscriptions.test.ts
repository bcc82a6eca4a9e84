import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Credential } from './caller.ts'
import { createClient } from './client.ts'
import { createSubscriptions } from './subscriptions.ts'
import { type Close, type ClosingGatewayOptions, startClosingGateway } from './testing/closing-gateway.ts'
import { tokensInMemory } from './tokens.ts'

/** What the platform can't be made to do on request: time that passes without data, and closed connections. */

const minute = 60_000
const expired: Close = [4401, 'SVC_AUTH_002: The access token has expired']
const stopping: Close = [1001, 'The server is stopping']

/** Lets time pass for what asks how late it is. Timers go on as they are. */
function passTime(): (milliseconds: number) => void {
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(new Date('2031-05-06T07:08:09Z'))
  return (milliseconds) => void vi.setSystemTime(Date.now() + milliseconds)
}

/** A loop over a subscription, with what it got and lost, and the error that ended it. */
async function follow(options: ClosingGatewayOptions, credential: Credential) {
  const gateway = await startClosingGateway(options)
  const client = createClient({ url: gateway.url, retryPolicy: { retries: 0 }, ...credential })
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const seen: unknown[] = []
  const lost: string[] = []
  const onInterrupted = ({ kind }: { readonly kind: string }) => void lost.push(kind)
  const subscribed = createSubscriptions(client).subscribe(
    'subscription { orderCreated { orderNumber } }',
    {},
    { signal: leaving.signal, onInterrupted },
  )
  const ended = (async () => {
    for await (const data of subscribed) seen.push(data)
  })().catch((error: unknown) => error)
  const running = (number: number) =>
    vi.waitFor(() => expect(gateway.subscriptions()).toBe(number), { timeout: 15_000 })
  return { gateway, seen, lost, ended, running }
}

/** A program that looks after its tokens: each one is newer. */
function newTokens(): Credential {
  let number = 0
  return { accessToken: () => `t${++number}` }
}

describe('a subscription whose access token has expired', () => {
  test('goes on with the token that the program has now', async () => {
    let token = 't1'
    const { gateway, running } = await follow({}, { accessToken: () => token })
    await running(1)
    token = 't2'
    gateway.close(...expired)
    await running(2)
    expect(gateway.callers).toEqual(['Bearer t1', 'Bearer t2'])
  })

  test('goes on each time, although no data arrive in between', async () => {
    const pass = passTime()
    const { gateway, running } = await follow({}, newTokens())
    for (const number of [1, 2, 3]) {
      await running(number)
      pass(15 * minute)
      gateway.close(...expired)
    }
    await running(4)
  })

  test('ends with the reason if the program has no other token', async () => {
    const { gateway, ended, running } = await follow({}, { accessToken: () => 't1' })
    await running(1)
    gateway.close(...expired)
    expect(await ended).toMatchObject({ name: 'RequestFailed', error: { kind: 'unauthenticated' } })
    expect(gateway.callers).toHaveLength(1)
  })

  test('ends with the reason if the next token is refused, too', async () => {
    const { gateway, ended } = await follow({ refuse: () => expired }, newTokens())
    expect(await ended).toMatchObject({ name: 'RequestFailed', error: { kind: 'unauthenticated' } })
    expect(gateway.callers.length).toBe(2)
  })

  test('goes on after the server could not renew the token for a moment', async () => {
    const tokens = tokensInMemory({ accessToken: 'a1', refreshToken: 'r1' })
    const renewed = { accessToken: 'a2', refreshToken: 'r2', errors: [] }
    const { gateway, lost, running } = await follow(
      {
        refuse: (caller) => (caller === 'Bearer a1' ? expired : null),
        answer: (number) =>
          number === 1 ? { status: 503, body: {} } : { body: { data: { refreshSession: renewed } } },
      },
      { publishableKey: 'cg_pub_main_1', tokens },
    )
    await running(1)
    expect(gateway.callers).toEqual(['Bearer a1', 'Bearer a1', 'Bearer a2'])
    expect(lost).toEqual(['unavailable'])
  })
})

describe('a subscription whose connection is lost', () => {
  test.each([
    ['before the first data', 31_000, false],
    ['long after the last data', 11 * minute, true],
  ])('%s connects again, and says so', async (_, quietMs, hasData) => {
    const pass = passTime()
    const { gateway, seen, lost, running } = await follow({}, { key: 'cg_test_main_1' })
    await running(1)
    if (hasData) {
      gateway.send({ orderCreated: { orderNumber: '1' } })
      await vi.waitFor(() => expect(seen).toHaveLength(1))
    }
    pass(quietMs)
    gateway.close(...stopping)
    await running(2)
    expect(lost).toEqual(['unavailable'])
  })

  test('connects again for ten minutes, and then ends with the reason', async () => {
    const pass = passTime()
    const { gateway, lost, ended, running } = await follow(
      { refuse: (_, number) => (number === 1 ? null : [1013, 'Try again later']) },
      { key: 'cg_test_main_1' },
    )
    await running(1)
    gateway.close(...stopping)
    await vi.waitFor(() => expect(lost).toHaveLength(1))
    pass(9 * minute)
    await vi.waitFor(() => expect(lost).toHaveLength(2), { timeout: 15_000 })
    pass(2 * minute)
    expect(await ended).toMatchObject({ name: 'RequestFailed', error: { kind: 'unavailable' } })
    expect(gateway.callers).toHaveLength(3)
  })

  test('ends after ten minutes in which each new connection is accepted and soon lost', async () => {
    const pass = passTime()
    const { gateway, lost, ended, running } = await follow({}, { key: 'cg_test_main_1' })
    for (const number of [1, 2]) {
      await running(number)
      gateway.close(...stopping)
      await vi.waitFor(() => expect(lost).toHaveLength(number))
      pass(6 * minute)
    }
    await running(3)
    gateway.close(...stopping)
    expect(await ended).toMatchObject({ name: 'RequestFailed', error: { kind: 'unavailable' } })
  })

  test('ends after half a minute if there never was a connection', async () => {
    const pass = passTime()
    const { lost, ended } = await follow(
      { refuse: () => [1013, 'Try again later'] },
      { key: 'cg_test_main_1' },
    )
    await vi.waitFor(() => expect(lost).toHaveLength(1))
    pass(31_000)
    expect(await ended).toMatchObject({ name: 'RequestFailed', error: { kind: 'unavailable' } })
  })
})
