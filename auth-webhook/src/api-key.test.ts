import { describe, expect, test } from 'vitest'
import { apiKeyMode, generateApiKey, hashApiKey } from './api-key.ts'

describe('an API key', () => {
  test.each(['live', 'test'] as const)('of mode %s tells its mode by its form', (mode) => {
    const { key, prefix } = generateApiKey(mode)
    expect(apiKeyMode(key)).toBe(mode)
    expect(key.startsWith(prefix)).toBe(true)
    expect(prefix).toMatch(new RegExp(`^cg_${mode}_.{6}$`))
  })

  test('carries 256 random bits and is found by its hash', () => {
    const { key, hash } = generateApiKey('live')
    expect(Buffer.from(key.slice('cg_live_'.length), 'base64url')).toHaveLength(32)
    expect(hash).toEqual(hashApiKey(key))
    expect(generateApiKey('live').key).not.toBe(key)
  })

  test('of another form is no key', () => {
    const { key } = generateApiKey('live')
    for (const text of [
      '',
      key.slice(1),
      key.slice(0, -1),
      `${key}A`,
      key.replace('live', 'prod'),
      `${key}\n`,
    ]) {
      expect(apiKeyMode(text), JSON.stringify(text)).toBeUndefined()
    }
  })
})
