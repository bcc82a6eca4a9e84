import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryCounters } from './counters.ts'
import { type Admission, type Caller, RateLimits } from './rate-limits.ts'
import { ratesFrom } from './rates.ts'

const shop = { merchantId: 'a', plan: 'FREE' } as const satisfies Caller
const open = (environment: Readonly<Record<string, string>> = {}) =>
  new RateLimits(ratesFrom(environment), memoryCounters())

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Sends requests. Returns how many were admitted, and the last admission. */
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

test('limits without Redis, if so configured, are healthy', () => {
  expect(open().health).toBe('ok')
})

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

  test('gets the time of the next admission, and which limit it exceeded', async () => {
    const limits = open()
    await sendAll(limits, 90)
    vi.advanceTimersByTime(20_000)
    expect((await sendAll(limits, 20)).last).toMatchObject({
      kind: 'exceeded',
      of: 'plan',
      window: 'minute',
      allowed: 50,
      retryAfter: 40,
    })
    vi.advanceTimersByTime(40_000)
    expect((await limits.admit(shop)).kind).toBe('admitted')
    const hour = open({ LIMIT_RATE_FREE: '10/50/100' })
    minutes(5)
    expect((await sendAll(hour, 11)).last).toMatchObject({ window: 'hour', allowed: 10, retryAfter: 3600 })
  })

  test('that changes its plan has the new rate at once, and keeps its count', async () => {
    const limits = open()
    expect((await sendAll(limits, 110)).last?.kind).toBe('exceeded')
    const { admitted } = await sendAll(limits, 2_000, { ...shop, plan: 'PRO' })
    // The new rate is 500 in the minute, of which 100 are used, and a burst of 500 more, of which 50 are used.
    expect(admitted).toBe(400 + 450)
    expect((await limits.admit(shop)).kind).toBe('exceeded')
  })

  test('takes nothing from another merchant', async () => {
    const limits = open()
    await sendAll(limits, 200)
    expect((await sendAll(limits, 200, { ...shop, merchantId: 'b' })).admitted).toBe(100)
  })
})

describe.each([
  ['FREE', { shopper: 20, shopperHour: 400, shoppersMinute: 80, shoppersHour: 800, hour: 1_000 }],
  ['STARTER', { shopper: 100, shopperHour: 2_000, shoppersMinute: 400, shoppersHour: 4_000, hour: 5_000 }],
  ['PRO', { shopper: 200, shopperHour: 4_000, shoppersMinute: 800, shoppersHour: 8_000, hour: 10_000 }],
] as const)('on the plan %s', (plan, expected) => {
  const key: Caller = { ...shop, plan }
  const shopper = (id: string): Caller => ({ ...key, shopper: id })

  test('one shopper takes two fifths of the minute and of the hour, and the keys go on', async () => {
    const limits = open()
    const { admitted, last } = await sendAll(limits, 3 * expected.shopper, shopper('c'))
    expect(admitted).toBe(expected.shopper)
    expect(last).toMatchObject({
      kind: 'exceeded',
      of: 'shopper',
      window: 'minute',
      allowed: expected.shopper,
      retryAfter: 60,
    })
    expect((await limits.admit(key)).kind).toBe('admitted')
    let inHour: number = expected.shopper
    for (let minute = 1; minute < 59; minute += 1) {
      minutes(1)
      inHour += (await sendAll(limits, expected.shopper, shopper('c'))).admitted
    }
    expect(inHour).toBe(expected.shopperHour)
    expect(await limits.admit(shopper('c'))).toMatchObject({ of: 'shopper', window: 'hour' })
    expect((await sendAll(limits, 20, key)).admitted).toBe(20)
  })

  test('all shoppers together leave a fifth to the keys, in a minute with its burst and in the hour', async () => {
    const limits = open()
    const rush = async () => {
      let admitted = 0
      for (let n = 0; n < 40; n += 1)
        admitted += (await sendAll(limits, expected.shopper, shopper(`c${n}`))).admitted
      return admitted
    }
    expect(await rush()).toBe(expected.shoppersMinute)
    expect(await limits.admit(shopper('another'))).toMatchObject({ kind: 'exceeded', of: 'shoppers' })
    const reserve = Math.floor(expected.shoppersMinute / 4)
    expect((await sendAll(limits, 2 * expected.shoppersMinute, key)).admitted).toBe(reserve)
    let inHour: number = expected.shoppersMinute
    for (let minute = 1; minute < 59; minute += 1) {
      minutes(1)
      inHour += await rush()
    }
    expect(inHour).toBe(expected.shoppersHour)
    minutes(0.9)
    expect((await limits.admit(key)).kind).toBe('admitted')
  })
})

test('on ENTERPRISE one shopper has 300 in a minute, or what is set', async () => {
  const caller: Caller = { ...shop, plan: 'ENTERPRISE', shopper: 'c' }
  expect((await sendAll(open(), 400, caller)).admitted).toBe(300)
  expect((await sendAll(open({ LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '7' }), 400, caller)).admitted).toBe(7)
  const free = { ...caller, plan: 'FREE' } as const
  expect((await sendAll(open({ LIMIT_SHOPPER_SHARE: '60' }), 400, free)).admitted).toBe(30)
})

