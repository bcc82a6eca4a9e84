import { expect, test } from 'vitest'
import { networkOf } from './network-of.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:DB8:1:2:3::4', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8::'],
  ['2001:db8:0:0:ffff:1:2:3', '2001:db8::'],
  ['fe80::1%eth0', 'fe80::'],
  ['::1', '::'],
])('%s has the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each(['', 'localhost', '203.0.113', '1.2.3.4:80', undefined])('%s has no network', (address) => {
  expect(networkOf(address)).toBeUndefined()
})
