import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { stringify } from 'yaml'
import { applyEdit, type Edit } from './fault.ts'

/** One way to break a line: returns the broken line, or null if the line has no place for it. */
interface Operator {
  readonly files: RegExp
  readonly what: string
  readonly pattern: RegExp
  readonly replacement: string
}

const sql = /\.sql$/
const typescript = /\.ts$/

const operators: readonly Operator[] = [
  { files: sql, what: 'a condition is left out', pattern: /^(\s*)AND .*[^(,]$/, replacement: '$1' },
  {
    files: sql,
    what: 'a row is not locked',
    pattern: /\bFOR (NO KEY )?UPDATE\b( SKIP LOCKED)?/,
    replacement: '',
  },
  { files: sql, what: 'a call is left out', pattern: /PERFORM .*;$/, replacement: 'NULL;' },
  {
    files: sql,
    what: 'a condition is turned round',
    pattern: /\bIF NOT (EXISTS|FOUND)\b/,
    replacement: 'IF $1',
  },
  { files: sql, what: 'the bound itself is refused', pattern: / <= /, replacement: ' < ' },
  { files: sql, what: 'the bound itself is taken', pattern: / < /, replacement: ' <= ' },
  { files: sql, what: 'it is taken off', pattern: / \+ (?!make_interval)/, replacement: ' - ' },
  { files: typescript, what: 'a call is left out', pattern: /^(\s*)await [\w.#]+\(.*\)$/, replacement: '$1' },
  { files: typescript, what: 'it is the other way round', pattern: / === /, replacement: ' !== ' },
  { files: typescript, what: 'one of two is enough', pattern: / && /, replacement: ' || ' },
  { files: typescript, what: 'the bound itself is taken', pattern: / < /, replacement: ' <= ' },
  { files: typescript, what: 'the bound itself is refused', pattern: / >= /, replacement: ' > ' },
  { files: typescript, what: 'it is said to be so', pattern: /\bfalse\b/, replacement: 'true' },
  { files: typescript, what: 'it is said not to be so', pattern: /\btrue\b/, replacement: 'false' },
]

const sources = [
  'sql/*/functions.sql',
  'sql/*/functions/*.sql',
  'sql/*/triggers.sql',
  '{gateway,actions,auth-webhook,rate-limits,hasura/engine}/src/**/*.ts',
]

/**
 * Draws places where one of the operators can make a fault, as YAML for the lists in this folder. A person decides
 * whether the fault means anything, what its name is and which test is nearest. The same seed draws the same places
 * of the same code.
 */
export function drawFaults(root: string, { count, seed }: { count: number; seed: number }): string {
  const files = globSync(sources, { cwd: root })
    .filter((file) => !/\.test\.ts$|\/(testing|random-queries|generated|node_modules|dist)\//.test(file))
    .sort()
  const random = randomNumbers(seed)
  const drawn: unknown[] = []
  while (drawn.length < count) {
    const file = files[Math.floor(random() * files.length)] ?? ''
    const text = readFileSync(path.join(root, file), 'utf8')
    // It draws the operator first and the place second: comparisons are on many lines, locks on few.
    const ways = [...Map.groupBy(placesIn(file, text), ({ what }) => what).values()]
    const places = ways[Math.floor(random() * ways.length)] ?? []
    const place = places[Math.floor(random() * places.length)]
    if (place !== undefined) drawn.push({ name: place.what, edits: [place.edit], tests: [], drawn: seed })
  }
  return stringify(drawn, { lineWidth: 0 })
}

function placesIn(file: string, text: string): readonly { readonly what: string; readonly edit: Edit }[] {
  const lines = text.split('\n').filter((line) => !/^\s*(--|\/\/|\*|\/\*\*|import |readonly )/.test(line))
  return lines.flatMap((line) =>
    operators
      .filter(({ files, pattern }) => files.test(file) && pattern.test(line))
      .map(({ what, pattern, replacement }) => ({
        what,
        edit: { file, find: line.trim(), replace: line.replace(pattern, replacement).trim() },
      }))
      .filter(({ edit }) => hasOnePlace(text, edit)),
  )
}

function hasOnePlace(text: string, edit: Edit): boolean {
  try {
    applyEdit(text, edit)
    return true
  } catch {
    return false
  }
}

/** Mulberry32: numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
