import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'

test('forgets what was used longest ago, and only that', () => {
  const cache = new LruCache<string, number>(32)
  cache.set('a', 1, 2)
  for (let index = 0; index < 15; index += 1) cache.set(`filler ${index}`, index, 2)
  expect(cache.get('a')).toBe(1)
  cache.set('b', 2, 2)
  expect(cache.get('a')).toBe(1)
  expect(cache.get('filler 0')).toBeUndefined()
  expect(cache.get('b')).toBe(2)
})

test('never weighs more than its capacity, whatever is put in', () => {
  const operation = fc.record({ key: fc.nat(20), weight: fc.nat(200) })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const cache = new LruCache<number, number>(1000)
      for (const { key, weight } of operations) {
        cache.set(key, weight, weight)
        expect(cache.weight).toBeLessThanOrEqual(1000)
      }
    }),
  )
})
