import fc from 'fast-check'
import { expect, test } from 'vitest'
import { missing } from './missing.ts'

const identity = { ofWanted: String, ofPresent: String }

test('present plus missing elements contain all wanted ones, and no others were added', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'))
  fc.assert(
    fc.property(letters, letters, (wanted, present) => {
      const absent = missing(wanted, present, identity)
      for (const letter of ['a', 'b', 'c']) {
        const count = (list: readonly string[]) => list.filter((one) => one === letter).length
        expect(count(absent.map(({ value }) => value))).toBe(Math.max(0, count(wanted) - count(present)))
      }
      for (const { index, value } of absent) expect(wanted[index]).toBe(value)
    }),
  )
})
