import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { expect, test } from 'vitest'
import { checkSignature, signedQuery } from './signed-urls.ts'

const [older, newer] = [newEncryptionKey(), newEncryptionKey()]
const signer = createSecretBox([older])
const request = {
  method: 'GET',
  key: 'm1/private/one',
  parameters: { name: 'a.pdf', expires: '1000' },
} as const
const query = signedQuery(signer, request)
const check = (
  target: Partial<{ method: 'GET' | 'PUT'; key: string }>,
  text = query,
  now = 999_999,
  by = signer,
) => checkSignature(by, { ...request, ...target }, new URLSearchParams(text), now)

test('a signed URL is good until its second, and expired from then on', () => {
  expect(check({})).toBe('valid')
  expect(check({}, query, 1_000_000)).toBe('expired')
})

test('a signed URL is good for its method, key and parameters alone', () => {
  expect(check({ method: 'PUT' })).toBe('forged')
  expect(check({ key: 'm2/private/one' })).toBe('forged')
  for (const text of [
    query.replace('1000', '9000'),
    query.replace('a.pdf', 'b.pdf'),
    `${query}&size=1`,
    query.replace(/signature=.*/, 'signature='),
    query.replace(/signature=.*/, ''),
    '',
  ])
    expect(check({}, text)).toBe('forged')
})

test('a signed URL stays good when another key signs, and until its own key is removed', () => {
  expect(check({}, query, 0, createSecretBox([newer, older]))).toBe('valid')
  expect(check({}, query, 0, createSecretBox([newer]))).toBe('forged')
})
