/**
 * Rows as CSV. A text that a spreadsheet would take for a formula gets an apostrophe, by the rule of exports
 * (contract/src/input/formula-cell.ts); a number is left alone. Without the mark of UTF-8 at its beginning, Excel reads other letters.
 */
export const toCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  utf8Mark + rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

const utf8Mark = '\uFEFF'

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Has the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
