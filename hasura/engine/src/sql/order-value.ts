import type { OrderTermPlan, OrderValue } from '../plan/tree.ts'
import type { Expression, OrderTerm } from './ast.ts'
import { and, call, integer, select, subquery, where } from './build.ts'
import {
  aggregateCall,
  filterExpression,
  joinConditions,
  operandExpression,
  rowScope,
  type RowScope,
} from './predicate-expression.ts'
import { sourceFrom } from './source-from.ts'
import type { Translation } from './translation.ts'

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
    filterExpression(value.filter, alias, translation),
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
