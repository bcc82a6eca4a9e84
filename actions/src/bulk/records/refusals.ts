import {
  alreadyExists,
  invalidValue,
  notFound,
  type UserError,
  valueAt,
} from '@commerce-graph/contract/input'
import type { WrittenRecord } from './record-writer.ts'

interface Answer {
  readonly id: string
  readonly outcome: 'imported' | 'unchanged' | 'refused'
  readonly field: string | null
  readonly reason: string | null
}

/** What a function of the database says of rows, with its reasons as errors of their fields. */
export const writtenRecords = (
  answers: readonly Answer[],
  textOf: (id: string, field: string) => string,
): readonly WrittenRecord[] =>
  answers.map(({ id, outcome, field, reason }) => ({
    id,
    outcome,
    error: reason === null ? null : errorOf(field ?? '', reason, textOf(id, field ?? '')),
  }))

function errorOf(field: string, reason: string, value: string): UserError {
  switch (reason) {
    case 'unknown_product':
      return notFound(field, 'Product', value)
    case 'unknown_warehouse':
      return notFound(field, 'Warehouse', value)
    case 'imported_differently':
      return invalidValue(field, `${value} was imported with other content, and an order is never changed`)
    case 'another_row':
      return invalidValue(
        field,
        `${value} belongs to a record that another row of the file is written to: import this row again afterwards`,
      )
    default:
      return alreadyExists(field, value)
  }
}

/** The value at a path of a row, for an error's message. */
export function textAt(row: unknown, path: string): string {
  const value = valueAt(row, path)
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : ''
}
