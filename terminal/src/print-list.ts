import { styleText } from 'node:util'
import stringWidth from 'string-width'
import type { Output } from './output.ts'
import { padTo } from './text-width.ts'
import type { Json } from './print-result.ts'
import { type Cell, shownCell } from './shown-cell.ts'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => Cell
}

interface ListOptions<Row> extends Json {
  readonly columns: readonly Column<Row>[]
  /** For a person, when there is no row. */
  readonly none: string
  readonly stream?: Output
}

const gap = '  '

/**
 * Prints rows: with --json as one JSON array, on a terminal as a table, elsewhere a row a line, whose cells are two spaces apart, without a
 * title, so that other programs can count and search them.
 */
export function printList<Row>(
  rows: readonly Row[],
  { json, columns, none, stream = process.stdout }: ListOptions<Row>,
): void {
  if (json === true) stream.write(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0) stream.write(`${none}\n`)
  else {
    const cells = rows.map((row) => columns.map(({ of }) => shownCell(of(row))))
    stream.write(
      `${(stream.isTTY === true ? tableLines(cells, columns, stream) : plainLines(cells)).join('\n')}\n`,
    )
  }
}

const plainLines = (cells: readonly (readonly string[])[]): readonly string[] =>
  cells.map((row) => row.filter((cell) => cell !== '').join(gap))

/** The last column may go on in a terminal's next line: what is cut off could not be read at all. */
function tableLines(
  cells: readonly (readonly string[])[],
  columns: readonly { readonly title: string }[],
  stream: Output,
): readonly string[] {
  const titles = columns.map(({ title }) => title)
  const widths = titles.map((title, index) =>
    Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[index] ?? ''))),
  )
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => (index === row.length - 1 ? cell : padTo(cell, widths[index] ?? 0))).join(gap)
  return [styleText('bold', line(titles), { stream }), ...cells.map(line)]
}
