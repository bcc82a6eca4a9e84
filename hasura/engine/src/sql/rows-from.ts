import type { RowCount, RowField, RowsPlan } from '../plan/tree.ts'
import { isSameColumn } from '../schema/predicate.ts'
import type { Expression, Select } from './ast.ts'
import { and, boolean, builtinType, call, integer, select, where } from './build.ts'
import { filterExpression, joinConditions, operandExpression, rowScope } from './predicate-expression.ts'
import { type CarriedRow, carriedColumns } from './carried-row.ts'
import { RelatedJoins } from './related-joins.ts'
import { sourceFrom } from './source-from.ts'
import { type Translation, withinRow } from './translation.ts'

/** A set of rows: its clauses, and the related rows that its rows carry. */
export interface RowsClauses {
  readonly clauses: Pick<Select, 'from' | 'where'>
  readonly carried: readonly CarriedRow[]
}

/**
 * `FROM` and `WHERE` of a set of rows. Rows are sorted and cut before they become JSON. With the `fields` that are selected of
 * a row, the rows carry what these fields read of the rows that the order joins.
 */
export function rowsFrom(
  rows: RowsPlan,
  alias: string,
  parent: string | undefined,
  translation: Translation,
  more: {
    readonly condition?: Expression
    readonly limit?: Expression
    readonly fields?: readonly RowField[]
  } = {},
): RowsClauses {
  const scope = rowScope(alias)
  const conditions = and([
    ...(parent === undefined ? [] : joinConditions(rows.join, parent, alias)),
    filterExpression(rows.filter, alias, translation),
    more.condition ?? boolean(true),
  ])
  const from = sourceFrom(rows.from, alias, parent)
  const { distinctOn, orderBy, offset } = rows
  const limit = more.limit ?? (rows.limit === undefined ? undefined : rowCount(rows.limit))
  if (distinctOn.length === 0 && orderBy.length === 0 && limit === undefined && offset === undefined)
    return { clauses: { from, ...where(conditions) }, carried: [] }
  const joins = new RelatedJoins(alias, withinRow(rows, translation))
  const terms = orderBy.map(joins.orderTerm)
  const carried = joins.carried(more.fields ?? [])
  // Postgres requires the expressions of DISTINCT ON to be textually the same as those of ORDER BY.
  const distinct = distinctOn.map((operand) => {
    const sorted = orderBy.findIndex(
      ({ value }) => value.kind === 'operand' && isSameColumn(value.operand, operand),
    )
    return terms[sorted]?.value ?? operandExpression(operand, scope, translation)
  })
  const inner = select(carriedColumns(carried), {
    star: alias,
    from: joins.from(from),
    ...where(conditions),
    ...(distinct.length === 0 ? {} : { distinctOn: distinct }),
    ...(terms.length === 0 ? {} : { orderBy: terms }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset: rowCount(offset) }),
  })
  return { clauses: { from: { kind: 'derived', select: inner, alias } }, carried }
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
