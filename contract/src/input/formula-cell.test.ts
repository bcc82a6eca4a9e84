import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellOfText, textOfCell } from './formula-cell.ts'

const formulaLike = fc.stringMatching(/^'{0,3}[=+\-@\t\r]?[ -~]*$/)

test('a cell gives its text back, whatever it is, and no spreadsheet runs it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), formulaLike), (text) => {
      expect(textOfCell(cellOfText(text))).toBe(text)
      expect(cellOfText(text)).not.toMatch(/^[=+\-@\t\r]/)
    }),
  )
})

test('a cell that nobody guarded keeps its apostrophes', () => {
  for (const cell of ["'90s tee", "'", "''", "O'Neil", '-5', 'tee']) expect(textOfCell(cell)).toBe(cell)
})
