import { describe, expect, test } from 'vitest'
import { rateUsageOf } from '../admin/src/api/rate-usage.ts'

describe('what /admin shows of a plan’s limits', () => {
  test('is the quota without the rest, and nothing is used of a limit without a rest', () => {
    const headers = new Headers({
      'ratelimit-policy':
        '"minute";q=500;w=60;cg-complexity=1000, "burst";q=1000;w=60;cg-complexity=1000, "hour";q=10000;w=3600;cg-complexity=1000',
      ratelimit: '"minute";r=488;t=41;cg-weight=2, "hour";r=0;t=3599;cg-weight=2',
    })
    expect(rateUsageOf(headers)).toEqual([
      { name: 'minute', quota: 500, used: 12 },
      { name: 'burst', quota: 1000, used: 0 },
      { name: 'hour', quota: 10_000, used: 10_000 },
    ])
  })

  test('is nothing where the answer says nothing', () => {
    expect(rateUsageOf(new Headers())).toEqual([])
  })
})
