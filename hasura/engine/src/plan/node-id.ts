import { parseUnrounded } from '../exact-json.ts'
import { baseType } from '../schema/postgres-type.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import { type Predicate, allOf } from '../schema/predicate.ts'
import { primaryKeyColumns } from '../schema/schema-context.ts'
import type { ColumnModel, TableModel } from '../schema/source-model.ts'
import { jsonKind } from './column-expectation.ts'
import type { JsonValue } from './input-value.ts'
import { RequestError } from './request-error.ts'

/** The version of Hasura's ids of table rows: `[1, "public", "author", 7]` in base64. */
export const nodeIdVersion = 1

export interface NodeId {
  readonly schema: string
  readonly table: string
  readonly key: readonly JsonValue[]
}

/** Reads a node id. Throws RequestError at `path`, in Hasura's words. */
export function readNodeId(text: string, path: string): NodeId {
  const [version, schema, table, ...key] = parseList(text, path)
  if (typeof version !== 'number')
    throw invalid('unexpected GUID format, needs to start with a version number', path)
  if (version !== nodeIdVersion)
    throw invalid(
      `unsupported GUID version: ${Number.isInteger(version) ? version.toFixed(1) : version}`,
      path,
    )
  if (typeof schema !== 'string' || typeof table !== 'string' || key.length === 0)
    throw invalid('GUID version 1: expecting schema name, table name and at least one column value', path)
  return { schema, table, key }
}

const invalid = (reason: string, path: string): RequestError =>
  new RequestError(`the node id is invalid: Error in $: ${reason}`, path)

function parseList(text: string, path: string): readonly JsonValue[] {
  const bytes = Buffer.from(text, 'base64')
  const parsed = parseJson(bytes)
  if (parsed === undefined)
    throw invalid(`Failed reading: not a valid json value at '${bytes.toString('latin1')}'`, path)
  if (Array.isArray(parsed)) return parsed as readonly JsonValue[]
  throw invalid(`parsing [] failed, expected Array, but encountered ${jsonKind(parsed)}`, path)
}

function parseJson(bytes: Buffer): JsonValue | undefined {
  try {
    return parseUnrounded(bytes.toString('utf8')) as JsonValue
  } catch {
    return undefined
  }
}

/** The condition for an id's row. Throws RequestError if its values don't match the table's key. */
export function nodeCondition({ key }: NodeId, table: TableModel, path: string): Predicate {
  const columns = primaryKeyColumns(table)
  const missing = columns.slice(key.length).map(({ name }) => `"${name}"`)
  if (missing.length > 0)
    throw new RequestError(
      `the node id is invalid: primary key columns ${missing.join(', ')} are missing`,
      path,
    )
  const unexpected = key.slice(columns.length)
  if (unexpected.length > 0)
    throw new RequestError(
      `the node id is invalid: unexpected column values ${JSON.stringify(unexpected)}`,
      path,
    )
  return allOf(
    columns.map((column, index): Predicate => {
      const text = keyText(key[index] ?? null, column, path)
      return {
        kind: 'compare',
        left: { kind: 'column', name: column.name },
        operator: '=',
        right: { kind: 'parameter', source: { kind: 'literal', text }, type: typeNameOf(column.type) },
      }
    }),
  )
}

const integers: ReadonlySet<string> = new Set(['int2', 'int4'])
const texts: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext'])

function keyText(value: JsonValue, { name, type }: ColumnModel, path: string): string {
  const { name: typeName } = baseType(type)
  const expected = integers.has(typeName) ? 'Number' : texts.has(typeName) ? 'String' : undefined
  const kind = jsonKind(value)
  const scalar = kind === 'Number' || kind === 'String' || kind === 'Boolean'
  if (!scalar || (expected !== undefined && kind !== expected))
    throw new RequestError(
      `value of column "${name}" in node id: parsing ${expected === 'Number' ? 'Integer' : 'Text'} failed, expected ${expected ?? 'String'}, but encountered ${kind}`,
      path,
      'parse-failed',
    )
  return typeof value === 'string' ? value : JSON.stringify(value)
}
