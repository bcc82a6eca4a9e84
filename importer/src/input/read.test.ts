import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InputError } from './input-error.ts'
import { parseRow, type RawRow } from './row.ts'
import { openSource } from './source.ts'
import { unflatten } from './unflatten.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'importer-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function rowsOf(name: string, content: string | Buffer): Promise<RawRow[]> {
  const file = join(folder, name)
  await writeFile(file, content)
  const source = await openSource(file)
  const rows: RawRow[] = []
  for await (const row of source.read()) rows.push(row)
  expect(source.rowCount).toBe(rows.length)
  return rows
}

const valuesOf = (rows: readonly RawRow[]): unknown[] =>
  rows.map((row) => ('problem' in row ? row.problem : row.value))

describe('JSON Lines', () => {
  test('are read with their line numbers, with empty lines, a byte order mark and Windows line ends', async () => {
    const rows = await rowsOf('a.jsonl', '\uFEFF{"a":1}\r\n\r\n{"a":"ü\u2028"}\n')
    expect(valuesOf(rows)).toEqual([{ a: 1 }, { a: 'ü\u2028' }])
    expect(rows.map(({ location }) => [location.line, location.index])).toEqual([
      [1, 0],
      [3, 1],
    ])
  })

  test('that are no JSON are refused separately', async () => {
    const rows = await rowsOf('b.ndjson', '{"a":1}\n{"a":\n{"a":2}')
    expect(valuesOf(rows)).toMatchObject([{ a: 1 }, { code: 'INVALID_FORMAT' }, { a: 2 }])
  })

  test('of any length are read in bounded memory', async () => {
    const rows = await rowsOf('c.jsonl', `${'x'.repeat(3_000_000)}\n{"a":2}\n`)
    expect(valuesOf(rows)).toMatchObject([{ code: 'OUT_OF_RANGE' }, { a: 2 }])
    expect(rows[1]?.location.line).toBe(2)
  })
})

test.each([
  ['products.csv', 'sku,name\nA,Jürgen\n'],
  ['products.jsonl', '{"sku":"A","name":"Jürgen"}\n'],
])('%s in another encoding than UTF-8 is refused', async (name, content) => {
  await expect(rowsOf(name, Buffer.from(content, 'latin1'))).rejects.toThrow(
    new InputError(
      `${join(folder, name)}: The file is not UTF-8: save it as UTF-8, in a spreadsheet as "CSV UTF-8"`,
    ),
  )
})

describe('CSV', () => {
  test('has texts without the apostrophe that kept them from being a formula', async () => {
    const [row] = await rowsOf('apostrophes.csv', "email,name,phone\na@example.com,'90s,'+49 30 1234567\n")
    expect(row).toMatchObject({ value: { name: "'90s", phone: '+49 30 1234567' } })
  })

  test('has a column for every field of a product, named by its path', async () => {
    const [row] = await rowsOf(
      'products.csv',
      [
        'sku,name,price,currency,featured,tags,categories,images,stock.BEND,stock.7,variants.0.sku,variants.0.options.price,variants.0.stock,reviews.0.authorName,reviews.0.rating,description',
        'A-1,"A ""good"", tent",38900,USD,true,a|b,Clothing > Jackets|Sale,https://example.com/1.jpg,0,0,A-1-M,10,5,Ann,5,',
      ].join('\n'),
    )
    expect(row === undefined ? undefined : parseRow(row)).toEqual({
      kind: 'row',
      row: {
        kind: 'product',
        location: { file: join(folder, 'products.csv'), line: 2, index: 0 },
        value: {
          sku: 'A-1',
          name: 'A "good", tent',
          price: 38900,
          currency: 'USD',
          featured: true,
          tags: ['a', 'b'],
          categories: ['Clothing > Jackets', 'Sale'],
          images: [{ url: 'https://example.com/1.jpg' }],
          stock: { BEND: 0, '7': 0 },
          variants: [{ sku: 'A-1-M', options: { price: '10' }, stock: 5 }],
          reviews: [{ authorName: 'Ann', rating: 5 }],
        },
      },
    })
  })

  test('with a column email has customers', async () => {
    const rows = await rowsOf(
      'customers.csv',
      'email,name,marketingOptIn,addresses.0.line1\na@example.com,A,false,"two\nlines"\n',
    )
    expect(valuesOf(rows)).toEqual([
      { email: 'a@example.com', name: 'A', marketingOptIn: false, addresses: [{ line1: 'two\nlines' }] },
    ])
  })

  test('reports a cell of the wrong type', async () => {
    const [row] = await rowsOf('bad.csv', 'sku,name,price,currency\nA-1,A tent,9.99,USD')
    expect(row === undefined ? undefined : parseRow(row)).toMatchObject({
      refused: { key: 'A-1', problems: [{ field: 'price' }] },
    })
  })

  test('with a row of another length refuses only that row', async () => {
    const rows = await rowsOf('short.csv', 'sku,name\nA-1\nA-2,x\n')
    expect(valuesOf(rows)).toMatchObject([{ message: 'has 1 cells under 2 columns' }, { sku: 'A-2' }])
  })

  test.each([
    ['name,price\nA,1', /neither a column "sku" nor a column "email"/],
    ['sku,colour\nA,1', /unknown column "colour"/],
    ['sku,sku\nA,1', /"sku" stands twice/],
    ['sku,name\nA,"open', /not CSV that can be read/],
  ])('%j is refused as a whole', async (content, message) => {
    await expect(rowsOf('whole.csv', content)).rejects.toThrow(message)
    await expect(rowsOf('whole.csv', content)).rejects.toThrow(InputError)
  })
})

describe('a file', () => {
  test('that is missing, or of another kind, is refused with its name', async () => {
    await expect(openSource(join(folder, 'absent.csv'))).rejects.toThrow(/absent\.csv: ENOENT/)
    await expect(openSource(join(folder, 'shop.xlsx'))).rejects.toThrow(/must end in/)
  })
})

describe('columns', () => {
  test('that are flattened from any nested value restore it', () => {
    const name = fc.stringMatching(/^[a-z]{1,5}$/)
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        fc.dictionary(name, tie('tree'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      ),
    })).tree
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1, noNullPrototype: true }), (original) => {
        expect(unflatten(flatten(original, ''))).toEqual({ value: original })
      }),
    )
  })

  test('can’t be both a value and an object', () => {
    expect(
      unflatten([
        ['stock', '1'],
        ['stock.BEND', '2'],
      ]),
    ).toEqual({ conflict: 'stock.BEND' })
    expect(
      unflatten([
        ['stock.BEND', '2'],
        ['stock', '1'],
      ]),
    ).toEqual({ conflict: 'stock' })
  })

  test('with names of properties that every object has are ordinary names', () => {
    const result = unflatten([
      ['__proto__.polluted', 'yes'],
      ['stock.constructor', '1'],
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect('value' in result && JSON.stringify(result.value)).toBe(
      '{"__proto__":{"polluted":"yes"},"stock":{"constructor":"1"}}',
    )
  })
})

function flatten(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  return Object.entries(value as Record<string, unknown>).flatMap(([name, member]) =>
    flatten(member, path === '' ? name : `${path}.${name}`),
  )
}
