import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOf, isPlace, readTagged, tagged } from './place-tag.ts'

const place = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)
const secret = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)
const kind = fc.constantFrom('cg_live_', 'cg_pub_', 'cg_cart_', '')

test('a text with a place, and one without, are read as they were made', () => {
  fc.assert(
    fc.property(kind, place, secret, (of, where, what) => {
      expect(readTagged(of, tagged(of, where, what))).toEqual({ place: where, secret: what })
      expect(readTagged(of, of + what)).toEqual({ place: null, secret: what })
    }),
  )
})

test('a secret that begins like a place is no place', () => {
  const old = `main_${'A'.repeat(38)}`
  expect(readTagged('cg_live_', `cg_live_${old}`)).toEqual({ place: null, secret: old })
})

test.each([
  '',
  'cg_live_',
  'cg_live_main',
  'cg_live_main_',
  `cg_live_MAIN_${'A'.repeat(43)}`,
  `cg_live_${'a'.repeat(7)}_${'A'.repeat(43)}`,
  `cg_live__${'A'.repeat(43)}`,
  `cg_live_main_${'A'.repeat(44)}`,
  `cg_live_main_${'A'.repeat(43)}\n`,
])('another text is none: %j', (text) => expect(readTagged('cg_live_', text)).toBeNull())

test('a text without a place belongs to every place, one with a place to that one', () => {
  expect(isOf('main', { place: null, secret: 'x' })).toBe(true)
  expect(isOf('main', { place: 'main', secret: 'x' })).toBe(true)
  expect(isOf('main', { place: 'eu1', secret: 'x' })).toBe(false)
  expect(['main', 'eu1', 'a'].map(isPlace)).toEqual([true, true, true])
  expect(['', 'EU1', '1eu', 'a_b', 'toolong1'].map(isPlace)).toEqual([false, false, false, false, false])
})
