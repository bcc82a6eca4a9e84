import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isCommonPassword } from './common-password.ts'

test.each([
  'password123',
  'Password123',
  'password123!',
  '1234567890',
  '0987654321',
  'qwertyuiop',
  'aaaaaaaaaa',
  'abcabcabcabc',
  'abcdefghijkl',
  'passwordpassword',
  'iloveyou123',
])('%s is refused as a common password', (password) => {
  expect(isCommonPassword(password)).toBe(true)
})

test.each([
  'correct horse battery staple',
  'tr0ub4dor&3-lantern',
  'Grüße aus Hamburg 7',
  '春はあけぼのやうやう白く',
])('%s is accepted', (password) => {
  expect(isCommonPassword(password)).toBe(false)
})

test('a random password is accepted', () => {
  fc.assert(
    fc.property(fc.uuid(), (password) => {
      expect(isCommonPassword(password)).toBe(false)
    }),
  )
})
