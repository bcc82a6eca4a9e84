import { describe, expect, test } from 'vitest'
import { parseAllowList } from './allow-list.ts'
import { clientAddress } from './client-address.ts'

const proxies = parseAllowList(['10.0.0.0/8', '::1/128'])

describe('a client’s address', () => {
  test('is the socket’s without trusted proxies, for any header', () => {
    expect(clientAddress('192.0.2.1', '203.0.113.7', [])).toBe('192.0.2.1')
  })

  test('is the socket’s if the peer is no trusted proxy', () => {
    expect(clientAddress('192.0.2.1', '203.0.113.7', proxies)).toBe('192.0.2.1')
  })

  test('is the one that trusted proxies report, not the one that the client itself wrote', () => {
    expect(clientAddress('10.0.0.1', '127.0.0.1, 203.0.113.7', proxies)).toBe('203.0.113.7')
    expect(clientAddress('::ffff:10.0.0.1', '127.0.0.1,203.0.113.7, 10.0.0.2', proxies)).toBe('203.0.113.7')
  })

  test('is the first hop if all of them are trusted', () => {
    expect(clientAddress('10.0.0.1', '10.0.0.3, 10.0.0.2', proxies)).toBe('10.0.0.3')
  })

  test('is the socket’s without the header', () => {
    expect(clientAddress('10.0.0.1', undefined, proxies)).toBe('10.0.0.1')
  })

  test('has no zone (the name of our own network interface)', () => {
    expect(clientAddress('fe80::1%eth0', undefined, proxies)).toBe('fe80::1')
  })

  test('is unknown if the reported text is no address', () => {
    expect(clientAddress(undefined, undefined, proxies)).toBeUndefined()
    for (const said of ['unknown', '203.0.113.7:80 or so', ''])
      expect(clientAddress('10.0.0.1', said, proxies)).toBeUndefined()
  })

  test.each([
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['203.0.113.7:5678, 10.0.0.2:80', '203.0.113.7'],
  ])('is read from %s, with the port that some proxies add', (header, address) => {
    expect(clientAddress('10.0.0.1', header, proxies)).toBe(address)
  })
})
