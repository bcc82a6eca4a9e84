import { describe, expect, test } from 'vitest'
import { originFault } from './origin-rule.ts'

const shop = new Set(['https://shop.example', 'http://shop.example'])
const none = new Set<string>()

describe('a publishable key on a live deployment', () => {
  test('works for pages of its https origins only', () => {
    expect(originFault(shop, 'https://shop.example', 'live')).toBeNull()
    for (const other of [
      'https://evil.example',
      'https://shop.example:8443',
      'https://a.shop.example',
      'null',
    ])
      expect(originFault(shop, other, 'live')).toBe(
        `The origin ${other} is not allowed: the publishable key is bound to other origins`,
      )
  })

  test('is refused over http, without the header Origin, and if the key has no origins', () => {
    expect(originFault(shop, 'http://shop.example', 'live')).toContain('http://shop.example is not allowed')
    expect(originFault(shop, undefined, 'live')).toContain('the header Origin')
    expect(originFault(none, 'http://localhost:3000', 'live')).toContain('a test deployment only')
    expect(originFault(none, undefined, 'live')).toContain('a test deployment only')
  })
})

describe('a publishable key on a test deployment', () => {
  test('without origins works for pages of this machine only', () => {
    const here = [
      'http://localhost:3000',
      'https://shop.localhost',
      'http://127.0.0.1:5173',
      'http://[::1]:80',
    ]
    for (const origin of here) expect(originFault(none, origin, 'test')).toBeNull()
    const elsewhere = [
      'https://shop.example',
      'http://evillocalhost',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'null',
    ]
    for (const origin of elsewhere)
      expect(originFault(none, origin, 'test')).toContain(`${origin} is not allowed`)
  })

  test('with origins works for these, and for programs that send no origin', () => {
    expect(originFault(shop, 'http://shop.example', 'test')).toBeNull()
    expect(originFault(shop, undefined, 'test')).toBeNull()
    expect(originFault(shop, 'http://localhost:3000', 'test')).toContain(
      'http://localhost:3000 is not allowed',
    )
  })
})

test('the refusal repeats at most 200 characters of the header', () => {
  expect(originFault(shop, `https://${'a'.repeat(9_000)}`, 'test')?.length).toBeLessThan(300)
})
