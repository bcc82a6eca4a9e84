import { jsonTypeOf } from '../exact-json.ts'
import type { CatalogType } from '../catalog/types.ts'
import { type ErrorCode, HasuraError, pathStep, within } from '../hasura-error.ts'
import { type Json, type JsonObject, displayName, qualifiedKey } from '../metadata/types.ts'
import { qualifiedName } from '../metadata/qualified-name.ts'
import { callArguments } from './computed-call.ts'
import {
  type BinaryComparison,
  type CastTarget,
  asMeant,
  canonicalOperator,
  castTarget,
  columnOperators,
  comparisonOperators,
} from './comparison-operator.ts'
import { baseType } from './postgres-type.ts'
import { type ComputedCall, type Operand, type Predicate, type Value, allOf } from './predicate.ts'
import type {
  ColumnModel,
  ComputedFieldModel,
  RelationshipModel,
  SourceModel,
  TableModel,
} from './source-model.ts'
import type { SpatialInput } from './spatial-operator.ts'

/**
 * The differences between kinds of boolean expressions in JSON: those of permissions may use everything, and the
 * session; a client's, sent to `/v1/query`, only what the role may read. Each method may throw HasuraError.
 */
export interface ExpressionReader {
  readonly column: (column: ColumnModel, table: TableModel) => Operand
  readonly computedField: (field: ComputedFieldModel, call: ComputedCall, table: TableModel) => Operand
  /** The condition on another table's rows that is added to the expression. */
  readonly otherRows: (table: TableModel, by: RelationshipModel | ComputedFieldModel | undefined) => Predicate
  readonly scalar: (value: Json, type: CatalogType) => Value
  /** A list as one array. The type is that of the items, or the array type itself. */
  readonly list: (value: Json, type: CatalogType) => Value
}

/**
 * Reads a boolean expression in JSON against the tables that it uses. Throws HasuraError in Hasura's words and with
 * Hasura's path, which has only columns and operators (`$.id._eq`).
 */
export const parseBooleanExpression = (
  expression: JsonObject,
  table: TableModel,
  source: SourceModel,
  reader: ExpressionReader,
): Predicate => object(expression, { table, root: table, source, reader, path: '$' })

interface Scope {
  readonly table: TableModel
  /** The table of the whole expression: `["$", "column"]` means its column. */
  readonly root: TableModel
  readonly source: SourceModel
  readonly reader: ExpressionReader
  readonly path: string
}

const at = (scope: Scope, key: string): Scope => ({ ...scope, path: `${scope.path}${pathStep(key)}` })

const refusal = (code: ErrorCode, message: string, { path }: Scope): HasuraError =>
  new HasuraError(code, message, { path })

const isObject = (value: Json | undefined): value is JsonObject =>
  jsonTypeOf(value) === 'object' && value !== null && !Array.isArray(value)

function objectAt(value: Json | undefined, scope: Scope): JsonObject {
  if (!isObject(value)) throw refusal('parse-failed', 'expected an object', scope)
  return value
}

const object = (expression: JsonObject, scope: Scope): Predicate =>
  conjunction(Object.entries(expression).map(([key, value]) => entry(key, value, scope)))

function conjunction(operands: readonly Predicate[]): Predicate {
  const [only] = operands
  return only !== undefined && operands.length === 1 ? only : { kind: 'and', operands }
}

function entry(key: string, value: Json, scope: Scope): Predicate {
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
      return existence(value, at(scope, '_exists'))
    default:
      return field(key, value, scope)
  }
}

function list(value: Json, scope: Scope): readonly Predicate[] {
  if (!Array.isArray(value)) throw refusal('parse-failed', 'expected a list', scope)
  return value.map((item: Json) => object(objectAt(item, scope), scope))
}

