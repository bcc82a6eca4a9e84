import { isComparable, isNumeric } from './postgres-type.ts'
import type { ColumnModel } from './source-model.ts'

/** The aggregates of `…_aggregate_fields` besides `count`, as Hasura offers them. */
export interface AggregateFunction {
  readonly name:
    | 'avg'
    | 'max'
    | 'min'
    | 'stddev'
    | 'stddev_pop'
    | 'stddev_samp'
    | 'sum'
    | 'var_pop'
    | 'var_samp'
    | 'variance'
  readonly applies: (value: Aggregated) => boolean
  /** Whether the result has the column's type; otherwise it is a Float. */
  readonly keepsType: boolean
}

/** What is aggregated: a column, or a computed field, which is of no enum table. */
type Aggregated = Pick<ColumnModel, 'type' | 'enumTable'>

/** A column of an enum table's values is neither a number nor ordered, whatever its type. */
const numeric = ({ type, enumTable }: Aggregated): boolean => enumTable === undefined && isNumeric(type)
const comparable = ({ type, enumTable }: Aggregated): boolean => enumTable === undefined && isComparable(type)

const statistic = (name: AggregateFunction['name']): AggregateFunction => ({
  name,
  applies: numeric,
  keepsType: false,
})

export const aggregateFunctions: readonly AggregateFunction[] = [
  statistic('avg'),
  { name: 'max', applies: comparable, keepsType: true },
  { name: 'min', applies: comparable, keepsType: true },
  statistic('stddev'),
  statistic('stddev_pop'),
  statistic('stddev_samp'),
  { name: 'sum', applies: numeric, keepsType: true },
  statistic('var_pop'),
  statistic('var_samp'),
  statistic('variance'),
]
