import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReadOptions, rowsOf } from '../formats.ts'
import type { PlacedRow } from '../shop-table.ts'

/** The rows of a file with this content, in dollars unless it says its currency. */
export const readFile = async (
  format: ReadOptions['format'],
  content: string | Buffer,
): Promise<readonly unknown[]> => (await readPlaced(format, content)).map(({ row }) => row)

/** As `readFile`, with the lines that the rows were made of. */
export async function readPlaced(
  format: ReadOptions['format'],
  content: string | Buffer,
): Promise<readonly PlacedRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'))
  try {
    const file = join(folder, 'export')
    await writeFile(file, content)
    return await Array.fromAsync(await rowsOf(file, { format, mappingFile: null, currency: 'USD' }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A table (CSV) of rows whose columns are those that any of them has. */
export function csvOf(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => cells.map(cell).join(','))
    .join('\n')
}
