import type { RowsPlan, RowSource, RowCount, OrderTermPlan, OrderValue } from '../plan/tree.ts'
import { isSameColumn } from '../schema/predicate.ts'
import type { Expression, Select, FromItem, NativeCodePiece, OrderTerm } from './ast.ts'
import { and, boolean, where, select, integer, builtinType, call, subquery } from './build.ts'
import {
  rowScope,
  joinConditions,
  predicateExpression,
  operandExpression,
  callExpression,
  valueExpression,
  type RowScope,
  aggregateCall,
} from './predicate-expression.ts'
import type { Translation } from './translation.ts'

/** `FROM` and `WHERE` of a set of rows. Rows are sorted and cut before they become JSON. */
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
  // Postgres requires the expressions of DISTINCT ON to be textually the same as those of ORDER BY.
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

/** A value of a related row, or an aggregate over related rows, is a sub-select. */
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