function existence(value: Json, scope: Scope): Predicate {
  const given = objectAt(value, scope)
  const name = qualifiedName.safeParse(given['_table'] ?? given['$table'])
  const named = at(scope, '_table')
  if (!name.success) throw refusal('parse-failed', '"_table" must name a table', named)
  const table = scope.source.tables.get(qualifiedKey(name.data))
  if (table === undefined)
    throw refusal('not-exists', `table "${displayName(name.data)}" is not tracked`, named)
  const condition = given['_where'] ?? given['$where']
  if (condition === undefined) throw refusal('parse-failed', 'key "_where" not found', scope)
  const predicate = object(objectAt(condition, scope), at({ ...scope, table }, '_where'))
  return {
    kind: 'exists',
    table: table.name,
    predicate: allOf([scope.reader.otherRows(table, undefined), predicate]),
  }
}

function field(key: string, value: Json, scope: Scope): Predicate {
  const { table, reader } = scope
  const column = table.columnsByName.get(key)
  if (column !== undefined) {
    if (baseType(column.type).name === 'json')
      throw refusal('unexpected-payload', 'JSON column can not be part of boolean expression', scope)
    const left = reader.column(column, table)
    return comparisons({ left, type: column.type, nullable: column.nullable }, value, at(scope, key))
  }
  const relationship = table.relationships.get(key)
  if (relationship !== undefined) {
    const target = tableOf(relationship.target, scope)
    const predicate = object(objectAt(value, scope), { ...scope, table: target })
    const visible = reader.otherRows(target, relationship)
    return { kind: 'related', relationship, table: target.name, predicate: allOf([visible, predicate]) }
  }
  const computed = table.computedFields.get(key)
  if (computed !== undefined) return computedField(computed, value, scope)
  throw refusal('not-exists', `"${key}" does not exist`, scope)
}

function tableOf(key: string, scope: Scope): TableModel {
  const table = scope.source.tables.get(key)
  if (table === undefined) throw refusal('not-exists', `table "${key}" is not tracked`, scope)
  return table
}

function computedField(computed: ComputedFieldModel, value: Json, scope: Scope): Predicate {
  const call = { function: computed.function.name, arguments: callArguments(computed, new Map()) }
  if (computed.returns.kind === 'scalar') {
    const left = scope.reader.computedField(computed, call, scope.table)
    return comparisons({ left, type: computed.returns.type, nullable: true }, value, at(scope, computed.name))
  }
  const target = tableOf(computed.returns.table, scope)
  const predicate = object(objectAt(value, scope), { ...scope, table: target })
  return {
    kind: 'computed-rows',
    call,
    predicate: allOf([scope.reader.otherRows(target, computed), predicate]),
  }
}

/** The compared operand: a column or computed field, or a cast of it. */
interface Compared {
  readonly left: Operand
  readonly type: CatalogType
  readonly nullable: boolean
}

function comparisons(compared: Compared, value: Json, scope: Scope): Predicate {
  if (value === null) return { kind: 'is-null', operand: compared.left, negated: false }
  if (!isObject(value))
    return { kind: 'compare', left: compared.left, operator: '=', right: ownValue(value, compared, scope) }
  return conjunction(
    Object.entries(value).map(([key, operand]) => comparison(compared, key, operand, at(scope, key))),
  )
}

function comparison(compared: Compared, given: string, value: Json, scope: Scope): Predicate {
  const { left, type, nullable } = compared
  const key = canonicalOperator(given)
  if (key === '_is_null') {
    if (typeof value !== 'boolean') throw refusal('parse-failed', 'expected a boolean', scope)
    return { kind: 'is-null', operand: left, negated: !value }
  }
  // Unlike in GraphQL, null is a value that columns can be compared with.
  if (value === null && nullable && (key === '_eq' || key === '_neq'))
    return { kind: 'is-null', operand: left, negated: key === '_neq' }
  const columnOperator = columnOperators.get(key)
  if (columnOperator !== undefined)
    return { kind: 'compare', left, operator: columnOperator, right: columnValue(value, scope) }
  const target = castTarget(type)
  if (key === '_cast' && target !== undefined) {
    const casts = Object.entries(objectAt(value, scope))
    return conjunction(casts.map(([to, operand]) => castComparison(compared, target, to, operand, scope)))
  }
  const operator = comparisonOperators(type).find((candidate) => candidate.name === key)
  if (operator === undefined) throw refusal('unexpected-payload', `Unknown operator: ${given}`, scope)
  if (operator.kind === 'binary') return asMeant(operator, applied(compared, operator, value, scope))
  const others = spatialArguments(operator.input, value, scope)
  return { kind: 'spatial', function: operator.function, left, others }
}

