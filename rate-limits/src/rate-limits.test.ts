import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryCounters } from './counters.ts'
import { type Admission, type Caller, RateLimits } from './rate-limits.ts'
import { ratesFrom } from './rates.ts'

const shop = { merchantId: 'a', plan: 'FREE' } as const satisfies Caller
const open = (environment: Readonly<Record<string, string>> = {}) =>
  new RateLimits(ratesFrom(environment), memoryCounters())

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Sends so many requests, and tells how many of them were admitted and what the last one was told. */
async function sendAll(limits: RateLimits, requests: number, caller: Caller = shop) {
  let admitted = 0
  let last: Admission | undefined
  for (let sent = 0; sent < requests; sent += 1) {
    last = await limits.admit(caller)
    if (last.kind === 'admitted') admitted += 1
  }
  return { admitted, last }
}

const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000)

describe('a merchant on the free plan', () => {
  test('may send 100 requests in a minute once an hour, and 50 in the others', async () => {
    const limits = open()
    expect((await sendAll(limits, 300)).admitted).toBe(100)
    minutes(1)
    expect((await sendAll(limits, 300)).admitted).toBe(50)
    minutes(59)
    expect((await sendAll(limits, 300)).admitted).toBe(100)
  })

  test('may send 1,000 in an hour, and what was refused doesn’t count towards it', async () => {
    const limits = open()
    let admitted = 0
    for (let minute = 0; minute < 59; minute += 1) {
      admitted += (await sendAll(limits, 60)).admitted
      minutes(1)
    }
    expect(admitted).toBe(1_000)
    expect((await limits.admit(shop)).kind).toBe('exceeded')
    minutes(1)
    expect((await limits.admit(shop)).kind).toBe('admitted')
  })

  test('is told when the next request is admitted, and which limit it met', async () => {
    const limits = open()
    await sendAll(limits, 90)
    vi.advanceTimersByTime(20_000)
    expect((await sendAll(limits, 20)).last).toMatchObject({
      kind: 'exceeded',
      limit: 'minute',
      allowed: 50,
      retryAfter: 40,
    })
    vi.advanceTimersByTime(40_000)
    expect((await limits.admit(shop)).kind).toBe('admitted')
    const hour = open({ LIMIT_RATE_FREE: '10/50/100' })
    minutes(5)
    expect((await sendAll(hour, 11)).last).toMatchObject({ limit: 'hour', allowed: 10, retryAfter: 3600 })
  })

  test('has what it bought at once when it changes its plan, and keeps its count', async () => {
    const limits = open()
    expect((await sendAll(limits, 110)).last?.kind).toBe('exceeded')
    const { admitted } = await sendAll(limits, 2_000, { ...shop, plan: 'PRO' })
    // 500 in the minute, of which 100 are gone, and a burst of 500 more, of which 50 are.
    expect(admitted).toBe(400 + 450)
    expect((await limits.admit(shop)).kind).toBe('exceeded')
  })

  test('takes nothing from another merchant', async () => {
    const limits = open()
    await sendAll(limits, 200)
    expect((await sendAll(limits, 200, { ...shop, merchantId: 'b' })).admitted).toBe(100)
  })
})

test('one shopper can’t use up the merchant’s rate', async () => {
  const limits = open({ LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '10' })
  const { admitted, last } = await sendAll(limits, 500, { ...shop, customerId: 'c' })
  expect(admitted).toBe(10)
  expect(last).toMatchObject({ kind: 'exceeded', limit: 'shopper', allowed: 10, retryAfter: 60 })
  expect((await sendAll(limits, 200)).admitted).toBe(90)
})

test('an agreed rate stands before the plan’s', async () => {
  const merchantId = '01a1f000-0001-7000-8000-000000000001'
  const limits = open({ LIMIT_RATE_CUSTOM: `${merchantId}=unlimited/3/4` })
  expect((await sendAll(limits, 10, { merchantId, plan: 'PRO' })).admitted).toBe(4)
})

test('every answer says what remains, in the fields of draft-ietf-httpapi-ratelimit-headers-10', async () => {
  const limits = open()
  const { fields } = await limits.admit(shop)
  expect(fields).toEqual({
    'ratelimit-policy': '"minute";q=50;w=60, "burst";q=100;w=60, "hour";q=1000;w=3600',
    ratelimit: '"minute";r=49;t=60, "hour";r=999;t=3600',
  })
  vi.advanceTimersByTime(10_000)
  const { last } = await sendAll(limits, 50)
  expect(last?.fields.ratelimit).toBe('"minute";r=0;t=50, "burst";r=49;t=50, "hour";r=949;t=3590')
})

describe('guesses', () => {
  const guess = async (limits: RateLimits, address: string, times: number) => {
    for (let sent = 0; sent < times; sent += 1) await limits.guesses.count(address)
  }

  test('of an address end for the rest of the minute when it has made too many', async () => {
    const limits = open({ LIMIT_GUESSES_PER_MINUTE: '5' })
    await guess(limits, '192.0.2.1', 4)
    expect(limits.guesses.secondsToWait('192.0.2.1')).toBe(0)
    vi.advanceTimersByTime(10_000)
    await guess(limits, '::ffff:192.0.2.1', 1)
    expect(limits.guesses.secondsToWait('192.0.2.1')).toBe(50)
    expect(limits.guesses.secondsToWait('192.0.2.2')).toBe(0)
    expect(limits.guesses.secondsToWait(undefined)).toBe(0)
    minutes(1)
    expect(limits.guesses.secondsToWait('192.0.2.1')).toBe(0)
  })

  test('are an IPv6 network’s, since a host calls from any address of it', async () => {
    const limits = open({ LIMIT_GUESSES_PER_MINUTE: '2' })
    await guess(limits, '2001:db8:0:1::1', 1)
    await guess(limits, '2001:db8:0:1:ffff::2', 1)
    expect(limits.guesses.secondsToWait('2001:db8:0:1::3')).toBe(60)
    expect(limits.guesses.secondsToWait('2001:db8:0:2::3')).toBe(0)
  })
})
