import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../metadata/parse.ts'
import { render } from './render.ts'

const variables = {
  $: [{ index: 1 }],
  $body: {
    event: { name: 'Ada & co', age: 36, tags: ['a', 'b'], 'first name': 'Ada', nothing: null },
    articles: [
      { id: 0, title: 'One', published: true },
      { id: 1, title: 'Two', published: false },
    ],
  },
  $flag: true,
} as const satisfies Record<string, Json>

/** The value, or the code and message of the failure. */
function outcome(source: string): unknown {
  const result = render(source, variables)
  return result.kind === 'rendered' ? result.value : `${result.code}: ${result.message}`
}

/** `goldens.txt` has a template per paragraph, and its result after `=>`. */
const goldens = readFileSync(new URL('goldens.txt', import.meta.url), 'utf8')
  .split(/\n\n+/)
  .map((paragraph) => paragraph.split(/\n=> /))
  .filter((parts): parts is [string, string] => parts.length === 2)

test('the goldens are read', () => {
  expect(goldens.length).toBeGreaterThan(50)
})

test.each(goldens)('%s', (source, expected) => {
  const actual = outcome(source)
  expect(typeof actual === 'string' && actual.includes(' Code: ') ? actual : JSON.stringify(actual)).toBe(
    expected.trim(),
  )
})

test('every JSON document is a template with itself as the result', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 6 }).filter((text) => !text.includes('{{')),
      (text) => {
        // JSON.parse and the template both read -0, and toEqual distinguishes it from 0.
        expect(outcome(text)).toEqual(JSON.parse(text))
      },
    ),
    { numRuns: 300 },
  )
})

test('no text makes it throw or run for long', () => {
  const words = [
    '{{',
    '}}',
    'if',
    'range',
    'end',
    'else',
    '"',
    '[',
    ']',
    '$body',
    '.',
    '?',
    '(',
    'not',
    ' ',
    '1',
    ':=',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 25 }), (parts) => {
      expect(['rendered', 'failed']).toContain(render(parts.join(''), variables).kind)
    }),
    { numRuns: 1000 },
  )
})

test('nesting and work are bounded', () => {
  expect(outcome('['.repeat(100_000))).toBe('Parse Error Code: the template is nested too deeply')
  const wide = { $body: Array.from({ length: 2000 }, () => 1) }
  const square = '{{ range _, x := $body }}{{ range _, y := $body }}{{ y }}{{ end }}{{ end }}'
  expect(render(square, wide)).toMatchObject({ kind: 'failed', message: 'the template takes too long' })
})