describe('a request that weighs more', () => {
  const first = { weight: 1, counted: 0 }

  test('counts as often, in the minute, the burst and the hour', async () => {
    const limits = open()
    expect(limits.weightOf(0)).toBe(1)
    expect(limits.weightOf(1_000)).toBe(1)
    expect(limits.weightOf(1_001)).toBe(2)
    expect(limits.weightOf(50_000)).toBe(50)
    await limits.admit(shop, first)
    const { fields } = await limits.admit(shop, { weight: 40, counted: 1 })
    expect(fields.ratelimit).toBe('"minute";r=10;t=60;cg-weight=40, "hour";r=960;t=3600;cg-weight=40')
    const beyond = await limits.admit(shop, { weight: 30, counted: 0 })
    expect(beyond.fields.ratelimit).toContain('"burst";r=30;t=60;cg-weight=30')
    expect((await sendAll(limits, 100)).admitted).toBe(30)
  })

  test('counts for nothing when it is refused, and what was counted before is taken back', async () => {
    const limits = open()
    await sendAll(limits, 90)
    const one = await limits.admit(shop, first)
    expect(await limits.admit(shop, { weight: 20, counted: 1 })).toMatchObject({
      kind: 'exceeded',
      of: 'plan',
    })
    if (one.kind === 'admitted') one.takeBack()
    expect((await sendAll(limits, 50)).admitted).toBe(10)
  })

  test('than a rate can ever admit is recognised beforehand', () => {
    const limits = open({ LIMIT_RATE_CUSTOM: '01a1f000-0001-7000-8000-000000000001=3/40/80' })
    expect(limits.heaviest(shop)).toBe(100_000)
    expect(limits.heaviest({ ...shop, shopper: 'c' })).toBe(20_000)
    expect(limits.heaviest({ ...shop, merchantId: '01a1f000-0001-7000-8000-000000000001' })).toBe(3_000)
  })
})

test('a merchant’s agreed rate takes precedence over the plan’s', async () => {
  const merchantId = '01a1f000-0001-7000-8000-000000000001'
  const limits = open({ LIMIT_RATE_CUSTOM: `${merchantId}=unlimited/3/4` })
  expect((await sendAll(limits, 10, { merchantId, plan: 'PRO' })).admitted).toBe(4)
})

test('every answer says what remains and the complexity of a request, in the fields of draft-ietf-httpapi-ratelimit-headers-10', async () => {
  const limits = open()
  const { fields } = await limits.admit(shop)
  expect(fields).toEqual({
    'ratelimit-policy':
      '"minute";q=50;w=60;cg-complexity=1000, "burst";q=100;w=60;cg-complexity=1000, "hour";q=1000;w=3600;cg-complexity=1000',
    ratelimit: '"minute";r=49;t=60, "hour";r=999;t=3600',
  })
  vi.advanceTimersByTime(10_000)
  const { last } = await sendAll(limits, 50)
  expect(last?.fields.ratelimit).toBe('"minute";r=0;t=50, "burst";r=49;t=50, "hour";r=949;t=3590')
})

describe('wrong passwords and codes', () => {
  const [one, other] = ['01a1f000-0001-7000-8000-000000000001', '01a1f000-0001-7000-8000-000000000002']
  const at = (merchantId: string, client: string | undefined) => ({ merchantId, client })
  const guess = async (limits: RateLimits, merchantId: string, client: string | undefined, times: number) => {
    for (let sent = 0; sent < times; sent += 1) await limits.guesses.begin(at(merchantId, client))
  }

  test('are refused for the rest of the minute when a client has tried too many, at that merchant only', async () => {
    const limits = open({ LIMIT_GUESSES_PER_MINUTE: '5' })
    await guess(limits, one, '192.0.2.1', 3)
    vi.advanceTimersByTime(10_000)
    await guess(limits, one, '::ffff:192.0.2.1', 2)
    expect(await limits.guesses.begin(at(one, '192.0.2.1'))).toEqual({ kind: 'wait', seconds: 50 })
    expect((await limits.guesses.begin(at(one, '192.0.2.2'))).kind).toBe('go')
    expect((await limits.guesses.begin(at(other, '192.0.2.1'))).kind).toBe('go')
    minutes(1)
    expect((await limits.guesses.begin(at(one, '192.0.2.1'))).kind).toBe('go')
  })

  test('that are sent at once are all counted, and a right one is not', async () => {
    const { guesses } = open({ LIMIT_GUESSES_PER_MINUTE: '5' })
    for (let sent = 0; sent < 50; sent += 1) {
      const attempt = await guesses.begin(at(one, '192.0.2.1'))
      if (attempt.kind === 'go') attempt.takeBack()
      expect(attempt.kind).toBe('go')
    }
    const attempts = await Promise.all(Array.from({ length: 20 }, () => guesses.begin(at(one, '192.0.2.1'))))
    expect(attempts.filter(({ kind }) => kind === 'go')).toHaveLength(5)
  })

  test('of clients without an address are not counted', async () => {
    const limits = open({ LIMIT_GUESSES_PER_MINUTE: '1' })
    await guess(limits, one, undefined, 10)
    await guess(limits, one, 'a name', 10)
    expect((await limits.guesses.begin(at(one, undefined))).kind).toBe('go')
  })

  test('are counted by IPv6 network, because a host can use any address of it', async () => {
    const limits = open({ LIMIT_GUESSES_PER_MINUTE: '2' })
    await guess(limits, one, '2001:db8:0:1::1', 1)
    await guess(limits, one, '2001:db8:0:1:ffff::2', 1)
    expect(await limits.guesses.begin(at(one, '2001:db8:0:1::3'))).toEqual({ kind: 'wait', seconds: 60 })
    expect((await limits.guesses.begin(at(one, '2001:db8:0:2::3'))).kind).toBe('go')
  })
})
