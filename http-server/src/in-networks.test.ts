import { expect, test } from 'vitest'
import { inNetworks } from './in-networks.ts'

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['11.1.2.3', false],
  ['fd00::1', true],
  ['fe80::1%eth0', false],
  ['2001:db8::1', false],
  ['no address', false],
  [undefined, false],
])('%s is in 10.0.0.0/8 or fd00::/8: %s', (address, expected) => {
  expect(inNetworks(['10.0.0.0/8', 'fd00::/8'])(address)).toBe(expected)
})

test('an undefined address is in no network', () => {
  expect(inNetworks([])('127.0.0.1')).toBe(false)
})
