import type { SelectPlan, AggregateField, RowField, AggregateValue } from '../plan/tree.ts'
import { isBigNumber } from '../schema/postgres-type.ts'
import type { Select, Projection, Expression } from './ast.ts'
import { column, select, subquery, call, cast, builtinType } from './build.ts'
import { type RowEntries, jsonObject, root, type JsonEntry, typeNameText, jsonArray } from './json-row.ts'
import { aggregateCall, operandExpression, rowScope } from './predicate-expression.ts'
import type { CarriedRow } from './carried-row.ts'
import { rowsFrom } from './rows-from.ts'
import { type Translation, withinRow } from './translation.ts'

type AggregatePlan = Extract<SelectPlan, { kind: 'aggregate' }>

/** The aggregated rows, and a collector of the aggregates' values. */
interface Aggregation {
  readonly plan: AggregatePlan
  readonly alias: string
  /** The alias of the row that they belong to, if any. */
  readonly parent: string | undefined
  readonly translation: Translation
  readonly rowEntries: RowEntries
  /** The related rows that the aggregated rows carry. */
  readonly carried: readonly CarriedRow[]
  /** Adds a column with the value. Returns the expression by which the JSON refers to it. */
  readonly collect: (value: Expression) => Expression
}

/**
 * Aggregates are columns of a derived table, and JSON is made of them outside: an aggregate inside an object's
 * sub-select would belong to that sub-select.
 */
export function aggregateJson(
  plan: AggregatePlan,
  alias: string,
  parent: string | undefined,
  translation: Translation,
  rowEntries: RowEntries,
): Select {
  const results = translation.aliases.next()
  const projections: Projection[] = []
  const collect = (value: Expression): Expression => {
    const name = `c${projections.length}`
    projections.push({ value, alias: name })
    return column(results, name)
  }
  const fields = plan.fields.flatMap((field) => (field.kind === 'nodes' ? field.fields : []))
  const { clauses, carried } = rowsFrom(plan.rows, alias, parent, translation, { fields })
  const aggregation: Aggregation = { plan, alias, parent, translation, rowEntries, collect, carried }
  const entries = plan.fields.map((field) => aggregateEntry(field, aggregation))
  // The count keeps the derived table at one row, even if only names are selected.
  if (projections.length === 0) collect(aggregateCall('count', [], false, alias, translation))
  return select([{ value: jsonObject(entries), alias: root }], {
    from: { kind: 'derived', select: select(projections, clauses), alias: results },
  })
}

function aggregateEntry(field: AggregateField, aggregation: Aggregation): JsonEntry {
  const { plan, alias, translation, rowEntries, collect, carried } = aggregation
  const { key } = field
  switch (field.kind) {
    case 'text':
      return { key, value: typeNameText(field.text) }
    case 'count':
      return { key, value: collect(aggregateCall('count', [], false, alias, translation)) }
    case 'aggregate': {
      const values = field.values.map((value) => aggregateValue(value, aggregation))
      return { key, value: jsonObject(values) }
    }
    case 'nodes': {
      const { nodeLimit } = plan
      if (nodeLimit === undefined && !(plan.rows.orderBy.length > 0 && countsDistinct(plan)))
        return {
          key,
          value: collect(
            jsonArray(rowEntries(field.fields, alias, withinRow(plan.rows, translation), carried)),
          ),
        }
      return { key, value: subquery(nodesJson(field.fields, aggregation)) }
    }
    default:
      return field satisfies never
  }
}

/** Postgres sorts the rows to count distinct values, and passes them to the other aggregates in that order. */
const countsDistinct = ({ fields }: AggregatePlan): boolean =>
  fields.some(
    (field) =>
      field.kind === 'aggregate' && field.values.some((value) => value.kind === 'count' && value.distinct),
  )
/** The nodes by a select of their own, when they are not all of the aggregated rows, or in another order. */
function nodesJson(
  fields: readonly RowField[],
  { plan: { rows, nodeLimit }, parent, translation, rowEntries }: Aggregation,
): Select {
  const alias = translation.aliases.next()
  const { clauses, carried } = rowsFrom(
    nodeLimit === undefined ? rows : { ...rows, limit: nodeLimit },
    alias,
    parent,
    translation,
    { fields },
  )
  const entries = rowEntries(fields, alias, withinRow(rows, translation), carried)
  return select([{ value: jsonArray(entries), alias: root }], clauses)
}

function aggregateValue(value: AggregateValue, { alias, translation, collect }: Aggregation): JsonEntry {
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
        // As in Hasura, the column's type decides, not the aggregate's.
        const asText = translation.stringifyNumbers && isBigNumber(entry.type)
        return { key: entry.key, value: collect(asText ? cast(aggregated, builtinType('text')) : aggregated) }
      })
      return { key, value: jsonObject(entries) }
    }
    default:
      return value satisfies never
  }
}
