import { describe, expect, test } from 'vitest'
import { checkedLookup, isPublicAddress, RefusedAddressError, urlFault } from './endpoint-address.ts'

const live = { live: true, refusedNetworks: ['203.0.112.0/24', '2606:4700:aa::/48'] }

describe('a live deployment sends webhooks', () => {
  test.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
    'to the public address %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  test.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::7f00:1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'not an address',
  ])('not to %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    'http://shop.example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://localhost./',
    'https://db.internal/',
    'https://printer.local/',
    'https://203.0.112.9/',
    'https://[2606:4700:aa::1]/',
    'https://shop.example.com/#part',
  ])('not to the URL %s, which is refused when it is saved', (url) => {
    expect(urlFault(url, live)).not.toBeNull()
  })

  test.each([
    'https://shop.example.com/webhooks?key=1',
    'https://8.8.8.8/',
    'https://shop.example.com:8443/',
  ])('to the URL %s', (url) => {
    expect(urlFault(url, live)).toBeNull()
  })

  test.each([true, false])(
    'not to a name of which one address is refused (all of them asked for: %s)',
    async (all) => {
      const found = await new Promise((resolve) => {
        checkedLookup(isPublicAddress)('localhost', { all }, (error) => {
          resolve(error)
        })
      })
      expect(found).toBeInstanceOf(RefusedAddressError)
    },
  )

  test('to the address that was checked: the socket gets it, and looks nothing up itself', async () => {
    const seen: string[] = []
    const isAllowed = (address: string) => seen.push(address) > 0
    const given = await new Promise((resolve) => {
      checkedLookup(isAllowed)('localhost', { all: true }, (_error, addresses) => {
        resolve(addresses)
      })
    })
    expect(given).toEqual(seen.map((address) => expect.objectContaining({ address }) as unknown))
  })
})

test('a test deployment sends to http and loopback', () => {
  expect(urlFault('http://127.0.0.1:3000/', { live: false, refusedNetworks: [] })).toBeNull()
})
