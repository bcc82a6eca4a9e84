import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { type JsonObject, jsonObject } from '../metadata/parse.ts'
import { type QualifiedName, qualifiedName } from '../metadata/qualified-name.ts'
import { parseKnownKeys } from '../metadata/read-metadata.ts'

/**
 * A command of `/v1/query` or `/v2/query` that reads or writes rows. As in Hasura, unknown keys are ignored, and null
 * counts as absent.
 */
export type RowCommand = { readonly source: string; readonly table: QualifiedName } & (
  | { readonly kind: 'select'; readonly query: RowQuery }
  | {
      readonly kind: 'count'
      readonly distinct: readonly string[]
      readonly where: JsonObject
    }
  | {
      readonly kind: 'insert'
      readonly objects: readonly JsonObject[]
      readonly onConflict: RowConflict | undefined
      readonly returning: readonly string[] | undefined
    }
  | {
      readonly kind: 'update'
      readonly where: JsonObject
      readonly changes: RowChanges
      readonly returning: readonly string[] | undefined
    }
  | {
      readonly kind: 'delete'
      readonly where: JsonObject
      readonly returning: readonly string[] | undefined
    }
)

export type RowCommandKind = RowCommand['kind']

/** The selection, order and page of a table's rows. */
export interface RowQuery {
  readonly columns: readonly SelectedColumn[]
  readonly where: JsonObject | undefined
  readonly orderBy: readonly RowOrder[] | undefined
  readonly limit: number | undefined
  readonly offset: number | undefined
}

export type SelectedColumn =
  /** `*`: all columns. Each further `.*` adds the relationships of one more level. */
  | { readonly kind: 'wildcard'; readonly depth: number }
  | { readonly kind: 'column'; readonly name: string }
  | {
      readonly kind: 'relationship'
      readonly name: string
      readonly alias: string | undefined
      readonly query: RowQuery
    }

export interface RowOrder {
  /** The path to a column, of the row or of a related one: `author.name`. */
  readonly column: readonly string[]
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last' | undefined
}

export interface RowConflict {
  readonly action: 'ignore' | 'update'
  readonly constraint: string | undefined
  readonly columns: readonly string[] | undefined
}

/** The changes by the key under which the client wrote them. */
export interface RowChanges {
  readonly $set: JsonObject
  readonly $inc: JsonObject
  readonly $mul: JsonObject
  readonly $default: readonly string[]
}

const optional = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | undefined> =>
  schema.nullish().transform((value) => value ?? undefined)

const path = z.array(z.string().min(1, { error: 'col/rel cannot be empty' })).min(1)
const pathText = z
  .string()
  .transform((text) => text.split('.'))
  .pipe(path)

/** `+author.name`, `-id`, `id`. */
const orderText = z
  .string()
  .transform((text) => ({ column: text.replace(/^[+-]/, ''), descending: text.startsWith('-') }))
  .pipe(z.object({ column: pathText, descending: z.boolean() }))
  .transform(({ column, descending }): RowOrder => ({
    column,
    direction: descending ? 'desc' : 'asc',
    nulls: undefined,
  }))

const orderObject = z
  .object({
    type: optional(z.enum(['asc', 'desc'])),
    column: z.union([pathText, path]),
    nulls: optional(z.enum(['first', 'last'])),
  })
  .transform(({ type, column, nulls }): RowOrder => ({ column, direction: type ?? 'asc', nulls }))

const order = z.union([orderText, orderObject])
const orders = z.union([order.transform((one) => [one]), z.array(order)])

const wildcard = /^\*(\.\*)*$/

const columnText = z
  .string()
  .transform((text): SelectedColumn =>
    wildcard.test(text) ? { kind: 'wildcard', depth: (text.length - 1) / 2 } : { kind: 'column', name: text },
  )

const column: z.ZodType<SelectedColumn> = z.lazy(() => z.union([columnText, relationship]))

const query = {
  columns: z.array(column),
  where: optional(jsonObject),
  order_by: optional(orders),
  limit: optional(z.number().int()),
  offset: optional(z.number().int()),
}

const relationship = z
  .object({ name: z.string(), alias: optional(z.string()), ...query })
  .transform(({ name, alias, order_by, ...rest }): SelectedColumn => ({
    kind: 'relationship',
    name,
    alias,
    query: { ...rest, orderBy: order_by },
  }))

const table = {
  source: optional(z.string().min(1)).transform((name) => name ?? 'default'),
  table: qualifiedName,
}
const names = z.array(z.string())
const returning = optional(names)
const values = optional(jsonObject)

const select = z
  .object({ ...table, ...query })
  .transform(({ source, table: name, order_by, ...rest }): RowCommand => ({
    kind: 'select',
    source,
    table: name,
    query: { ...rest, orderBy: order_by },
  }))

const count = z
  .object({ ...table, distinct: optional(names), where: values })
  .transform(({ distinct = [], where = {}, ...rest }): RowCommand => ({
    kind: 'count',
    ...rest,
    distinct,
    where,
  }))

const conflict = z
  .object({
    action: z.enum(['ignore', 'update']),
    constraint: optional(z.string()),
    constraint_on: optional(z.union([z.string().transform((name) => [name]), names])),
  })
  .transform(({ constraint_on, ...rest }): RowConflict => ({ ...rest, columns: constraint_on }))

const insert = z
  .object({ ...table, objects: z.array(jsonObject), on_conflict: optional(conflict), returning })
  .transform(({ on_conflict, ...rest }): RowCommand => ({ kind: 'insert', ...rest, onConflict: on_conflict }))

const update = z
  .object({
    ...table,
    where: jsonObject,
    $set: values,
    // An older name of `$set`.
    values,
    $inc: values,
    $mul: values,
    $default: optional(names),
    returning,
  })
  .transform(({ $set, values: given, $inc = {}, $mul = {}, $default = [], ...rest }): RowCommand => ({
    kind: 'update',
    ...rest,
    changes: { $set: $set ?? given ?? {}, $inc, $mul, $default },
  }))

const remove = z
  .object({ ...table, where: jsonObject, returning })
  .transform((args): RowCommand => ({ kind: 'delete', ...args }))

const schemas: Readonly<Record<RowCommandKind, z.ZodType<RowCommand>>> = {
  select,
  count,
  insert,
  update,
  delete: remove,
}

export const rowCommandKinds = ['select', 'count', 'insert', 'update', 'delete'] as const

export const isRowCommand = (type: string): type is RowCommandKind => Object.hasOwn(schemas, type)

/** Reads a command's arguments. Throws HasuraError `parse-failed`, with a path that begins at the arguments. */
export function parseRowCommand(kind: RowCommandKind, args: unknown): RowCommand {
  const parsed = parseKnownKeys(schemas[kind], args)
  if (parsed.kind === 'parsed') return parsed.value
  throw new HasuraError('parse-failed', parsed.problem.message, { path: parsed.problem.path })
}
