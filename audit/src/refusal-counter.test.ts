import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { RefusedAccess } from './entry.ts'
import { RefusalCounter } from './refusal-counter.ts'

const minute = 60_000

const refusal = (merchant: string | null, address: string): RefusedAccess => ({
  actor: merchant === null ? null : { merchantId: merchant as MerchantId, kind: 'KEY', id: 'key' },
  code: 'SVC_AUTH_001',
  clientAddress: address,
  requestId: 'request',
  source: 'CONTRACT',
  operation: null,
})

test('the first refusal of a kind is reported at once, and the number of repetitions after a minute', () => {
  const counter = new RefusalCounter()
  for (let i = 0; i < 1000; i += 1) counter.count(refusal('m', '192.0.2.1'), 0)
  expect(counter.take(1)).toEqual([{ refusal: refusal('m', '192.0.2.1'), occurrences: 1 }])
  for (let i = 0; i < 1000; i += 1) counter.count(refusal('m', '192.0.2.1'), 2)
  expect(counter.take(minute - 1)).toEqual([])
  expect(counter.take(minute)).toEqual([
    { refusal: { ...refusal('m', '192.0.2.1'), requestId: null }, occurrences: 1999 },
  ])
  counter.count(refusal('m', '192.0.2.1'), minute)
  expect(counter.take(minute)).toHaveLength(1)
})

test('refusals of one merchant’s callers neither fill the log nor displace those of another merchant', () => {
  const counter = new RefusalCounter()
  for (let i = 0; i < 100_000; i += 1) counter.count(refusal('attacked', `192.0.2.${i}`), 0)
  counter.count(refusal('other', '192.0.2.1'), 0)
  const taken = [...counter.take(1), ...counter.take(minute)]
  const of = (merchant: string) => taken.filter((one) => one.refusal.actor?.merchantId === merchant)
  expect(of('attacked').length).toBeLessThanOrEqual(22)
  expect(of('other')).toEqual([{ refusal: refusal('other', '192.0.2.1'), occurrences: 1 }])
  expect(of('attacked').reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(100_000)
})

test('every refusal is counted once, in any order of events', () => {
  const events = fc.array(
    fc.record({
      merchant: fc.constantFrom('a', 'b', null),
      address: fc.integer({ min: 0, max: 40 }).map(String),
      wait: fc.integer({ min: 0, max: minute }),
      take: fc.boolean(),
    }),
    { maxLength: 300 },
  )
  fc.assert(
    fc.property(events, (all) => {
      const counter = new RefusalCounter()
      let now = 0
      let reported = 0
      const take = (end: boolean) => {
        for (const { occurrences } of counter.take(now, { all: end })) reported += occurrences
      }
      for (const { merchant, address, wait, take: takeNow } of all) {
        now += wait
        counter.count(refusal(merchant, address), now)
        if (takeNow) take(false)
      }
      take(true)
      expect(reported + counter.takeDropped()).toBe(all.length)
    }),
  )
})
