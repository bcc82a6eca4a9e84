import { describe, expect, test } from 'vitest'
import { generateApiKey, generatePublishableKey, hashApiKey, keyFormOf } from './api-key.ts'

describe('an API key', () => {
  test.each(['live', 'test'] as const)('of mode %s shows its mode and its place in its prefix', (mode) => {
    const { key, prefix } = generateApiKey(mode, 'eu1')
    expect(keyFormOf(key)).toEqual({ mode, place: 'eu1' })
    expect(key.startsWith(prefix)).toBe(true)
    expect(prefix).toMatch(new RegExp(`^cg_${mode}_eu1_.{6}$`))
    expect(generateApiKey(mode).key).toMatch(new RegExp(`^cg_${mode}_main_`))
  })

  test('that is publishable has no mode', () => {
    expect(keyFormOf(generatePublishableKey('eu1').key)).toEqual({ mode: null, place: 'eu1' })
  })

  test('of before keys named a place is one', () => {
    expect(keyFormOf(`cg_live_${'A'.repeat(43)}`)).toEqual({ mode: 'live', place: null })
  })

  test('has 256 random bits and is found by its hash', () => {
    const { key, hash } = generateApiKey('live')
    expect(Buffer.from(key.slice('cg_live_main_'.length), 'base64url')).toHaveLength(32)
    expect(hash).toEqual(hashApiKey(key))
    expect(generateApiKey('live').key).not.toBe(key)
  })

  test('of another form is refused', () => {
    const { key } = generateApiKey('live')
    for (const text of [
      '',
      key.slice(1),
      key.slice(0, -1),
      `${key}A`,
      key.replace('live', 'prod'),
      `${key}\n`,
    ]) {
      expect(keyFormOf(text), JSON.stringify(text)).toBeUndefined()
    }
  })
})
