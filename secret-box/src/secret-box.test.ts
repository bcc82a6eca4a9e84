import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretBox, formatEncryptionKeys, newEncryptionKey, parseEncryptionKeys } from './secret-box.ts'

const [older, newer] = [newEncryptionKey(), newEncryptionKey()]

describe('a secret box', () => {
  test('opens every text that it has sealed, and two seals of one secret differ', () => {
    const box = createSecretBox([newer])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
        const sealed = box.seal(secret, context)
        expect(box.open(sealed, context)).toBe(secret)
        expect(box.seal(secret, context)).not.toBe(sealed)
      }),
    )
  })

  test('opens no text that was changed, shortened or moved to another context', () => {
    const box = createSecretBox([newer])
    const sealed = box.seal('JBSWY3DPEHPK3PXP', 'totp of Ada')
    const [, body = ''] = sealed.split('.')
    const bytes = Buffer.from(body, 'base64url')
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(() => box.open(`${newer.id}.${changed.toString('base64url')}`, 'totp of Ada')).toThrow()
      const short = bytes.subarray(0, index).toString('base64url')
      expect(() => box.open(`${newer.id}.${short}`, 'totp of Ada')).toThrow()
    }
    expect(() => box.open(sealed, 'totp of Grace')).toThrow()
  })

  test('recognizes a text by keyed digests, also after the key was replaced', () => {
    const [digest] = createSecretBox([older]).digests('hunter2')
    expect(createSecretBox([newer, older]).digests('hunter2')).toContain(digest)
    expect(createSecretBox([newer]).digests('hunter2')).not.toContain(digest)
    expect(createSecretBox([older]).digests('hunter3')).not.toContain(digest)
  })

  test('seals with the first key, and opens texts of the other keys until they are removed', () => {
    const sealed = createSecretBox([older]).seal('secret', '')
    const both = createSecretBox([newer, older])
    expect(both.open(sealed, '')).toBe('secret')
    expect(both.seal('secret', '')).toMatch(new RegExp(`^${newer.id}\\.`))
    expect(() => createSecretBox([newer]).open(sealed, '')).toThrow(older.id)
  })
})

describe('keys in a variable', () => {
  test('are read as they were written', () => {
    expect(parseEncryptionKeys(formatEncryptionKeys([newer, older]))).toEqual([newer, older])
  })

  test.each([
    ['', 'number 1'],
    ['secret', 'number 1'],
    [`${formatEncryptionKeys([newer])},x`, 'number 2'],
    ['k1:c2hvcnQ=', '32 bytes; k1 has 5'],
    [formatEncryptionKeys([newer, newer]), 'another id'],
  ])('%s are refused with the reason, without showing a key', (text, fault) => {
    expect(() => parseEncryptionKeys(text)).toThrow(fault)
    for (const part of text.split(/[,:]/).filter((part) => part.length > 20)) {
      expect(() => parseEncryptionKeys(text)).not.toThrow(part)
    }
  })
})
