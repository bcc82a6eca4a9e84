import { describe, expect, test } from 'vitest'
import { ratesFrom } from './rates.ts'

const merchant = '01a1f000-0001-7000-8000-000000000001'

describe('rates', () => {
  test('for Free and Pro are those of the specification, by hour, minute and burst', () => {
    const { FREE: free, PRO: pro, ENTERPRISE: enterprise } = ratesFrom({}).plans
    expect(free).toEqual({ perHour: 1_000, perMinute: 50, burst: 100 })
    expect(pro).toEqual({ perHour: 10_000, perMinute: 500, burst: 1_000 })
    expect(enterprise.perHour).toBeNull()
  })

  test('come from the environment, for a plan and for a merchant', () => {
    const { plans, merchants } = ratesFrom({
      LIMIT_RATE_STARTER: '2000/100/200',
      LIMIT_RATE_CUSTOM: `${merchant.toUpperCase()}=unlimited/7/9, 01a1f000-0001-7000-8000-000000000002=1/1/1`,
    })
    expect(plans.STARTER).toEqual({ perHour: 2000, perMinute: 100, burst: 200 })
    expect(merchants.get(merchant)).toEqual({ perHour: null, perMinute: 7, burst: 9 })
    expect(merchants.size).toBe(2)
  })

  test.each([
    ['LIMIT_RATE_FREE', '1000/50'],
    ['LIMIT_RATE_FREE', '1000/50/40'],
    ['LIMIT_RATE_FREE', '1000/0/40'],
    ['LIMIT_RATE_ENTERPRISE', 'unlimited/unlimited/unlimited'],
    ['LIMIT_RATE_PRO', ''],
    ['LIMIT_RATE_CUSTOM', 'shop=1/1/1'],
    ['LIMIT_RATE_CUSTOM', merchant],
    ['LIMIT_GUESSES_PER_MINUTE', '-1'],
    ['LIMIT_SHOPPER_REQUESTS_PER_MINUTE', '1e3'],
  ])('that can’t be read are refused with the variable’s name: %s=%s', (variable, value) => {
    expect(() => ratesFrom({ [variable]: value })).toThrow(variable)
  })
})
