import { describe, expect, test } from 'vitest'
import { expectedMs, noteTimes } from './expected-time.ts'

describe('a statement', () => {
  test('that has not run yet may take any time', () => {
    expect(expectedMs([{}])).toBe(Infinity)
  })

  test('is expected to take what this process waited for it with nothing else to do', () => {
    const one = {}
    noteTimes(one, { wait: 0.4, total: 6 })
    expect(expectedMs([one])).toBe(0.4)
    for (let run = 0; run < 50; run += 1) noteTimes(one, { wait: 0.1, total: 6 })
    expect(expectedMs([one])).toBeCloseTo(0.1, 2)
  })

  test('that never ends soon is long, even if this process had other work all the time', () => {
    const long = {}
    for (let run = 0; run < 10; run += 1) noteTimes(long, { wait: 0, total: 200 })
    expect(expectedMs([long])).toBe(200)
  })

  test('that is quick but for the crowd of others is quick again soon after', () => {
    const quick = {}
    for (let run = 0; run < 10; run += 1) noteTimes(quick, { wait: 0.1, total: 40 })
    expect(expectedMs([quick])).toBeGreaterThan(10)
    for (let run = 0; run < 10; run += 1) noteTimes(quick, { wait: 0.1, total: run % 2 === 0 ? 1 : 15 })
    expect(expectedMs([quick])).toBeCloseTo(0.1)
  })
})

test('several statements take as long as all of them', () => {
  const [one, other] = [{}, {}]
  noteTimes(one, { wait: 0.25, total: 1 })
  noteTimes(other, { wait: 0.5, total: 1 })
  expect(expectedMs([one, other])).toBe(0.75)
})
