import { describe, expect, test } from 'vitest'
import { isAllowed, parseAllowList } from './allow-list.ts'

describe('an allow-list', () => {
  const list = parseAllowList(['203.0.113.7/32', '198.51.100.0/24', '2001:db8:1::/48', '2001:db8::9/128'])

  test.each([
    ['203.0.113.7', true],
    ['203.0.113.8', false],
    ['198.51.100.255', true],
    ['198.51.101.0', false],
    ['::ffff:198.51.100.1', true],
    ['::ffff:c633:6401', true],
    ['::ffff:192.0.2.1', false],
    ['2001:db8:1:ffff::1', true],
    ['2001:db8:2::1', false],
    ['2001:0db8:0000::0009', true],
    ['198.51.100.1, 192.0.2.1', false],
    ['localhost', false],
    ['', false],
    [undefined, false],
  ])('answers for %s: %s', (address, allowed) => {
    expect(isAllowed(list, address)).toBe(allowed)
  })

  test('without entries refuses every address', () => {
    expect(isAllowed([], '127.0.0.1')).toBe(false)
  })
})
