import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvHeader, csvRow } from '../exports/csv.ts'
import { type RawRow, readCsv, readJsonLines, UnreadableFile } from './read-rows.ts'

const inChunks = (bytes: Buffer, size: number): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    ),
  )

const valuesOf = async (rows: AsyncGenerator<RawRow>): Promise<readonly unknown[]> =>
  (await Array.fromAsync(rows)).map((row) => ('value' in row ? row.value : row.problem))

test('every text of an export is imported as it was', async () => {
  const columns = [{ path: ['sku'] }, { path: ['description'] }]
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.stringMatching(/^'{0,2}[=+\-@\t\r][ -~\r\n]*$/),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      async (texts, size) => {
        const rows = texts.map((description, at) => ({ sku: `A-${at}`, description }))
        const file = csvHeader(columns) + rows.map((row) => csvRow(columns, row)).join('')
        expect(await valuesOf(readCsv(inChunks(Buffer.from(file), size)))).toEqual(rows)
      },
    ),
  )
})

test.each([
  ['CSV', readCsv, 'name\r\nJürgen\r\n'],
  ['JSON Lines', readJsonLines, '{"name":"Jürgen"}\n'],
])(
  '%s is UTF-8, with or without a byte order mark, and ends the reading otherwise',
  async (_, read, text) => {
    for (const size of [1, 1000]) {
      for (const mark of ['', '\uFEFF'])
        expect(await valuesOf(read(inChunks(Buffer.from(mark + text), size)))).toEqual([{ name: 'Jürgen' }])
      const attempt = valuesOf(read(inChunks(Buffer.from(text, 'latin1'), size)))
      await expect(attempt).rejects.toThrow(UnreadableFile)
      await expect(attempt).rejects.toThrow('The file is not UTF-8: save it as UTF-8')
    }
  },
)
