import type {
  AggregateField,
  AggregateValue,
  OrderTermPlan,
  OrderValue,
  RowCount,
  RowField,
  RowFieldValue,
  RowSource,
  RowsPlan,
  SelectPlan,
} from '../plan/tree.ts'
import { nodeIdVersion } from '../plan/node-id.ts'
import { isBigNumber } from '../schema/postgres-type.ts'
import { isSameColumn } from '../schema/predicate.ts'
import type { CatalogType } from '../catalog/types.ts'
import type { Expression, FromItem, NativeCodePiece, OrderTerm, Projection, Select, TypeName } from './ast.ts'
import {
  and,
  binary,
  boolean,
  builtinType,
  call,
  cast,
  column,
  integer,
  select,
  subquery,
  text,
  where,
} from './build.ts'
import { base64, connectionJson } from './connection-expression.ts'
import { type JsonEntry, jsonArray, jsonObject } from './json-row.ts'
import {
  type RowScope,
  aggregateCall,
  callExpression,
  joinConditions,
  operandExpression,
  predicateExpression,
  rowScope,
  valueExpression,
} from './predicate-expression.ts'
import { shownValue } from './spatial-expression.ts'
import type { Translation } from './translation.ts'

/** The name of the column with a root field's JSON. */
export const root = 'root'

/** A root field's select: one row whose only column is the finished JSON; no row at all stands for null. */
export const selectStatement = (plan: SelectPlan, translation: Translation): Select =>
  selectJson(plan, undefined, translation)

/**
 * The rows related to an action's answer: for each object of the answer, which is a parameter, a row with
 * one column of JSON per relationship.
 */
export function relatedStatement(
  columns: readonly { readonly name: string; readonly type: TypeName }[],
  relationships: readonly SelectPlan[],
  translation: Translation,
): Select {
  const alias = translation.aliases.next()
  const json: Expression = { kind: 'parameter', source: { kind: 'answer' }, type: builtinType('json') }
  return select(
    relationships.map((plan) => ({ value: subquery(selectJson(plan, alias, translation)) })),
    { from: { kind: 'recordset', json, alias, columns } },
  )
}

/** A select whose only column is JSON; `parent` is the row that it belongs to, if it belongs to one. */
export function selectJson(plan: SelectPlan, parent: string | undefined, translation: Translation): Select {
  const alias = translation.aliases.next()
  switch (plan.kind) {
    case 'rows': {
      const from = rowsFrom(plan.rows, alias, parent, translation)
      return select([{ value: jsonArray(rowEntries(plan.fields, alias, translation)), alias: root }], from)
    }
    case 'row': {
      const from = rowsFrom(plan.rows, alias, parent, translation)
      const value = jsonObject(rowEntries(plan.fields, alias, translation))
      // A scalar sub-select must not find two rows, whatever the metadata says about the tables.
      const single = parent === undefined ? {} : { limit: integer(1) }
      return select([{ value, alias: root }], { ...from, ...single })
    }
    case 'aggregate':
      return aggregateJson(plan, alias, parent, translation)
    case 'connection':
      return connectionJson(plan, parent, translation)
    default:
      return plan satisfies never
  }
}

/** What is selected of a row, as keys and values. */
export const rowEntries = (
  fields: readonly RowField[],
  alias: string,
  translation: Translation,
): readonly JsonEntry[] =>
  fields.map(({ key, value }): JsonEntry => {
    switch (value.kind) {
      case 'text':
        return { key, value: typeNameText(value.text) }
      case 'node-id':
        return { key, value: nodeId(value, alias) }
      case 'operand': {
        const operand = operandExpression(value.operand, rowScope(alias), translation)
        return { key, value: columnJson(operand, value.type, value.jsonPath, translation) }
      }
      case 'join-key':
        return { key, value: joinKey(value, alias) }
      case 'select':
        return { key, value: subquery(selectJson(value.select, alias, translation)) }
      default:
        return value satisfies never
    }
  })

/** Numbers that JavaScript can't hold become texts; what they are compared with knows its type. */
function joinKey(
  { marker, columns }: Extract<RowFieldValue, { kind: 'join-key' }>,
  alias: string,
): Expression {
  const entries = columns.map(({ key, name, type }): JsonEntry => {
    const value = column(alias, name)
    return { key, value: isBigNumber(type) ? cast(value, builtinType('text')) : shownValue(value, type) }
  })
  return jsonObject([{ key: marker, value: jsonObject(entries) }])
}

