import type { CatalogType } from '../catalog/types.ts'
import { type Json, type JsonObject, displayName, qualifiedKey } from '../metadata/types.ts'
import { qualifiedName } from '../metadata/qualified-name.ts'
import type { TypeName } from '../sql/ast.ts'
import { callArguments } from './computed-call.ts'
import {
  type ComparisonOperator,
  canonicalOperator,
  castTarget,
  columnOperators,
  comparisonOperators,
} from './comparison-operator.ts'
import { baseType } from './postgres-type.ts'
import type { Operand, Predicate, Value } from './predicate.ts'
import type { ColumnModel, ComputedFieldModel, SourceModel, TableModel } from './source-model.ts'

export type PermissionExpression =
  | { readonly ok: true; readonly predicate: Predicate }
  | { readonly ok: false; readonly reason: string; readonly path: string }

/**
 * Reads a permission's boolean expression (`filter`, `check`, `_where`) against the tables it speaks of.
 * `reason` is what the inconsistency says, `path` where in the expression (`$.author.id._eq`).
 */
export const parsePermissionExpression = (
  expression: JsonObject,
  table: TableModel,
  source: SourceModel,
): PermissionExpression => {
  try {
    return { ok: true, predicate: object(expression, { table, root: table, source, path: '$' }) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message, path: error.path }
    throw error
  }
}

/**
 * Reads a preset (`set`) or a scalar in an expression: `X-Hasura-…` is a session variable, all else is meant
 * literally.
 */
export const parsePreset = (value: Json, type: CatalogType): Value => scalarValue(value, typeNameOf(type))

class Refusal extends Error {
  readonly path: string
  constructor(message: string, path: string) {
    super(message)
    this.path = path
  }
}

interface Scope {
  readonly table: TableModel
  /** The table whose permission it is: `["$", "column"]` means a column of it. */
  readonly root: TableModel
  readonly source: SourceModel
  readonly path: string
}

const at = (scope: Scope, key: string | number): Scope => ({
  ...scope,
  path: typeof key === 'number' ? `${scope.path}[${key}]` : `${scope.path}.${key}`,
})

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectAt = (value: Json | undefined, scope: Scope): JsonObject => {
  if (!isObject(value)) throw new Refusal('expected an object', scope.path)
  return value
}

const object = (expression: JsonObject, scope: Scope): Predicate => {
  const operands = Object.entries(expression).map(([key, value]) => entry(key, value, at(scope, key)))
  const [only] = operands
  return only !== undefined && operands.length === 1 ? only : { kind: 'and', operands }
}

const entry = (key: string, value: Json, scope: Scope): Predicate => {
  switch (key) {
    case '_and':
    case '$and':
      return { kind: 'and', operands: list(value, scope) }
    case '_or':
    case '$or':
      return { kind: 'or', operands: list(value, scope) }
    case '_not':
    case '$not':
      return { kind: 'not', operand: object(objectAt(value, scope), scope) }
    case '_exists':
    case '$exists':
      return existence(objectAt(value, scope), scope)
    default:
      return field(key, value, scope)
  }
}

const list = (value: Json, scope: Scope): readonly Predicate[] => {
  if (!Array.isArray(value)) throw new Refusal('expected a list', scope.path)
  return value.map((item: Json, index) => object(objectAt(item, at(scope, index)), at(scope, index)))
}

const existence = (value: JsonObject, scope: Scope): Predicate => {
  const name = qualifiedName.safeParse(value['_table'] ?? value['$table'])
  if (!name.success) throw new Refusal('"_table" must name a table', scope.path)
  const table = scope.source.tables.get(qualifiedKey(name.data))
  if (table === undefined)
    throw new Refusal(`table "${displayName(name.data)}" is not tracked`, `${scope.path}._table`)
  const condition = objectAt(value['_where'] ?? value['$where'] ?? {}, scope)
  return {
    kind: 'exists',
    table: table.name,
    predicate: object(condition, at({ ...scope, table }, '_where')),
  }
}

const field = (key: string, value: Json, scope: Scope): Predicate => {
  const { table, source } = scope
  const column = table.columnsByName.get(key)
  if (column !== undefined)
    return comparisons({ kind: 'column', name: column.name }, column.type, value, scope)
  const relationship = table.relationships.get(key)
  if (relationship !== undefined) {
    const target = source.tables.get(relationship.target)
    if (target === undefined) throw new Refusal(`table "${relationship.target}" is not tracked`, scope.path)
    const predicate = object(objectAt(value, scope), { ...scope, table: target })
    return { kind: 'related', relationship, table: target.name, predicate }
  }
  const computed = table.computedFields.get(key)
  if (computed !== undefined) return computedField(computed, value, scope)
  throw new Refusal(`"${key}" does not exist`, scope.path)
}

const computedField = (computed: ComputedFieldModel, value: Json, scope: Scope): Predicate => {
  const call = { function: computed.function.name, arguments: callArguments(computed, new Map()) }
  if (computed.returns.kind === 'scalar')
    return comparisons({ kind: 'computed', call }, computed.returns.type, value, scope)
  const target = scope.source.tables.get(computed.returns.table)
  if (target === undefined) throw new Refusal(`table "${computed.returns.table}" is not tracked`, scope.path)
  return {
    kind: 'computed-rows',
    call,
    predicate: object(objectAt(value, scope), { ...scope, table: target }),
  }
}

