import { type CatalogueError, withPath } from '@commerce-graph/contract/errors'

/** An object of Hasura's answer. It is changed in place: where the contract equals Hasura's shape, nothing is copied. */
export type Row = Record<string, unknown>

export type Path = (string | number)[]

const Bare = function () {} as unknown as new () => Row
Bare.prototype = Object.create(null) as object

/**
 * A row without keys. It inherits nothing, so that an alias may be called what every object of JavaScript has. (Not
 * `Object.create(null)`: V8 keeps those as dictionaries, which are slow to write and to print.)
 */
export const newRow = (): Row => new Bare()

/** Writes to a row of JSON.parse, which inherits what every object has: `__proto__` is a key there if it stands in the text alone. */
function setValue(row: Row, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(row, key, { value, enumerable: true, configurable: true, writable: true })
  else row[key] = value
}

/** A null where the contract promises a value: a bug, or a row that vanished while it was read. */
export interface Violation {
  readonly path: Readonly<Path>
  /** `Type.field`. */
  readonly field: string
}

/** A list that is no connection and has more items than an answer shows of it. */
export interface ShortenedList {
  readonly path: Readonly<Path>
  /** The maximum number of items in the answer. */
  readonly max: number
}

/** The request's properties that shaping needs, and the collectors of its reports. */
export interface ShapeContext {
  /** Items per page, by the plan's connections. */
  readonly pageSizes: readonly number[]
  /** Where in the answer the shape is at work. */
  readonly path: Path
  readonly violations: Violation[]
  readonly shortened: ShortenedList[]
  readonly refusals: Refusals
}

/** The refused fields in an answer. */
interface Refusals {
  /** With their places in the answer. */
  readonly listed: CatalogueError[]
  /** The fields of which at least one place is listed. */
  readonly fields: Set<CatalogueError>
  /** The number of places that are not listed. */
  omitted: number
}

/** Places listed of refused fields, of all fields together; each field has one in any case. */
const maxRefusals = 100

/** @param path where in the answer the shape begins */
export const shapeContext = (pageSizes: readonly number[], path: Path = []): ShapeContext => ({
  pageSizes,
  path,
  violations: [],
  shortened: [],
  refusals: { listed: [], fields: new Set(), omitted: 0 },
})

/** Turns Hasura's value into the contract's. Null: something inside was null that must not be, and has been reported. */
export type Complete<Value> = (value: Value, context: ShapeContext) => unknown

/** The change to one field of a row. */
export interface FieldShape {
  /** The response key, which is Hasura's alias as well. */
  readonly key: string
  /** `Type.field`, for reports. */
  readonly field: string
  readonly nonNull: boolean
  /** Finds the value, where it isn't simply what stands under the key. */
  readonly extract?: (raw: unknown, row: Row, context: ShapeContext) => unknown
  /** Completes a value that is an object or a list of them. */
  readonly complete?: Complete<unknown> | undefined
}

/** The shape of a row, or undefined where there is nothing to do. */
export function rowShape(fields: readonly FieldShape[]): Complete<unknown> | undefined {
  const active = fields.filter(({ extract, complete }) => extract ?? complete)
  // Most fields are columns that only have to be there. This loop runs for every value of an answer.
  const required = fields.filter(({ extract, complete, nonNull }) => nonNull && !extract && !complete)
  if (active.length === 0 && required.length === 0) return undefined
  return (value, context) => {
    const row = value as Row
    for (const { key, field } of required) {
      if (row[key] != null) continue
      context.violations.push({ path: [...context.path, key], field })
      return null
    }
    for (const field of active) if (!completeField(row, field, context)) return null
    return row
  }
}

/** @returns false when the field has to be there and is not, so that the row is lost */
export function completeField(
  row: Row,
  { key, field, nonNull, extract, complete }: FieldShape,
  context: ShapeContext,
): boolean {
  const raw = row[key]
  let value = raw
  context.path.push(key)
  if (extract) value = extract(raw, row, context)
  if (value != null && complete) value = complete(value, context)
  else if (value == null && nonNull) context.violations.push({ path: [...context.path], field })
  context.path.pop()
  if (value !== raw) setValue(row, key, value)
  return value != null || !nonNull
}

/** The shape of a list whose items must not be null. */
export function listShape(item: Complete<unknown> | undefined): Complete<unknown> | undefined {
  if (!item) return undefined
  return (value, context) => {
    const list = value as unknown[]
    for (let index = 0; index < list.length; index += 1) {
      context.path.push(index)
      const completed = item(list[index], context)
      context.path.pop()
      if (completed === null) return null
      list[index] = completed
    }
    return list
  }
}

/** Null for a field that the caller may not have; the answer's errors list this place. */
export function refuse(error: CatalogueError, { path, refusals }: ShapeContext): null {
  if (refusals.listed.length < maxRefusals || !refusals.fields.has(error))
    refusals.listed.push(withPath(error, [...path]))
  else refusals.omitted += 1
  refusals.fields.add(error)
  return null
}

/** The first `max` rows of a list of which one more was asked for; that there are more is reported, never passed over. */
export function shorten(raw: unknown, max: number, { path, shortened }: ShapeContext): unknown {
  const rows = raw as unknown[]
  if (rows.length <= max) return rows
  rows.length = max
  shortened.push({ path: [...path], max })
  return rows
}

/** A key that the client did not ask for disappears: JSON.stringify leaves out what is undefined. */
export function take(row: Row, key: string): unknown {
  const value = row[key]
  row[key] = undefined
  return value
}
