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
 * Reads a permission's boolean expression (`filter`, `check`) against the tables it speaks of. `reason` is what the
 * inconsistency says, `path` where in the expression (`$.id._eq`).
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
 * Reads a preset (`set`): `X-Hasura-…` is a session variable, all else is meant literally. Throws HasuraError where the
 * value can be none of the type.
 */
export const parsePreset = (value: Json, type: CatalogType): Value =>
  baseType(type).category === 'array'
    ? listValue(value, typeNameOf(type))
    : scalarValue(value, typeNameOf(type))

/** What is wrong with a preset; undefined if nothing is. */
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

/** A session variable stands for a whole array (`{1,2}`); a list may mix session variables and constants. */
function listValue(value: Json, type: TypeName): Value {
  if (!Array.isArray(value)) return scalarValue(value, type)
  const element: TypeName = { schema: type.schema, name: type.name.replace(/^_/, '') }
  return { kind: 'array', items: value.map((item: Json) => scalarValue(item, element)), type }
}

/** Whoever writes a permission may speak of everything. */
const permissionReader: ExpressionReader = {
  column: ({ name }) => ({ kind: 'column', name }),
  computedField: (_, call) => ({ kind: 'computed', call }),
  otherRows: () => always,
  scalar: (value, type) => scalarValue(value, typeNameOf(type)),
  list: (value, type) => listValue(value, arrayTypeOf(type)),
}

/**
 * The type that values are given. A domain's is its base: what a column is compared with need not be a value
 * that the domain allows, and what is written to it is checked there.
 */
export function typeNameOf(type: CatalogType): TypeName {
  const { schema, name } = baseType(type)
  return { schema, name }
}

/** Postgres names the array type of `x` `_x`, in the same schema. Arrays of arrays are arrays again. */
export function arrayTypeOf(type: CatalogType): TypeName {
  const base = baseType(type)
  return base.category === 'array' ? typeNameOf(base) : { schema: base.schema, name: `_${base.name}` }
}
