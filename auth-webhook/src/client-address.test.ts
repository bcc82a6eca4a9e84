import { describe, expect, test } from 'vitest'
import { parseAllowList } from './allow-list.ts'
import { clientAddress } from './client-address.ts'

const proxies = parseAllowList(['10.0.0.0/8', '::1/128'])

describe('the address of a client', () => {
  test("is the socket's where no proxy is trusted, whatever the header says", () => {
    expect(clientAddress('192.0.2.1', '203.0.113.7', [])).toBe('192.0.2.1')
  })

  test("is the socket's where the socket's other end is no trusted proxy", () => {
    expect(clientAddress('192.0.2.1', '203.0.113.7', proxies)).toBe('192.0.2.1')
  })

  test('is what the trusted proxies say of the one before them, and not what the client itself wrote', () => {
    expect(clientAddress('10.0.0.1', '127.0.0.1, 203.0.113.7', proxies)).toBe('203.0.113.7')
    expect(clientAddress('::ffff:10.0.0.1', '127.0.0.1,203.0.113.7, 10.0.0.2', proxies)).toBe('203.0.113.7')
  })

  test('is the first hop when all of them are trusted', () => {
    expect(clientAddress('10.0.0.1', '10.0.0.3, 10.0.0.2', proxies)).toBe('10.0.0.3')
  })

  test("is the socket's without the header", () => {
    expect(clientAddress('10.0.0.1', undefined, proxies)).toBe('10.0.0.1')
  })

  test('has no name of an interface behind it, which would be ours', () => {
    expect(clientAddress('fe80::1%eth0', undefined, proxies)).toBe('fe80::1')
  })

  test('is unknown where what is said is no address', () => {
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
  ])('is read from %s, with the port that some proxies write', (header, address) => {
    expect(clientAddress('10.0.0.1', header, proxies)).toBe(address)
  })
})
