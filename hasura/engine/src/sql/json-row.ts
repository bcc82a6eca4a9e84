import type { RowField } from '../plan/tree.ts'
import type { Expression, Projection } from './ast.ts'
import { builtinType, call, cast, select, subquery, text } from './build.ts'
import { longestName } from './longest-name.ts'
import type { CarriedRow } from './carried-row.ts'
import type { Translation } from './translation.ts'

/** A key of a JSON object and its value. */
export interface JsonEntry {
  readonly key: string
  readonly value: Expression
}

/** Returns the selection of an alias's row, as keys and values. */
export type RowEntries = (
  fields: readonly RowField[],
  alias: string,
  translation: Translation,
  carried?: readonly CarriedRow[],
) => readonly JsonEntry[]

/** A column of this name would hide the row. No key of a GraphQL answer has it. */
const record = 'row:json'

/**
 * A JSON object's entries as a row, which `json_agg` and `row_to_json` write. Only this function knows that form. A
 * sub-select per object was at least as fast as `json_build_object` for rows of the usual width, and has no limit of a
 * hundred arguments.
 */
function rowOf(entries: readonly JsonEntry[]): Expression {
  const projections = entries.map(({ key, value }): Projection => ({ value, alias: key }))
  const from = { kind: 'derived' as const, select: select(projections), alias: record }
  return subquery(select([{ value: { kind: 'record', relation: record } }], { from }))
}

/** A column's name becomes the key. */
const fitsRow = (entries: readonly JsonEntry[]): boolean =>
  entries.every(({ key }) => Buffer.byteLength(key) <= longestName)

const built = (entries: readonly JsonEntry[]): Expression =>
  call(
    'json_build_object',
    ...entries.flatMap(({ key, value }) => [cast(text(key), builtinType('text')), value]),
  )

/** One JSON object. */
export const jsonObject = (entries: readonly JsonEntry[]): Expression =>
  fitsRow(entries) ? call('row_to_json', rowOf(entries)) : built(entries)

/** A JSON array with an object per row; empty without rows. */
export const jsonArray = (entries: readonly JsonEntry[]): Expression =>
  call('coalesce', call('json_agg', fitsRow(entries) ? rowOf(entries) : built(entries)), text('[]'))

/** Base64 without the line breaks that Postgres inserts. */
export const base64 = (json: Expression): Expression =>
  call(
    'replace',
    call('encode', call('convert_to', cast(json, builtinType('text')), text('UTF8')), text('base64')),
    text('\n'),
    text(''),
  )

/** The name of the column with a root field's JSON. */
export const root = 'root'
export const typeNameText = (value: string): Expression => cast(text(value), builtinType('text'))