const comparisons = (left: Operand, type: CatalogType, value: Json, scope: Scope): Predicate => {
  if (value === null) return { kind: 'is-null', operand: left, negated: false }
  if (!isObject(value)) return { kind: 'compare', left, operator: '=', right: ownValue(value, type) }
  const operands = Object.entries(value).map(([key, operand]) =>
    comparison(left, type, canonicalOperator(key), operand, at(scope, key)),
  )
  const [only] = operands
  return only !== undefined && operands.length === 1 ? only : { kind: 'and', operands }
}

const comparison = (left: Operand, type: CatalogType, key: string, value: Json, scope: Scope): Predicate => {
  if (key === '_is_null') {
    if (typeof value !== 'boolean') throw new Refusal('expected a boolean', scope.path)
    return { kind: 'is-null', operand: left, negated: !value }
  }
  const columnOperator = columnOperators[key]
  if (columnOperator !== undefined)
    return { kind: 'compare', left, operator: columnOperator, right: columnValue(value, scope) }
  const target = castTarget(type)
  if (key === '_cast' && target !== undefined) {
    const inner = objectAt(value, scope)[target.graphqlName]
    const operand: Operand = { kind: 'cast', operand: left, type: typeNameOf(target.type) }
    return comparisons(operand, target.type, inner ?? {}, at(scope, target.graphqlName))
  }
  const operator = comparisonOperators(type).find(({ name }) => name === key)
  if (operator === undefined) throw new Refusal(`unexpected operator "${key}"`, scope.path)
  return applied(left, type, operator, value)
}

const applied = (left: Operand, type: CatalogType, operator: ComparisonOperator, value: Json): Predicate => {
  const { operand, sql } = operator
  switch (operand.kind) {
    case 'same':
      return { kind: 'compare', left, operator: sql, right: ownValue(value, type) }
    case 'other':
      return { kind: 'compare', left, operator: sql, right: scalarValue(value, operand.type) }
    case 'each':
      return {
        kind: 'compare-list',
        left,
        operator: sql,
        quantifier: operand.quantifier,
        list: listValue(value, arrayTypeOf(type)),
      }
    case 'array': {
      const right = listValue(value, operand.type)
      return operand.quantified
        ? { kind: 'compare-list', left, operator: sql, quantifier: 'ANY', list: right }
        : { kind: 'compare', left, operator: sql, right }
    }
    default:
      return operand satisfies never
  }
}

/** `"column"` or `["column"]` of the row at hand, `["$", "column"]` of the row whose permission it is. */
const columnValue = (value: Json, scope: Scope): Value => {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ofRoot = parts[0] === '$'
  const name = parts[ofRoot ? 1 : 0]
  const table: TableModel = ofRoot ? scope.root : scope.table
  const column: ColumnModel | undefined = typeof name === 'string' ? table.columnsByName.get(name) : undefined
  if (column === undefined || parts.length !== (ofRoot ? 2 : 1))
    throw new Refusal(`${JSON.stringify(value)} is not a column of "${displayName(table.name)}"`, scope.path)
  return { kind: 'column', scope: ofRoot ? 'root' : 'current', name: column.name }
}

const sessionVariable = /^x-hasura-/i

/** A value of a column's own type, which for an array column may be written as a list. */
const ownValue = (value: Json, type: CatalogType): Value =>
  baseType(type).category === 'array'
    ? listValue(value, typeNameOf(type))
    : scalarValue(value, typeNameOf(type))

const scalarValue = (value: Json, type: TypeName): Value => {
  if (typeof value === 'string' && sessionVariable.test(value))
    return { kind: 'parameter', source: { kind: 'session', name: value.toLowerCase() }, type }
  return { kind: 'constant', text: constantText(value, type), type }
}

const constantText = (value: Json, { name }: TypeName): string | null => {
  if (value === null) return null
  if (name === 'json' || name === 'jsonb') return JSON.stringify(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A session variable stands for a whole array (`{1,2}`); a list may mix session variables and constants. */
const listValue = (value: Json, type: TypeName): Value => {
  if (!Array.isArray(value)) return scalarValue(value, type)
  const element: TypeName = { schema: type.schema, name: type.name.replace(/^_/, '') }
  return { kind: 'array', items: value.map((item: Json) => scalarValue(item, element)), type }
}

/**
 * The type that values are given. A domain's is its base: what a column is compared with need not be a value
 * that the domain allows, and what is written to it is checked there.
 */
export const typeNameOf = (type: CatalogType): TypeName => {
  const { schema, name } = baseType(type)
  return { schema, name }
}

/** Postgres names the array type of `x` `_x`, in the same schema. Arrays of arrays are arrays again. */
export const arrayTypeOf = (type: CatalogType): TypeName => {
  const base = baseType(type)
  return base.category === 'array' ? typeNameOf(base) : { schema: base.schema, name: `_${base.name}` }
}
