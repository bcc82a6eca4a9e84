import type { OrderTermPlan, OrderValue, RowField } from '../plan/tree.ts'
import type { Operand } from '../schema/predicate.ts'
import type { Expression, FromItem, OrderTerm } from './ast.ts'
import { and, boolean, integer, select, where } from './build.ts'
import { type CarriedRow, carriedRows, isSameRow, type RelatedRow } from './carried-row.ts'
import { orderValue } from './order-value.ts'
import { filterExpression, joinConditions, operandExpression, rowScope } from './predicate-expression.ts'
import type { Translation } from './translation.ts'

interface RelatedJoin {
  readonly row: RelatedRow
  /** The alias of the row that it is related to. */
  readonly parent: string
  readonly alias: string
}

/**
 * The related rows by whose values rows are sorted. Each is joined once, however many terms of the order, and whichever
 * part of the selection, read it.
 */
export class RelatedJoins {
  readonly #joins: RelatedJoin[] = []
  readonly #sorted: string
  readonly #translation: Translation

  constructor(sorted: string, translation: Translation) {
    this.#sorted = sorted
    this.#translation = translation
  }

  orderTerm = ({ value, direction, nulls }: OrderTermPlan): OrderTerm => ({
    value: this.#value(value, this.#sorted),
    direction,
    nulls,
  })

  #value(value: OrderValue, row: string): Expression {
    switch (value.kind) {
      case 'operand':
        return operandExpression(value.operand, rowScope(row), this.#translation)
      case 'related':
        return isNullWithoutRow(value.value)
          ? this.#value(value.value, this.#aliasOf(value, row))
          : orderValue(value, rowScope(row), this.#translation)
      case 'related-aggregate':
        return orderValue(value, rowScope(row), this.#translation)
      default:
        return value satisfies never
    }
  }

  #aliasOf(row: RelatedRow, parent: string): string {
    const known = this.#joins.find((join) => join.parent === parent && isSameRow(join.row, row))
    if (known !== undefined) return known.alias
    const alias = this.#translation.aliases.next()
    this.#joins.push({ row, parent, alias })
    return alias
  }

  /** The sorted rows with the related rows beside them. */
  from(rows: FromItem): FromItem {
    return this.#joins.reduce<FromItem>((left, join) => this.#joined(left, join), rows)
  }

  #joined(left: FromItem, { row: { table, join, filter, isUnique }, parent, alias }: RelatedJoin): FromItem {
    const right: FromItem = { kind: 'table', name: table, alias }
    const condition = and([
      ...joinConditions(join, parent, alias),
      filterExpression(filter, alias, this.#translation),
    ])
    if (isUnique) return { kind: 'left-join', left, right, on: condition }
    // Metadata may declare an object relationship wrongly, and a second row would repeat the sorted one.
    const first = select([], { star: alias, from: right, ...where(condition), limit: integer(1) })
    return { kind: 'left-join', left, right: { kind: 'derived', select: first, alias }, on: boolean(true) }
  }

  /** The related rows that the selection of the sorted rows reads as well. */
  carried(fields: readonly RowField[]): readonly CarriedRow[] {
    return this.#joins.flatMap(({ row, parent, alias }) =>
      parent === this.#sorted ? carriedRows(row, alias, fields) : [],
    )
  }
}

/** Whether a value of a row that is not there is null, as its sub-select would be. A count of such a row is 0. */
function isNullWithoutRow(value: OrderValue): boolean {
  switch (value.kind) {
    case 'operand':
      return isOfColumn(value.operand)
    case 'related':
      return isNullWithoutRow(value.value)
    case 'related-aggregate':
      return false
    default:
      return value satisfies never
  }
}

const isOfColumn = (operand: Operand): boolean =>
  operand.kind === 'column' ||
  ((operand.kind === 'cast' || operand.kind === 'masked') && isOfColumn(operand.operand))