/** As Hasura makes them: `[1, "public", "author", 7]` in base64. */
const nodeId = ({ table, key }: Extract<RowFieldValue, { kind: 'node-id' }>, alias: string): Expression =>
  base64(
    call(
      'json_build_array',
      integer(nodeIdVersion),
      cast(text(table.schema), builtinType('text')),
      cast(text(table.name), builtinType('text')),
      ...key.map((name) => column(alias, name)),
    ),
  )

export const typeNameText = (value: string): Expression => cast(text(value), builtinType('text'))

function columnJson(
  operand: Expression,
  type: CatalogType,
  jsonPath: readonly string[] | undefined,
  { stringifyNumbers }: Translation,
): Expression {
  if (jsonPath !== undefined && jsonPath.length > 0) {
    const steps = jsonPath.map((step) => text(step))
    return binary(operand, '#>', { kind: 'array', items: steps, type: builtinType('_text') })
  }
  return stringifyNumbers && isBigNumber(type)
    ? cast(operand, builtinType('text'))
    : shownValue(operand, type)
}

/** `FROM` and `WHERE` of a set of rows. Where rows are sorted or cut, that happens before JSON is made of them. */
export function rowsFrom(
  rows: RowsPlan,
  alias: string,
  parent: string | undefined,
  translation: Translation,
  more: { readonly condition?: Expression; readonly limit?: Expression } = {},
): Pick<Select, 'from' | 'where'> {
  const scope = rowScope(alias)
  const conditions = and([
    ...(parent === undefined ? [] : joinConditions(rows.join, parent, alias)),
    predicateExpression(rows.filter, scope, translation),
    more.condition ?? boolean(true),
  ])
  const from = sourceFrom(rows.from, alias, parent)
  const { distinctOn, orderBy, offset } = rows
  const limit = more.limit ?? (rows.limit === undefined ? undefined : rowCount(rows.limit))
  if (distinctOn.length === 0 && orderBy.length === 0 && limit === undefined && offset === undefined)
    return { from, ...where(conditions) }
  const terms = orderBy.map((term) => orderTerm(term, scope, translation))
  // What rows are distinct by must be, to the letter, what they are sorted by.
  const distinct = distinctOn.map((operand) => {
    const sorted = orderBy.findIndex(
      ({ value }) => value.kind === 'operand' && isSameColumn(value.operand, operand),
    )
    return terms[sorted]?.value ?? operandExpression(operand, scope, translation)
  })
  const inner = select([], {
    star: alias,
    from,
    ...where(conditions),
    ...(distinct.length === 0 ? {} : { distinctOn: distinct }),
    ...(terms.length === 0 ? {} : { orderBy: terms }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset: rowCount(offset) }),
  })
  return { from: { kind: 'derived', select: inner, alias } }
}

function sourceFrom(source: RowSource, alias: string, parent: string | undefined): FromItem {
  switch (source.kind) {
    case 'table':
      return { kind: 'table', name: source.name, alias }
    case 'function':
      return { kind: 'function', call: callExpression(source.call, rowScope(parent ?? alias)), alias }
    case 'native-query': {
      const code = source.code.map((part): NativeCodePiece =>
        part.kind === 'sql'
          ? part
          : { kind: 'expression', expression: valueExpression(part.value, rowScope(alias)) },
      )
      return { kind: 'native', code, alias }
    }
    default:
      return source satisfies never
  }
}

export function rowCount(count: RowCount): Expression {
  switch (count.kind) {
    case 'constant':
      return integer(count.value)
    case 'parameter':
      return { kind: 'parameter', source: count.source, type: builtinType('int8') }
    case 'least':
      return call(
        'least',
        { kind: 'parameter', source: count.source, type: builtinType('int8') },
        integer(count.allowed),
      )
    default:
      return count satisfies never
  }
}

export const orderTerm = (term: OrderTermPlan, scope: RowScope, translation: Translation): OrderTerm => ({
  value: orderValue(term.value, scope, translation),
  direction: term.direction,
  nulls: term.nulls,
})

/** A value of a related row, or an aggregate of related rows, is a sub-select of its own. */
export function orderValue(value: OrderValue, scope: RowScope, translation: Translation): Expression {
  if (value.kind === 'operand') return operandExpression(value.operand, scope, translation)
  const alias = translation.aliases.next()
  const inner = rowScope(alias)
  const condition = and([
    ...joinConditions(value.join, scope.current, alias),
    predicateExpression(value.filter, inner, translation),
  ])
  if (value.kind === 'related')
    return subquery(
      select([{ value: orderValue(value.value, inner, translation) }], {
        from: { kind: 'table', name: value.table, alias },
        ...where(condition),
        limit: integer(1),
      }),
    )
  const { aggregate } = value
  const aggregated =
    aggregate.function === 'count'
      ? aggregateCall('count', [], false, alias, translation)
      : call(aggregate.function, operandExpression(aggregate.operand, inner, translation))
  return subquery(
    select([{ value: aggregated }], {
      from: sourceFrom(value.from, alias, scope.current),
      ...where(condition),
    }),
  )
}

