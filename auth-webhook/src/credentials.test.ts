import { describe, expect, test } from 'vitest'
import { generateApiKey } from './api-key.ts'
import { parseCredential } from './credentials.ts'

const { key } = generateApiKey('live')

describe('the Authorization header', () => {
  test('has a key after `Bearer` and one space', () => {
    expect(parseCredential(`Bearer ${key}`)).toEqual({ kind: 'key', key, mode: 'live' })
  })

  test.each(['cg_live_', 'cg_test_', 'cg_pub_', 'cg_op_'])(
    'with a %s key of another place is refused before anything is looked up, and one without a place is not',
    (kind) => {
      const random = 'A'.repeat(43)
      expect(parseCredential(`Bearer ${kind}us1_${random}`, 'eu1')).toEqual({
        kind: 'refused',
        id: 'SVC_AUTH_001',
        reason: 'a key of the place us1',
        shown: { field: 'Authorization', reason: 'The key belongs to another deployment' },
      })
      for (const accepted of [`${kind}eu1_${random}`, `${kind}${random}`])
        expect(parseCredential(`Bearer ${accepted}`, 'eu1')).toMatchObject({ key: accepted })
    },
  )

  test('has a token if it has three parts', () => {
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
