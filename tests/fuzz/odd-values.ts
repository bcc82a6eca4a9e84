import fc from 'fast-check'

/** Texts that are known to cause faults in parsers, databases, logs or terminals. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\u202e\u200b\ufeff',
  '\r\n\r\nGET / HTTP/1.1',
  "'; DROP TABLE catalog.product; --",
  '$1 $2 {{x}} ${y} %s %n',
  '\\',
  '"',
  '%_%',
  '../../etc/passwd',
  'null',
  'NaN',
  '-0',
  '1e999',
  '9'.repeat(400),
  '0x7fffffff',
  '2026-02-30T25:61:61Z',
  '0000-00-00',
  '+275760-09-13T00:00:00.000Z',
  '294277-01-01T00:00:00Z',
  'infinity',
  '00000000-0000-0000-0000-000000000000',
  '{}',
  '{"a":',
  'eyJhbGciOiJub25lIn0.e30.',
  '😀'.repeat(100),
  'a'.repeat(20_000),
] as const

const oddNumbers = [
  0,
  -1,
  1.5,
  -0.0000001,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  1e300,
  5e-324,
] as const

export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 60 }),
)

/** Any JSON: a client may send it in any place. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...oddNumbers) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null]) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 200 }).map(deep) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString').map((name) => ({ [name]: { x: 1 } })),
  },
)

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
