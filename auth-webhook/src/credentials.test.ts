import { describe, expect, test } from 'vitest'
import { generateApiKey } from './api-key.ts'
import { parseCredential } from './credentials.ts'

const { key } = generateApiKey('live')

describe('the Authorization header', () => {
  test('holds a key after `Bearer` and one space', () => {
    expect(parseCredential(`Bearer ${key}`)).toEqual({ kind: 'key', key, mode: 'live' })
  })

  test('holds a token when it has three parts', () => {
    expect(parseCredential('Bearer aa.bb.cc')).toEqual({ kind: 'token', token: 'aa.bb.cc' })
  })

  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['has no scheme', key],
    ['has another scheme', `Basic ${key}`],
    ['has a scheme in lower case', `bearer ${key}`],
    ['has two spaces', `Bearer  ${key}`],
    ['has a space at the end', `Bearer ${key} `],
    ['has a tab', `Bearer\t${key}`],
    ['is quoted', `Bearer "${key}"`],
    ['has a quoted whole', `"Bearer ${key}"`],
    ['has no prefix on the key', `Bearer ${key.slice('cg_live_'.length)}`],
    ['holds two keys', `Bearer ${key}, Bearer ${key}`],
    ['is longer than any credential', `Bearer ${'a'.repeat(5000)}.b.c`],
  ])('that %s is refused as SVC_AUTH_001', (_case, header) => {
    expect(parseCredential(header)).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_001' })
  })
})
