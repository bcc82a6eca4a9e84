import { describe, expect, test } from 'vitest'
import { AccessCache } from './access-cache.ts'
import type { Grant } from './access.ts'
import type { ApiKeyId, MerchantId } from '@commerce-graph/contract/ids'
import { refuse } from './authentication.ts'

const merchantId = 'one' as MerchantId

const grant = (whose: MerchantId): Grant => ({
  kind: 'granted',
  principal: {
    kind: 'key',
    merchantId: whose,
    keyId: 'key' as ApiKeyId,
    mode: 'live',
    permissions: new Set(),
    plan: 'FREE',
    features: [],
    sessionVariables: {},
  },
  expiresAt: Infinity,
  allowList: undefined,
  isTestData: false,
})

describe('a verification', () => {
  test('is cached until the access of its merchant changes', () => {
    const cache = new AccessCache()
    const theirs = grant('other' as MerchantId)
    cache.remember('theirs', theirs, cache.epoch)
    cache.remember('ours', grant(merchantId), cache.epoch)
    cache.forget(merchantId)
    expect(cache.find('ours')).toBeUndefined()
    expect(cache.find('theirs')).toBe(theirs)
  })

  test('that was refused is cached until any access changes, because its merchant is unknown', () => {
    const cache = new AccessCache()
    const refusal = refuse('SVC_AUTH_001', 'unknown key')
    cache.remember('guess', refusal, cache.epoch)
    expect(cache.find('guess')).toBe(refusal)
    cache.forget(merchantId)
    expect(cache.find('guess')).toBeUndefined()
  })

  test('is forgotten with all others after a gap in the announcements', () => {
    const cache = new AccessCache()
    cache.remember('granted', grant(merchantId), cache.epoch)
    cache.remember('refused', refuse('SVC_AUTH_001', 'unknown key'), cache.epoch)
    cache.clear()
    expect([cache.find('granted'), cache.find('refused')]).toEqual([undefined, undefined])
  })

  test('is not cached after a change and a gap, either', () => {
    const cache = new AccessCache()
    const begun = cache.epoch
    cache.forget(merchantId)
    cache.clear()
    cache.remember('granted', grant(merchantId), begun)
    expect(cache.find('granted')).toBeUndefined()
  })

  test.each([
    ['a change', (cache: AccessCache) => cache.forget(merchantId)],
    ['a gap', (cache: AccessCache) => cache.clear()],
    ['a change of another merchant', (cache: AccessCache) => cache.forget('other' as MerchantId)],
  ])(
    'that began before %s and ends after it is not cached, because it may have read the old rows',
    (_what, happen) => {
      const cache = new AccessCache()
      const begun = cache.epoch
      happen(cache)
      cache.remember('granted', grant(merchantId), begun)
      cache.remember('refused', refuse('SVC_AUTH_001', 'unknown key'), begun)
      expect(cache.find('granted')).toBeUndefined()
      expect(cache.find('refused')).toBeUndefined()
      cache.remember('granted', grant(merchantId), cache.epoch)
      expect(cache.find('granted')).toBeDefined()
    },
  )
})
