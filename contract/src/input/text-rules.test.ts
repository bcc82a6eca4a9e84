import { describe, expect, test } from 'vitest'
import { hasDeceptiveLetter } from './email-address.ts'
import { isSingleLine } from './single-line.ts'

describe('a line of text', () => {
  test.each(['Ada Lovelace', 'Łódź – “quoted”', '株式会社', 'مرحبا', '👩‍🚀 crew', ''])('may be %j', (text) => {
    expect(isSingleLine(text)).toBe(true)
  })
  test.each(['V\r\nBcc: a@b.example', 'a\nb', 'a\tb', 'a\0b', 'a\u2028b', 'evil\u202egpj.exe', '\u001b[31m'])(
    'may not be %j',
    (text) => {
      expect(isSingleLine(text)).toBe(false)
    },
  )
})

describe('an e-mail address', () => {
  test.each([
    'ada@example.com',
    'jörg@example.com',
    'o’neill@example.com',
    'почта@example.com',
    '用户@example.com',
  ])('may be %s', (address) => {
    expect(hasDeceptiveLetter(address)).toBe(false)
  })
  test.each([
    ['a\u200bda@example.com', 'zero-width space'],
    ['ada\u00ad@example.com', 'soft hyphen'],
    ['ada\u0000@example.com', 'NUL'],
    ['\u0430da@example.com', 'Cyrillic а beside Latin letters'],
    ['\u0441\u043e\u0441\u043e@example.com', 'Cyrillic that reads as Latin'],
    ['\u03bfnline@example.com', 'Greek ο beside Latin letters'],
    ['ａda@example.com', 'a full-width letter'],
    ['\u202eada@example.com', 'a turn of direction'],
  ])('may not be %j: %s', (address) => {
    expect(hasDeceptiveLetter(address)).toBe(true)
  })
})
