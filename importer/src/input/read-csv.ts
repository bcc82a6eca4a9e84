import { pipeline } from 'node:stream'
import { textOfCell } from '@commerce-graph/contract/input'
import { CsvError, parse } from 'csv-parse'
import { z } from 'zod'
import { fileTexts } from './file-texts.ts'
import { InputError } from './input-error.ts'
import { fieldsOf, type RawRow, type RowKind } from './row.ts'
import { unflatten } from './unflatten.ts'

const maxRecordBytes = 1_000_000

// Cells are texts, except in columns whose path ends with one of these names.
const numbers = new Set(['price', 'compareAtPrice', 'costPerItem', 'rating', 'stock', 'width', 'height'])
const booleans = new Set(['featured', 'marketingOptIn', 'isDefault'])
const lists = new Set(['tags', 'categories', 'images'])

const parsedRecord = z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) })

/**
 * Reads a CSV file with a header. A file with a column `sku` has products, one with a column `email` has customers. Texts
 * that an export has kept from being formulas are as they were before.
 *
 * @throws InputError if it is not UTF-8, or the header fits neither
 */
export async function* readCsv(file: string): AsyncGenerator<RawRow> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
  })
  // Errors of the file come out of the parser.
  pipeline(fileTexts(file), parser, () => undefined)
  let header: Header | undefined
  let index = 0
  let line = 1
  try {
    for await (const item of parser) {
      const { record, info } = parsedRecord.parse(item)
      line = info.lines
      if (header === undefined) header = readHeader(file, record)
      else yield readRecord({ file, line, index: index++ }, header, record)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new InputError(`${file}: not CSV that can be read, after line ${line}: ${error.message}`)
  }
}

interface Header {
  readonly kind: RowKind
  readonly columns: readonly string[]
}

function readHeader(file: string, record: readonly string[]): Header {
  const columns = record.map((column) => column.trim())
  const kind = columns.includes('sku') ? 'product' : columns.includes('email') ? 'customer' : undefined
  if (kind === undefined)
    throw new InputError(`${file}: the header has neither a column "sku" nor a column "email"`)
  const known = fieldsOf(kind)
  for (const [position, column] of columns.entries()) {
    if (!known.includes(column.split('.')[0] ?? '')) {
      throw new InputError(`${file}: unknown column "${column}"; a ${kind} has ${known.join(', ')}`)
    }
    if (columns.indexOf(column) !== position) throw new InputError(`${file}: column "${column}" stands twice`)
  }
  return { kind, columns }
}

function readRecord(
  location: RawRow['location'],
  { kind, columns }: Header,
  record: readonly string[],
): RawRow {
  if (record.length !== columns.length) {
    const message = `has ${record.length} cells under ${columns.length} columns`
    return { location, kind, problem: { field: undefined, message, code: 'INVALID_FORMAT' } }
  }
  const cells = columns.map((column, position) => [column, textOfCell(record[position] ?? '')] as const)
  const nested = unflatten(cells.filter(([, text]) => text !== ''))
  if ('conflict' in nested) {
    const message = 'holds a value, and another column holds a part of it'
    return { location, kind, problem: { field: nested.conflict, message, code: 'INVALID_VALUE' } }
  }
  return { location, kind, value: typed(nested.value, '') }
}

function typed(value: unknown, name: string): unknown {
  if (typeof value === 'string') return typedCell(value, name)
  if (Array.isArray(value)) return value.map((element: unknown) => typed(element, ''))
  const members = Object.entries(value as Record<string, unknown>)
  // The names below these two come from the merchant: warehouse codes with units, options with texts.
  const made = name === 'stock' || name === 'options'
  return Object.fromEntries(members.map(([key, member]) => [key, typed(member, made ? name : key)]))
}

// A cell of the wrong type stays text, and the schema reports the error.
function typedCell(text: string, name: string): unknown {
  if (numbers.has(name)) return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
  if (booleans.has(name)) return text === 'true' ? true : text === 'false' ? false : text
  if (lists.has(name)) return text.split('|').map((element) => element.trim())
  return text
}