/** A cast. The target has its Postgres name, or its GraphQL name. */
function castComparison(
  { left, type }: Compared,
  target: CastTarget,
  to: string,
  value: Json,
  scope: Scope,
): Predicate {
  const { schema, name } = target.type
  if (to !== name && to !== target.graphqlName) {
    const message = `cannot cast column of type "${baseType(type).name}" to type "${to}"`
    throw refusal('unexpected-payload', message, scope)
  }
  const operand: Operand = { kind: 'cast', operand: left, type: { schema, name } }
  return comparisons({ left: operand, type: target.type, nullable: true }, value, at(scope, to))
}

/** The function's arguments after the column, in their order. */
function spatialArguments(input: SpatialInput, value: Json, scope: Scope): readonly Value[] {
  const { reader } = scope
  if (input.kind === 'value')
    return [located(scope, () => reader.scalar(value, { category: 'base', ...input.type }))]
  const given = objectAt(value, scope)
  return input.fields.map(({ name, type, absent }) => {
    const member = given[name] ?? (absent === 'true' ? true : null)
    if (given[name] === undefined && absent === 'refused')
      throw refusal('parse-failed', `key "${name}" not found`, scope)
    return located(at(scope, name), () => reader.scalar(member, { category: 'base', ...type }))
  })
}

function applied(
  compared: Compared,
  { operand, sql }: BinaryComparison,
  value: Json,
  scope: Scope,
): Predicate {
  const { left, type } = compared
  const { reader } = scope
  switch (operand.kind) {
    case 'same':
      return { kind: 'compare', left, operator: sql, right: ownValue(value, compared, scope) }
    case 'other': {
      const right = located(scope, () => reader.scalar(value, { category: 'base', ...operand.type }))
      return { kind: 'compare', left, operator: sql, right }
    }
    case 'each': {
      const items = located(scope, () => reader.list(value, type))
      return { kind: 'compare-list', left, operator: sql, quantifier: operand.quantifier, list: items }
    }
    case 'array': {
      const { schema, name } = operand.type
      const items = located(scope, () =>
        reader.list(value, { category: 'base', schema, name: name.slice(1) }),
      )
      return operand.quantified
        ? { kind: 'compare-list', left, operator: sql, quantifier: 'ANY', list: items }
        : { kind: 'compare', left, operator: sql, right: items }
    }
    default:
      return operand satisfies never
  }
}

/** A value of the operand's own type. For an array it may be a list. */
const ownValue = (value: Json, { type }: Compared, scope: Scope): Value =>
  located(scope, () =>
    baseType(type).category === 'array' ? scope.reader.list(value, type) : scope.reader.scalar(value, type),
  )

const located = <Result>({ path }: Scope, run: () => Result): Result => within(path.slice(1), run)

/** `"column"` or `["column"]` of the current row, `["$", "column"]` of the row that the whole expression is about. */
function columnValue(value: Json, scope: Scope): Value {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ofRoot = parts[0] === '$'
  const name = parts[ofRoot ? 1 : 0]
  const table: TableModel = ofRoot ? scope.root : scope.table
  const column: ColumnModel | undefined = typeof name === 'string' ? table.columnsByName.get(name) : undefined
  if (column === undefined || parts.length !== (ofRoot ? 2 : 1))
    throw refusal(
      'not-exists',
      `${JSON.stringify(value)} is not a column of "${displayName(table.name)}"`,
      scope,
    )
  const operand = scope.reader.column(column, table)
  if (operand.kind !== 'column')
    throw refusal('not-supported', `"${column.name}" can only be compared with values`, scope)
  return { kind: 'column', scope: ofRoot ? 'root' : 'current', name: operand.name }
}
