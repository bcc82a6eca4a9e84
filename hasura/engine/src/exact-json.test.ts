import { describe, expect, test } from 'vitest'
import { integerOf, isRawNumber, parseUnrounded, unrounded } from './exact-json.ts'

describe('a number of a client’s JSON', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '0.12345678901234567890',
    '12345678901.234567890',
    '1e400',
    '1e-400',
    '1.5E400',
  ])('that JavaScript would round keeps its digits: %s', (text) => {
    expect(isRawNumber(parseUnrounded(text))).toBe(true)
    for (const body of [`{"a":${text}}`, `[${text}]`, `[1,${text}]`, `{"a":{"b":[[],${text}]}}`])
      expect(JSON.stringify(parseUnrounded(body))).toBe(body)
  })

  test.each([
    '0',
    '-0',
    '1.50',
    '9007199254740991',
    '9007199254740992',
    '123456789012345000000',
    '1.0000000000000000',
    '13.404953999999998',
    '0.0000000000000000',
    '1e3',
    '2.5E-7',
    '1e100',
    '1e+300',
  ])('that JavaScript has exactly is a number: %s', (text) => {
    expect(parseUnrounded(`{"a":${text}}`)).toEqual({ a: Number(text) })
    expect(unrounded(text)).toBe(Number(text))
  })

  test('stays a number beside one that is kept as text, and a text stays a text', () => {
    const { number, text } = parseUnrounded(
      '{"number":1.50,"large":9007199254740993,"text":"9007199254740993"}',
    ) as { readonly number: unknown; readonly text: unknown }
    expect([number, text]).toEqual([1.5, '9007199254740993'])
  })

  test('of a million digits is read in a moment', () => {
    const begun = performance.now()
    const zeros = '0'.repeat(1_000_000)
    expect(integerOf(unrounded(`0.${zeros}1`))).toBeUndefined()
    expect(integerOf(unrounded(`1${zeros}1`))).toBeUndefined()
    expect(parseUnrounded(`{"a":"${zeros}"}`)).toEqual({ a: zeros })
    expect(performance.now() - begun).toBeLessThan(30_000)
  })
})

test.each<[string, bigint | undefined]>([
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['9007199254740993.0', 9007199254740993n],
  ['90071992547409930e-1', 9007199254740993n],
  ['900719925474099.3e1', 9007199254740993n],
  ['0e400', 0n],
  ['7', 7n],
  ['7.5', undefined],
  ['9007199254740993.5', undefined],
  ['1e400', undefined],
])('%s as an integer', (text, integer) => {
  expect(integerOf(unrounded(text))).toBe(integer)
})
