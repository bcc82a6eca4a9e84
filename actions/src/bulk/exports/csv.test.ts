import { textOfCell } from '@commerce-graph/contract/input'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvHeader, csvRow } from './csv.ts'

const columns = [
  { path: ['sku'] },
  { path: ['price'] },
  { path: ['owner', 'name'] },
  { path: ['tags'] },
  { path: ['lines'] },
]

test('a row has a cell for each column, and no cell is a formula', () => {
  const row = {
    sku: '=HYPERLINK("x")',
    price: -1900,
    owner: { name: 'O’Neil, "Ann"\nJr.' },
    tags: ['cotton', 'basic'],
    lines: [{ sku: 'A', quantity: 2 }],
  }
  expect(csvHeader(columns)).toBe('sku,price,owner.name,tags,lines\r\n')
  expect(csvRow(columns, row)).toBe(
    `"'=HYPERLINK(""x"")",-1900,"O’Neil, ""Ann""\nJr.",cotton|basic,"[{""sku"":""A"",""quantity"":2}]"\r\n`,
  )
  expect(csvRow(columns, { sku: null, owner: null, tags: [], lines: ['a|b'] })).toBe(',,,,"[""a|b""]"\r\n')
})

test('every text comes back whole, and begins with no character of a formula', () => {
  const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^'{0,2}[=+\-@\t\r]?[ -~\r\n]*$/))
  fc.assert(
    fc.property(
      fc.array(fc.record({ sku: cell, owner: fc.record({ name: cell }) }), { minLength: 1 }),
      (rows) => {
        const two = [{ path: ['sku'] }, { path: ['owner', 'name'] }]
        const text = csvHeader(two) + rows.map((row) => csvRow(two, row)).join('')
        const read: string[][] = parse(text, { relax_column_count: false, record_delimiter: '\r\n' })
        for (const value of read.flat()) expect(value).not.toMatch(/^[=+\-@\t\r]/)
        const back = read.slice(1).map((cells) => cells.map(textOfCell))
        expect(back).toEqual(rows.map(({ sku, owner }) => [sku, owner.name]))
      },
    ),
  )
})
