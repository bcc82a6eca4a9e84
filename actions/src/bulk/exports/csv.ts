import { cellOfText } from '@commerce-graph/contract/input'
import type { ColumnType } from './columns.ts'

type Row = Readonly<Record<string, unknown>>

/** The header: the columns by their paths, with dots. */
export const csvHeader = (columns: readonly ColumnType[]): string =>
  record(columns.map(({ path }) => path.join('.')))

/** A row of CSV (RFC 4180): lines end with CR LF, and a value is quoted where it must be. */
export const csvRow = (columns: readonly ColumnType[], row: Row): string =>
  record(columns.map(({ path }) => cell(valueAt(row, path))))

const record = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

function valueAt(row: Row, path: readonly string[]): unknown {
  let value: unknown = row
  for (const key of path) {
    if (value === null || typeof value !== 'object') return null
    value = (value as Row)[key]
  }
  return value
}

/**
 * A cell's text: empty for null, JSON for objects and for lists with objects. A list of texts is as an import reads it,
 * separated by `|`; it is JSON if one of them has a `|`, or begins like JSON.
 */
function cell(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return cellOfText(value)
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'object':
      if (value === null) return ''
      return cellOfText(isPlainList(value) ? value.join('|') : JSON.stringify(value))
    default:
      return ''
  }
}

const isPlainList = (value: object): value is readonly string[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'string' && one !== '' && !one.includes('|') && !/^[[{]/.test(one))
