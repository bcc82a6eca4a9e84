import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dateTime } from './date-time.ts'

test.each([
  ['2026-11-22T08:09:46.622788+00:00', '2026-11-22T08:09:46.622Z'],
  ['2026-11-22T08:09:46.9+00:00', '2026-11-22T08:09:46.900Z'],
  ['2026-11-22T08:09:46+00:00', '2026-11-22T08:09:46.000Z'],
  ['2026-11-22T08:09:46.000Z', '2026-11-22T08:09:46.000Z'],
  ['2026-11-22T08:09:46.5+05:45', '2026-11-22T02:24:46.500Z'],
  ['infinity', 'infinity'],
  [null, null],
])('%s is answered as %s', (value, answered) => {
  expect(dateTime(value)).toBe(answered)
})

test('timestamps sort as texts in the order of time', () => {
  const time = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  const written = time.map((date) => date.toISOString().replace(/\.?0*Z$/, '+00:00'))
  fc.assert(
    fc.property(written, written, (one, other) => {
      const [a, b] = [String(dateTime(one)), String(dateTime(other))]
      expect(Math.sign(Number(a > b) - Number(a < b))).toBe(Math.sign(Date.parse(one) - Date.parse(other)))
    }),
  )
})