/**
 * Aggregates are columns of a derived table first, and JSON is made of them outside: an aggregate inside of
 * an object's sub-select would belong to that sub-select.
 */
function aggregateJson(
  plan: Extract<SelectPlan, { kind: 'aggregate' }>,
  alias: string,
  parent: string | undefined,
  translation: Translation,
): Select {
  const results = translation.aliases.next()
  const projections: Projection[] = []
  const collect = (value: Expression): Expression => {
    const name = `c${projections.length}`
    projections.push({ value, alias: name })
    return column(results, name)
  }
  const from = rowsFrom(plan.rows, alias, parent, translation)
  const entries = plan.fields.map((field) => aggregateEntry(field, plan, alias, parent, translation, collect))
  // Counting keeps the derived table one row, even if nothing but names is asked for.
  if (projections.length === 0) collect(aggregateCall('count', [], false, alias, translation))
  return select([{ value: jsonObject(entries), alias: root }], {
    from: { kind: 'derived', select: select(projections, from), alias: results },
  })
}

function aggregateEntry(
  field: AggregateField,
  plan: Extract<SelectPlan, { kind: 'aggregate' }>,
  alias: string,
  parent: string | undefined,
  translation: Translation,
  collect: (value: Expression) => Expression,
): JsonEntry {
  const { key } = field
  switch (field.kind) {
    case 'text':
      return { key, value: typeNameText(field.text) }
    case 'count':
      return { key, value: collect(aggregateCall('count', [], false, alias, translation)) }
    case 'aggregate': {
      const values = field.values.map((value) => aggregateValue(value, alias, translation, collect))
      return { key, value: jsonObject(values) }
    }
    case 'nodes': {
      const { nodeLimit } = plan
      if (nodeLimit === undefined && !(plan.rows.orderBy.length > 0 && countsDistinct(plan)))
        return { key, value: collect(jsonArray(rowEntries(field.fields, alias, translation))) }
      const rows: RowsPlan =
        nodeLimit === undefined ? plan.rows : { ...plan.rows, limit: nodeCount(plan.rows.limit, nodeLimit) }
      const nodes = selectJson({ kind: 'rows', rows, fields: field.fields }, parent, translation)
      return { key, value: subquery(nodes) }
    }
    default:
      return field satisfies never
  }
}

/** Postgres sorts the rows to count what is distinct, and gives them to the other aggregates in that order. */
const countsDistinct = ({ fields }: Extract<SelectPlan, { kind: 'aggregate' }>): boolean =>
  fields.some(
    (field) =>
      field.kind === 'aggregate' && field.values.some((value) => value.kind === 'count' && value.distinct),
  )

function nodeCount(asked: RowCount | undefined, allowed: number): RowCount {
  if (asked === undefined) return { kind: 'constant', value: allowed }
  if (asked.kind === 'constant') return { kind: 'constant', value: Math.min(asked.value, allowed) }
  return { kind: 'least', source: asked.source, allowed }
}

function aggregateValue(
  value: AggregateValue,
  alias: string,
  translation: Translation,
  collect: (value: Expression) => Expression,
): JsonEntry {
  const { key } = value
  switch (value.kind) {
    case 'text':
      return { key, value: typeNameText(value.text) }
    case 'count':
      return {
        key,
        value: collect(aggregateCall('count', value.columns, value.distinct, alias, translation)),
      }
    case 'function': {
      const { name } = value.function
      const entries = value.values.map((entry): JsonEntry => {
        if (entry.kind === 'text') return { key: entry.key, value: typeNameText(entry.text) }
        const aggregated = call(name, operandExpression(entry.operand, rowScope(alias), translation))
        // As in Hasura, it is the column's type that decides, whatever the aggregate makes of it.
        const asText = translation.stringifyNumbers && isBigNumber(entry.type)
        return { key: entry.key, value: collect(asText ? cast(aggregated, builtinType('text')) : aggregated) }
      })
      return { key, value: jsonObject(entries) }
    }
    default:
      return value satisfies never
  }
}
