import type { CatalogType } from '../catalog/types.ts'
import { HasuraError } from '../hasura-error.ts'
import type { Json, JsonObject } from '../metadata/types.ts'
import type { TypeName } from '../sql/ast.ts'
import { type ExpressionReader, parseBooleanExpression } from './boolean-expression.ts'
import { baseType } from './postgres-type.ts'
import { type Predicate, type Value, always } from './predicate.ts'
import type { SourceModel, TableModel } from './source-model.ts'
import { requireSpatialText } from './require-spatial-text.ts'
import { spatialName } from './spatial-type.ts'

export type PermissionExpression =
  | { readonly ok: true; readonly predicate: Predicate }
  | { readonly ok: false; readonly reason: string; readonly path: string }

/**
 * Reads a permission's boolean expression (`filter`, `check`) against the tables that it uses. On failure, `reason` is
 * the inconsistency's message and `path` a path in the expression (`$.id._eq`).
 */
export function parsePermissionExpression(
  expression: JsonObject,
  table: TableModel,
  source: SourceModel,
): PermissionExpression {
  try {
    return { ok: true, predicate: parseBooleanExpression(expression, table, source, permissionReader) }
  } catch (error) {
    if (error instanceof HasuraError) return { ok: false, reason: error.message, path: error.path }
    throw error
  }
}

/**
 * Reads a preset (`set`): `X-Hasura-…` is a session variable, any other value is a literal. Throws HasuraError when the
 * value doesn't fit the type.
 */
export const parsePreset = (value: Json, type: CatalogType): Value =>
  baseType(type).category === 'array'
    ? listValue(value, typeNameOf(type))
    : scalarValue(value, typeNameOf(type))

/** The problem of a preset; undefined if it has none. */
export function presetProblem(value: Json, type: CatalogType): string | undefined {
  try {
    parsePreset(value, type)
    return undefined
  } catch (error) {
    if (error instanceof HasuraError) return error.message
    throw error
  }
}

const sessionVariable = /^x-hasura-/i

function scalarValue(value: Json, type: TypeName): Value {
  if (typeof value === 'string' && sessionVariable.test(value))
    return { kind: 'parameter', source: { kind: 'session', name: value.toLowerCase() }, type }
  return { kind: 'constant', text: constantText(value, type), type }
}

function constantText(value: Json, { name }: TypeName): string | null {
  if (value === null) return null
  if (name === 'json' || name === 'jsonb') return JSON.stringify(value)
  const spatial = spatialName(name)
  if (spatial !== undefined) return requireSpatialText(value, spatial)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A session variable holds a whole array (`{1,2}`); a list may mix session variables and literals. */
function listValue(value: Json, type: TypeName): Value {
  if (!Array.isArray(value)) return scalarValue(value, type)
  const element: TypeName = { schema: type.schema, name: type.name.replace(/^_/, '') }
  return { kind: 'array', items: value.map((item: Json) => scalarValue(item, element)), type }
}

/** A permission may use all tables, columns and session variables. */
const permissionReader: ExpressionReader = {
  column: ({ name }) => ({ kind: 'column', name }),
  computedField: (_, call) => ({ kind: 'computed', call }),
  otherRows: () => always,
  scalar: (value, type) => scalarValue(value, typeNameOf(type)),
  list: (value, type) => listValue(value, arrayTypeOf(type)),
}

/**
 * The type of a column's values. For a domain it is the base type: a column may be compared with a value outside of the
 * domain, and Postgres checks written values itself.
 */
export function typeNameOf(type: CatalogType): TypeName {
  const { schema, name } = baseType(type)
  return { schema, name }
}

/** Postgres's array type of `x` is `_x`, in the same schema. An array of arrays has the same type as an array. */
export function arrayTypeOf(type: CatalogType): TypeName {
  const base = baseType(type)
  return base.category === 'array' ? typeNameOf(base) : { schema: base.schema, name: `_${base.name}` }
}
