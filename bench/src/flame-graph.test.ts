import { describe, expect, test } from 'vitest'
import { busyMs, merged, readCpuProfile, slowestFunctions } from './cpu-profile.ts'
import { flameGraph } from './flame-graph.ts'

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber })

/** root -> main -> (parse twice, at two places of the code), and idle time. */
const profile = JSON.stringify({
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 5] },
    { id: 2, callFrame: frame('main', 'file:///x/node_modules/app/index.js', 9), children: [3, 4] },
    { id: 3, callFrame: frame('parse<T>', 'node:json', 4) },
    { id: 4, callFrame: frame('parse<T>', 'node:json', 4) },
    { id: 5, callFrame: frame('(idle)') },
  ],
  samples: [2, 3, 4, 5, 3],
  timeDeltas: [10_000, 20_000, 30_000, 900_000, 40_000],
})

describe('a profile', () => {
  test('counts each function’s own time, without the time that the process waited', () => {
    const root = readCpuProfile(profile)
    expect(busyMs(root)).toBe(100)
    expect(slowestFunctions(root, 2)).toEqual([
      { name: 'parse<T>', place: 'node:json:5', selfMs: 90 },
      { name: 'main', place: 'app/index.js:10', selfMs: 10 },
    ])
  })

  test('joins the calls of one function by one caller, and keeps the sum', () => {
    const root = merged(readCpuProfile(profile))
    expect(root.totalMs).toBe(100)
    expect(root.callees[0]?.callees).toMatchObject([{ name: 'parse<T>', selfMs: 90, totalMs: 90 }])
  })

  test('that is none is refused', () => {
    expect(() => readCpuProfile('{}')).toThrow()
  })
})

test('a flame graph shows each frame as wide as its time, with names that can’t break out of it', () => {
  const svg = flameGraph(merged(readCpuProfile(profile)), 'a <b> & c')
  expect(svg).toContain('<title>parse&lt;T&gt; node:json:5: 90 ms, 90.0 %</title>')
  expect(svg).toContain('a &lt;b&gt; &amp; c')
  const widths = [...svg.matchAll(/<rect x="[\d.]+" y="\d+" width="([\d.]+)"/g)].map(([, wide]) => wide)
  expect(widths).toEqual(['1200.0', '1200.0', '1080.0'])
})
